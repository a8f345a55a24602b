// An axis that isn't to scale where that would hide something.
#pragma once

#include <cstdint>
#include <vector>

namespace spillway::html {

/// A vertical axis over places of a memory, growing upwards: between neighbouring marks it is
/// linear, in proportion to their distance but at least as high as text needs.
class BrokenScale {
 public:
  /// `marks` are ascending and distinct, at least two. `least` has the smallest height in pixels of
  /// each piece between neighbours. About `height` pixels in all, or more where pieces need it; the
  /// first mark lies at the bottom, the last one at `top`.
  BrokenScale(std::vector<std::int64_t> marks, const std::vector<double>& least, double height,
              double top);

  /// Pixel of `place`; the ends for what lies outside.
  double At(std::int64_t place) const;
  const std::vector<std::int64_t>& marks() const { return marks_; }
  double bottom() const { return pixels_.front(); }
  double top() const { return pixels_.back(); }
  /// Whether a piece is higher than in proportion to the others.
  bool is_broken() const { return is_broken_; }

 private:
  std::vector<std::int64_t> marks_;
  std::vector<double> pixels_;  ///< of each mark, descending
  bool is_broken_ = false;
};

}  // namespace spillway::html
