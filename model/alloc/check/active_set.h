// Which of a fixed list of byte ranges are switched on and overlap a given one.
#pragma once

#include <cstdint>
#include <vector>

#include "model/hw/interval.h"

namespace spillway::check {

/// A tree over the ranges in order of their starts, each node with the largest end below it that
/// is switched on. Switching costs log(n), a query log(n) for each range that it finds.
class ActiveSet {
 public:
  explicit ActiveSet(const std::vector<Interval<ByteOffset>>& ranges);

  void SwitchOn(std::size_t range) { Set(range, true); }
  void SwitchOff(std::size_t range) { Set(range, false); }
  /// Indices of the ranges that are on and share a byte with `range`, in order of their starts.
  std::vector<std::size_t> Overlapping(const Interval<ByteOffset>& range) const;

 private:
  void Set(std::size_t range, bool on);

  std::vector<Interval<ByteOffset>> sorted_;
  std::vector<std::size_t> index_of_;     ///< of the range at a place in order of starts
  std::vector<std::size_t> position_of_;  ///< the reverse
  std::size_t leaves_ = 1;                ///< a power of two
  std::vector<ByteOffset> largest_end_;   ///< heap order: node n has the children 2n and 2n + 1
};

}  // namespace spillway::check
