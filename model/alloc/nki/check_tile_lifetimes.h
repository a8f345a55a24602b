// The check "tile-lifetimes": what a kernel author is told about tiles that share their places.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/nki/enough_tiles.h"
#include "model/alloc/nki/free_place.h"
#include "model/alloc/nki/tile_lifetimes.h"
#include "model/hw/violation.h"

namespace spillway::nki {

/// What would keep two tensors apart.
struct WayOut {
  std::vector<TensorId> tried;        ///< that could move, those of fewer bytes first
  std::optional<FreePlace> place;     ///< where the first one that fits elsewhere would
  std::optional<TensorId> ring;       ///< else: one of them with more tiles than it needs…
  std::optional<EnoughTiles> enough;  ///< …and how many leave the other alone
  bool complete = true;               ///< false: a limit ended the search for a place
};

/// A fault with what would help.
struct TileFinding {
  TileFault fault;
  std::int64_t tiles_there = 0;       ///< kTooFewTiles: physical tiles of the tensor
  std::optional<EnoughTiles> enough;  ///< kTooFewTiles: nothing where a limit ended the search
  std::optional<WayOut> way_out;      ///< kOverlap: nothing where a limit ended the search
};

/// A ring that is right and yet lets loads and computation take turns.
struct TileWaitNote {
  TensorId tensor;
  std::int64_t tiles_there = 0;
  NeighbourWait wait;
  std::optional<EnoughTiles> enough;  ///< with which the wait is gone
};

struct TileLifetimeReport {
  std::vector<TileFinding> findings;
  std::vector<TileWaitNote> waits;
  /// Check "tile-lifetimes": a violation a finding. Nothing checked: no tensor has a place on chip.
  CheckResult check;
  /// For a person: what the walk couldn't look at, then a line a wait.
  std::vector<std::string> notes;
  bool complete = true;  ///< false: the kernel has more steps than the walk's limit
};

/// Everything about the lifetimes of placed SBUF and PSUM tiles: overwritten before their last read
/// by another block of the same tensor (kOverlap, with the number of tiles that would do) or by
/// another tensor (kOverlap, with a place where one of the two would fit, or with fewer tiles that
/// would do), or read before anything filled them (kUninitializedRead). All placed on-chip tensors
/// are looked at, with blocks or without, hand-made or allocated. What a tensor of role output
/// holds on chip when the kernel ends isn't. What would help, and which rings make loads wait, is
/// said for 64 rings and pairs of tensors at most.
/// Source: nki_surface.md (lifetime checks); isa_costs.md 4.2; nki_kernels_and_issues.md §4 (rows
/// 5, 24, 26).
TileLifetimeReport ReportTileLifetimes(const Kernel& kernel, const Placement& placement,
                                       const Target& target,
                                       std::int64_t max_steps = kMaxTileSteps);

/// The report's check alone, for callers that have no place for notes: a walk that reached its
/// limit is one more violation (kLimit), since what wasn't looked at may be wrong.
CheckResult CheckTileLifetimes(const LinearKernel& linear, const Placement& placement,
                               const Target& target, std::int64_t max_steps = kMaxTileSteps);

}  // namespace spillway::nki
