// What the hardware asks of one physical tile.
#pragma once

#include <span>
#include <vector>

#include "model/alloc/nki/evaluate_alloc_func.h"
#include "model/alloc/nki/verify_allocation.h"

namespace spillway::nki {

/// Whether an on-chip tensor has a partition dimension and free dimensions of at least 1, and tiles
/// of at most 2^40 bytes a partition: the most that a kernel file may have.
bool IsCountable(const Tensor& tensor);

/// Every rule that the size of the tensor's tiles breaks, wherever they lie. The tensor's shape
/// must be one that `IsCountable` accepts.
std::vector<Violation> CheckTileSize(const Tensor& tensor, const Target& target);

/// Every rule that one block's tuple breaks: (start_partition, byte_addr) of an SBUF tensor,
/// (bank_id, start_partition, byte_addr) of a PSUM tensor.
/// Source: seed 000 §8.5, verify_sbuf and verify_psum.
std::vector<Violation> CheckTile(const Tensor& tensor, const BlockTuple& tile, const Target& target,
                                 const AllocationLimits& limits);

}  // namespace spillway::nki
