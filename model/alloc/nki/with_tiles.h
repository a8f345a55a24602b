// A kernel whose tensors lie where a user-space allocator put their tiles.
#pragma once

#include <span>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/nki/tile.h"
#include "model/hw/error.h"

namespace spillway::nki {

/// `kernel` with the addresses of `tiles` as the `at` of the tensors of their names; tiles of one
/// name are the blocks of one tensor, in order. DRAM tiles and tensors without a tile stay as they
/// are.
/// Errors: kUnknownName "tile-without-tensor"; kMemorySpace "tile-tensor-space"; kShape
/// "tile-tensor-shape" (another shape or element size), "tile-tensor-blocks" (not one tile a
/// block); kMixedAllocation "tile-without-address" (allocated in automatic mode).
Result<Kernel> WithTiles(Kernel kernel, std::span<const TileAllocation> tiles);

}  // namespace spillway::nki
