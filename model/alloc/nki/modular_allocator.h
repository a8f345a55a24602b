// The modular allocator of NKI's library: many logical tiles over few physical ones.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/alloc/nki/tile.h"
#include "model/hw/target.h"

namespace spillway::nki {

/// `block_dim` logical tiles over `num_free_tiles` physical ones, dimension by dimension. No block
/// dimensions: one tile. No counts: one physical tile in every dimension.
struct ModularRequest {
  TileRequest tile;
  std::vector<std::int64_t> block_dim;
  std::vector<std::int64_t> num_free_tiles;
};

/// The logical tiles, row-major over the block dimensions.
struct ModularTiles {
  std::vector<std::int64_t> block_dim;
  std::vector<TileAllocation> tiles;
  Interval<ByteOffset> bytes;  ///< of all physical tiles

  /// The tile of one index a block dimension; throws ContractViolation outside of them.
  const TileAllocation& At(std::span<const std::int64_t> index) const;
};

/// One cursor that goes up through a window. Tile i lies at i modulo the physical tiles, each
/// dimension by itself, row-major over their counts, times the bytes of a tile; so tile i and tile
/// i + num_free_tiles are one. The cursor moves by the physical tiles alone.
/// Source: nki_surface.md "mod_alloc's address law" and "User-space allocators".
class ModularAllocator {
 public:
  /// `window`: nothing for the target's usable bytes.
  /// Errors: kOutOfRange "modular-window" (not within them).
  static Result<ModularAllocator> Create(const Target& target,
                                         std::optional<Interval<ByteOffset>> window = std::nullopt);

  /// Default alignment: the element size, and the target's smallest.
  /// Errors: those of MeasureTile; kMemorySpace "modular-buffer"; kShape "modular-counts" (neither
  /// none nor one a block dimension); kLimit "modular-count" (below 1), "modular-tiles" (too many
  /// to list); kMisaligned "modular-alignment" (a tile whose bytes are no multiple of the alignment
  /// that was asked for: only the first would have it); kCapacity "modular-out-of-memory". An
  /// allocation that fails changes nothing.
  Result<ModularTiles> Alloc(const ModularRequest& request);

  /// Where the next tile may start.
  ByteOffset cursor() const { return cursor_; }
  Interval<ByteOffset> window() const { return window_; }

 private:
  ModularAllocator(const Target& target, Interval<ByteOffset> window)
      : target_(target), window_(window), cursor_(window.begin) {}

  Target target_;
  Interval<ByteOffset> window_;
  ByteOffset cursor_;
};

}  // namespace spillway::nki
