// How many physical tiles the logical tiles of a tensor need: exact, by the kernel's own order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/alloc/ir/placement.h"
#include "model/alloc/nki/tile_distances.h"
#include "model/alloc/nki/tile_use.h"

namespace spillway::nki {

/// A write that has to wait for the reader of the tile that was filled just before it, since both
/// lie on the same bytes: loads and computation take turns.
struct NeighbourWait {
  TileUse write;
  TileUse read;
};

struct TileNeeds {
  /// The fewest tiles with which no block is overwritten before its last read; of several such
  /// counts the first in lexicographic order. Nothing: the walk or the search reached its limit.
  std::optional<TileCounts> correct;
  /// The fewest with which, besides, no block takes the tile of the one that was written just
  /// before it and that another engine (or a DMA) reads.
  std::optional<TileCounts> overlapped;
  std::optional<NeighbourWait> waits;  ///< the first such wait of the placement, if it has one
};

/// What `tensor`, which has blocks, needs where its tiles lie by a modulo law; depends on the
/// kernel's order and not on where anything lies, but for `waits`. A software pipeline that loads a
/// block d iterations before it reads it needs d + 1 tiles. Two blocks conflict if one is written,
/// in a byte, between a write and a read of the other; counts are enough if no two conflicting
/// blocks are equal modulo them. Lists of the tensor's law other than the one that `GrowingList`
/// names stay as they are. Source: isa_costs.md 4.1 (the law), ts_pipelines.md §16 (rings).
TileNeeds RequiredTiles(const Kernel& kernel, const Placement& placement, TensorId tensor,
                        std::int64_t max_steps = kMaxTileSteps);

/// The distances of conflicting blocks alone; nothing where a limit ended the walk.
std::optional<TileDistances> FindConflicts(const Kernel& kernel, TensorId tensor,
                                           std::int64_t max_steps = kMaxTileSteps);

}  // namespace spillway::nki
