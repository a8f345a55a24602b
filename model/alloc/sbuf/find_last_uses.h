// Where each tensor's value is needed for the last time.
#pragma once

#include <optional>

#include "model/alloc/ir/linear_kernel.h"

namespace spillway {

/// Last point that reads each tensor; nothing for tensors that no instruction reads.
/// Source: seed 003, driver (find_last_uses).
IdVector<TensorId, std::optional<PointId>> FindLastUses(const LinearKernel& linear);

}  // namespace spillway
