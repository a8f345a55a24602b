// Tensors whose value DRAM holds already.
#pragma once

#include <optional>

#include "model/alloc/ir/linear_kernel.h"

namespace spillway {

/// True for each SBUF tensor that one unpredicated DMA copy of an input or a constant defines, bit
/// for bit and as a whole, and nothing writes later: a reload can repeat the load, so a spill needs
/// neither a home nor a save. The load must not depend on a loop that a use stands outside of.
/// `first_definitions` is FindFirstDefinitions(linear).
/// Source: seed 003, driver (find_loads).
IdVector<TensorId, bool> FindLoads(
    const LinearKernel& linear,
    const IdVector<TensorId, std::optional<PointId>>& first_definitions);

}  // namespace spillway
