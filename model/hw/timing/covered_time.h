// The time that a set of intervals covers.
#pragma once

#include <algorithm>
#include <vector>

#include "model/hw/interval.h"
#include "model/hw/units.h"

namespace spillway {

/// Length of the union of `intervals`, which begin at 0 or later and may overlap.
inline Picoseconds CoveredTime(std::vector<Interval<Picoseconds>> intervals) {
  std::sort(intervals.begin(), intervals.end());
  Picoseconds total;
  Picoseconds covered;
  for (const Interval<Picoseconds>& interval : intervals) {
    const Picoseconds begin = std::max(interval.begin, covered);
    if (begin < interval.end) total += interval.end - begin;
    covered = std::max(covered, interval.end);
  }
  return total;
}

}  // namespace spillway
