// Where each tensor gets its first value.
#pragma once

#include <optional>

#include "model/alloc/ir/linear_kernel.h"

namespace spillway {

/// First point that writes each tensor; nothing for tensors that no instruction writes.
/// Source: seed 003, driver (find_first_defs).
IdVector<TensorId, std::optional<PointId>> FindFirstDefinitions(const LinearKernel& linear);

}  // namespace spillway
