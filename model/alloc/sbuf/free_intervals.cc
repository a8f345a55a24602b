#include "model/alloc/sbuf/free_intervals.h"

#include <algorithm>

#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

std::size_t IndexOf(QuadrantMask band) {
  const auto at = std::find(kBands.begin(), kBands.end(), band);
  SPILLWAY_CHECK(at != kBands.end(), "not one of the hardware's bands");
  return static_cast<std::size_t>(at - kBands.begin());
}

// The band one size up that holds `band`; the full band holds itself.
QuadrantMask WiderBand(QuadrantMask band) {
  for (const QuadrantMask wider : kBands) {
    if (wider != band && (wider & band) == band) return wider;
  }
  return band;
}

// [0, capacity) without the reserved ranges that touch `band`. `reserved` is sorted.
std::vector<BandInterval> Complement(std::span<const BandInterval> reserved, QuadrantMask band,
                                     std::int64_t capacity) {
  std::vector<BandInterval> free;
  std::int64_t at = 0;
  for (const BandInterval& range : reserved) {
    if (SPILLWAY_FAULT(B26, (range.band & band) == 0, false)) continue;
    if (range.lower > at) free.push_back({at, std::min(range.lower, capacity), band});
    at = std::max(at, range.upper);
    if (at >= capacity) return free;
  }
  if (SPILLWAY_FAULT(B17, true, at == 0)) free.push_back({at, capacity, band});
  return free;
}

}  // namespace

bool CompareStarts(const BandInterval& a, const BandInterval& b) {
  if (a.lower != b.lower) return a.lower < b.lower;
  const int width_a = std::popcount(static_cast<unsigned>(a.band));
  const int width_b = std::popcount(static_cast<unsigned>(b.band));
  return width_a != width_b ? width_a > width_b : a.band < b.band;
}

FreePools::FreePools(std::span<const BandInterval> reserved, std::int64_t capacity) {
  std::vector<BandInterval> sorted(reserved.begin(), reserved.end());
  if (SPILLWAY_FAULT(B19, true, fault::variant == 1)) {
    std::sort(sorted.begin(), sorted.end(), CompareStarts);
  }
  for (std::size_t b = 0; b < kBands.size(); ++b)
    free_[b] = Complement(sorted, kBands[b], capacity);
}

std::vector<BandInterval> FreePools::Find(std::span<const QuadrantMask> bands) const {
  std::vector<BandInterval> found;
  for (const QuadrantMask band : bands) {
    const std::vector<BandInterval>& free = free_[IndexOf(band)];
    found.insert(found.end(), free.begin(), free.end());
  }
  if (bands.size() > 1) std::sort(found.begin(), found.end(), CompareStarts);
  return found;
}

std::vector<BandInterval> FreePools::FindLeftovers(std::span<const QuadrantMask> bands) const {
  std::vector<BandInterval> found;
  for (const QuadrantMask band : bands) {
    const std::vector<BandInterval>& wider = free_[IndexOf(WiderBand(band))];
    for (BandInterval range : free_[IndexOf(band)]) {
      for (const BandInterval& whole : wider) {
        if (whole.upper <= range.lower || range.upper <= whole.lower) continue;
        if (range.lower < whole.lower) found.push_back({range.lower, whole.lower, band});
        range.lower = std::min(whole.upper, range.upper);
      }
      if (range.lower < range.upper) found.push_back(range);
    }
  }
  std::sort(found.begin(), found.end(), CompareStarts);
  return found;
}

std::optional<BandInterval> SearchBottomUp(std::span<const BandInterval> free, SearchWindow window,
                                           Granules size) {
  for (const BandInterval& range : free) {
    const std::int64_t lower = std::max(window.lower, range.lower);
    const std::int64_t upper = std::min(window.upper, range.upper);
    const bool fits = SPILLWAY_FAULT(B25, upper - lower >= size.value, upper - lower > size.value);
    const bool starts_inside = SPILLWAY_FAULT(B8, false, lower < upper && &range == &free.back());
    if (fits || starts_inside) return BandInterval{lower, lower + size.value, range.band};
  }
  return std::nullopt;
}

std::optional<BandInterval> SearchTopDown(std::span<const BandInterval> free, SearchWindow window,
                                          Granules size) {
  // Ranges of several bands interleave, so the highest end isn't always the last range's.
  std::optional<BandInterval> best;
  for (const BandInterval& range : free) {
    const std::int64_t lower = std::max(window.lower, range.lower);
    const std::int64_t upper = std::min(window.upper, range.upper);
    if (upper - lower < SPILLWAY_FAULT(B25, size.value, size.value + 1)) continue;
    if (best && upper <= best->upper) continue;
    const std::int64_t at = SPILLWAY_FAULT(B18, upper - size.value, lower);
    best = BandInterval{at, upper, range.band};
  }
  return best;
}

}  // namespace spillway
