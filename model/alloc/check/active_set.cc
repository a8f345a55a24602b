#include "model/alloc/check/active_set.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace spillway::check {
namespace {

constexpr ByteOffset kNothing{std::numeric_limits<std::int64_t>::min()};

}  // namespace

ActiveSet::ActiveSet(const std::vector<Interval<ByteOffset>>& ranges)
    : index_of_(ranges.size()), position_of_(ranges.size()) {
  std::iota(index_of_.begin(), index_of_.end(), std::size_t{0});
  std::sort(index_of_.begin(), index_of_.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(ranges[a].begin, a) < std::pair(ranges[b].begin, b);
  });
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    position_of_[index_of_[i]] = i;
    sorted_.push_back(ranges[index_of_[i]]);
  }
  while (leaves_ < ranges.size()) leaves_ *= 2;
  largest_end_.assign(2 * leaves_, kNothing);
}

void ActiveSet::Set(std::size_t range, bool on) {
  const std::size_t position = position_of_[range];
  std::size_t node = leaves_ + position;
  largest_end_[node] = on ? sorted_[position].end : kNothing;
  for (node /= 2; node > 0; node /= 2) {
    largest_end_[node] = std::max(largest_end_[2 * node], largest_end_[2 * node + 1]);
  }
}

std::vector<std::size_t> ActiveSet::Overlapping(const Interval<ByteOffset>& range) const {
  std::vector<std::size_t> found;
  if (range.empty()) return found;
  std::vector<std::size_t> stack = {1};
  while (!stack.empty()) {
    const std::size_t node = stack.back();
    stack.pop_back();
    if (largest_end_[node] <= range.begin) continue;
    // The first leaf below the node: if it starts behind the range, so do all the others.
    std::size_t leftmost = node;
    while (leftmost < leaves_) leftmost *= 2;
    const std::size_t position = leftmost - leaves_;
    if (position >= sorted_.size() || range.end <= sorted_[position].begin) continue;
    if (node >= leaves_) {
      if (Overlap(sorted_[position], range)) found.push_back(index_of_[position]);
    } else {
      stack.push_back(2 * node + 1);
      stack.push_back(2 * node);
    }
  }
  return found;
}

}  // namespace spillway::check
