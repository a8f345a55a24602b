#include "sim/tool/broken_scale.h"

#include <algorithm>

#include "model/hw/error.h"

namespace spillway::html {

BrokenScale::BrokenScale(std::vector<std::int64_t> marks, const std::vector<double>& least,
                         double height, double top)
    : marks_(std::move(marks)), pixels_(marks_.size()) {
  SPILLWAY_CHECK(marks_.size() >= 2 && least.size() + 1 == marks_.size(), "a piece a neighbour");
  const auto whole = static_cast<double>(marks_.back() - marks_.front());
  double y = top;
  for (std::size_t i = marks_.size() - 1; i > 0; --i) {
    pixels_[i] = y;
    const double share = static_cast<double>(marks_[i] - marks_[i - 1]) / whole * height;
    is_broken_ = is_broken_ || share < least[i - 1];
    y += std::max(share, least[i - 1]);
  }
  pixels_[0] = y;
}

double BrokenScale::At(std::int64_t place) const {
  if (place <= marks_.front()) return pixels_.front();
  if (place >= marks_.back()) return pixels_.back();
  const auto above = std::upper_bound(marks_.begin(), marks_.end(), place);
  const auto i = static_cast<std::size_t>(above - marks_.begin());
  const double share =
      static_cast<double>(place - marks_[i - 1]) / static_cast<double>(marks_[i] - marks_[i - 1]);
  return pixels_[i - 1] + share * (pixels_[i] - pixels_[i - 1]);
}

}  // namespace spillway::html
