#include "model/alloc/nki/tile_heap.h"

#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

// Towards minus infinity: automatic mode may run below zero.
ByteOffset RoundDown(ByteOffset value, Bytes granule) {
  const std::int64_t rest = value.value % granule.value;
  return ByteOffset(value.value - (rest < 0 ? rest + granule.value : rest));
}

}  // namespace

ByteOffset TileHeap::BaseOf(Bytes bytes, Bytes align) const {
  return SPILLWAY_FAULT(N2, RoundDown(cursor_ - bytes, align),
                        RoundDown(RoundDown(cursor_, align) - bytes, kHeapAlignment));
}

void TileHeap::Push(TileAllocation tile, ByteOffset base) {
  SPILLWAY_CHECK(base + tile.bytes <= cursor_, "a heap tile lies below the cursor");
  before_.push_back(cursor_);
  tiles_.push_back(std::move(tile));
  cursor_ = base;
}

TileAllocation TileHeap::Pop() {
  SPILLWAY_CHECK(!tiles_.empty(), "the heap holds a tile");
  TileAllocation tile = std::move(tiles_.back());
  tiles_.pop_back();
  // Adding the tile's bytes isn't enough: alignment took some too.
  cursor_ = SPILLWAY_FAULT(N3, before_.back(), RoundDown(cursor_ + tile.bytes, kHeapAlignment));
  before_.pop_back();
  return tile;
}

}  // namespace spillway::nki
