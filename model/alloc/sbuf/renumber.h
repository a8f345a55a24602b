// Dense ids again after a change, without the tensors that nothing touches any more.
#pragma once

#include <optional>

#include "model/alloc/ir/kernel.h"

namespace spillway {

struct Renumbered {
  Kernel kernel;
  IdVector<TensorId, std::optional<TensorId>> new_id;  ///< by old id; nothing for dropped tensors
};

/// `kernel` without internal tensors that no instruction accesses; ids dense, order kept.
/// Spilling leaves such tensors behind, and a stale id must not outlive them.
/// Source: seed 003, driver (renumber_locations).
Renumbered Renumber(Kernel kernel);

}  // namespace spillway
