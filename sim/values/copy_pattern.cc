#include "sim/values/copy_pattern.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "model/hw/error.h"

namespace spillway {
namespace {

/// A place in a pattern that moves on by any number of elements of one vector. Counts in offsets,
/// since the place after the last may lie outside the memory.
class VectorWalk {
 public:
  VectorWalk(const Pattern& pattern, const BlockView& view)
      : pattern_(pattern),
        row_stride_(view.partition_stride),
        base_(RowBase(pattern, view, 0)),
        offset_(pattern.start),
        left_(pattern.inner.count),
        index_(pattern.outer.size(), 0) {}

  std::byte* place() const {
    return base_ + offset_ + (pattern_.inner.count - left_) * pattern_.inner.step;
  }
  /// Elements of this vector from the place on.
  std::int64_t left() const { return left_; }

  void Pass(std::int64_t elements) {
    left_ -= elements;
    if (left_ == 0) NextVector();
  }

 private:
  void NextVector() {
    left_ = pattern_.inner.count;
    for (std::size_t d = index_.size(); d-- > 0;) {
      const ByteDim& dim = pattern_.outer[d];
      offset_ += dim.step;
      if (++index_[d] < dim.count) return;
      offset_ -= dim.step * dim.count;
      index_[d] = 0;
    }
    offset_ += row_stride_;
  }

  const Pattern& pattern_;
  std::int64_t row_stride_;
  std::byte* base_;
  std::int64_t offset_;
  std::int64_t left_;
  std::vector<std::int64_t> index_;
};

}  // namespace

void CopyPattern(const Pattern& from, const Pattern& to, MemoryView& memory) {
  SPILLWAY_CHECK(from.bytes() == to.bytes(), "a copy's sides differ in size");
  if (from.bytes() == 0) return;
  if (from.element != to.element) {
    // Runs of the two sides needn't meet at element boundaries.
    Scatter(to, Gather(from, memory), memory);
    return;
  }
  const std::int64_t element = from.element;
  const bool runs = from.is_run() && to.is_run();
  VectorWalk source(from, memory.Block(from.tensor, from.block));
  VectorWalk target(to, memory.Block(to.tensor, to.block));
  for (std::int64_t left = from.rows * from.columns; left > 0;) {
    const std::int64_t count = std::min(source.left(), target.left());
    if (runs) {
      std::memcpy(target.place(), source.place(), static_cast<std::size_t>(count * element));
    } else {
      CopyStrided(target.place(), to.inner.step, source.place(), from.inner.step, count, element);
    }
    source.Pass(count);
    target.Pass(count);
    left -= count;
  }
}

}  // namespace spillway
