// Which writes cover each elementary piece of a read's memory.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/check_task/access_groups.h"

namespace spillway::task {

/// Pieces into which one read's memory may be cut: a bound on time and memory.
inline constexpr std::size_t kMaxPieces = 1'000'000;

/// The writes that cover a piece of a read's memory.
struct CoveredPiece {
  std::vector<std::uint32_t> writes;  ///< indices, ascending; may be empty
  Footprint piece;                    ///< the first one that exactly these cover
  std::size_t number = 0;  ///< of that piece: in file order of the regions, then by place

  friend bool operator==(const CoveredPiece&, const CoveredPiece&) = default;
};

/// The footprints of `read` are cut at the borders of all footprints of `writes`, in units and in
/// partitions. Returns the sets of writes that cover a piece, each set once, ascending.
/// Errors: limit (kLimit) beyond kMaxPieces.
/// Source: ts_pipelines.md §8, Clobber.
Result<std::vector<CoveredPiece>> CoveringWrites(const Program& program, const AccessGroup& read,
                                                 const std::vector<const AccessGroup*>& writes);

}  // namespace spillway::task
