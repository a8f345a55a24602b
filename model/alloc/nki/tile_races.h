// Tiles of a ring that engines and DMA may use at once, since no wait keeps them apart.
#pragma once

#include <optional>
#include <vector>

#include "model/alloc/check/races.h"
#include "model/alloc/nki/enough_tiles.h"

namespace spillway::nki {

/// Two blocks of a tensor on the same bytes, touched by two instances that no order keeps apart
/// at all timings; at least one of them writes.
struct TileRace {
  TileUse first;  ///< earlier in the program
  TileUse second;
  bool first_writes = false;
  bool second_writes = false;
  Rectangle where;
  std::int64_t count = 1;  ///< such pairs of instances of the two instructions
  std::int64_t tiles_there = 0;
  /// The fewest tiles with which the waits that are there keep the tensor's blocks apart; nothing
  /// where a limit ended the search.
  std::optional<EnoughTiles> enough;
};

struct TileRaces {
  std::vector<TileRace> races;
  bool complete = true;  ///< false: a limit was reached
};

/// What the check "races" finds between the blocks of one tensor, said of tiles, with the depth
/// that would do without another wait. Nothing where the program's instances aren't the kernel's.
/// Source: ts_pipelines.md §16 (a ring is right without a race and without a clobber).
TileRaces FindTileRaces(const PlayedKernel& played);

/// Check "tile-races": a violation (kRace) a race, and one (kLimit) where a limit was reached.
CheckResult CheckTileRaces(const PlayedKernel& played);

}  // namespace spillway::nki
