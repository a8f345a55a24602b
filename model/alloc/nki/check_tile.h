// What the hardware asks of one physical tile.
#pragma once

#include <span>
#include <vector>

#include "model/alloc/nki/evaluate_alloc_func.h"
#include "model/alloc/nki/verify_allocation.h"

namespace spillway::nki {

/// Every rule that the size of the tensor's tiles breaks, wherever they lie.
std::vector<Violation> CheckTileSize(const Tensor& tensor, const Target& target);

/// Every rule that one block's tuple breaks: (start_partition, byte_addr) of an SBUF tensor,
/// (bank_id, start_partition, byte_addr) of a PSUM tensor.
/// Source: seed 000 §8.5, verify_sbuf and verify_psum.
std::vector<Violation> CheckTile(const Tensor& tensor, const BlockTuple& tile, const Target& target,
                                 const AllocationLimits& limits);

}  // namespace spillway::nki
