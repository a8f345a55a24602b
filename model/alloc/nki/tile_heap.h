// The heap of a stack manager: tiles from the top of the window down, freed last in first out.
#pragma once

#include <vector>

#include "model/alloc/nki/tile.h"

namespace spillway::nki {

/// Alignment of a heap tile that asks for none. Source: nki_surface.md "User-space allocators".
inline constexpr Bytes kHeapAlignment{4};

class TileHeap {
 public:
  explicit TileHeap(ByteOffset upper) : cursor_(upper) {}

  ByteOffset cursor() const { return cursor_; }
  /// The oldest first.
  const std::vector<TileAllocation>& tiles() const { return tiles_; }

  /// Where a tile would start: the highest multiple of `align` with room above it; may be negative.
  ByteOffset BaseOf(Bytes bytes, Bytes align) const;
  /// Moves the cursor down to `base`.
  void Push(TileAllocation tile, ByteOffset base);
  /// The youngest tile; the cursor is where it was before that tile.
  TileAllocation Pop();

 private:
  ByteOffset cursor_;
  std::vector<TileAllocation> tiles_;
  std::vector<ByteOffset> before_;  // the cursor before each tile
};

}  // namespace spillway::nki
