// Free byte ranges per partition band, and the two first-fit walks over them.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "model/alloc/sbuf/height_class.h"

namespace spillway {

/// A byte range of one band, in granules: [lower, upper) x the band's partitions.
/// The seed's 12-byte Interval; `band` is its tag.
struct BandInterval {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  QuadrantMask band = 0;
  friend bool operator==(const BandInterval&, const BandInterval&) = default;
};

/// Lower end first; at the same lower end the wider band first.
/// Source: seed 003 §3 (compareStarts).
bool CompareStarts(const BandInterval& a, const BandInterval& b);

/// Free ranges, sorted and merged, per band of kBands: short pools (quadrants), medium pools
/// (halves) and the tall pool (all 128 partitions).
class FreePools {
 public:
  /// `reserved`: what placed neighbours occupy, in any order.
  FreePools(std::span<const BandInterval> reserved, std::int64_t capacity);

  /// Free ranges of `bands`, sorted by CompareStarts.
  std::vector<BandInterval> Find(std::span<const QuadrantMask> bands) const;
  /// Only what `Find` leaves over outside the free ranges of the wider band around each.
  std::vector<BandInterval> FindLeftovers(std::span<const QuadrantMask> bands) const;

 private:
  std::array<std::vector<BandInterval>, kBands.size()> free_;
};

/// A byte window within which a walk may place, in granules.
struct SearchWindow {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
};

/// First fit from the bottom: at the low end of the lowest range that holds `size`.
/// Source: seed 003 §3 (search_bottom_up).
std::optional<BandInterval> SearchBottomUp(std::span<const BandInterval> free, SearchWindow window,
                                           Granules size);
/// First fit from the top: at `upper - size` of the highest range that holds it.
/// Source: seed 003 §3 (search_top_down).
std::optional<BandInterval> SearchTopDown(std::span<const BandInterval> free, SearchWindow window,
                                          Granules size);

}  // namespace spillway
