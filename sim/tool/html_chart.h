// What all pictures of the report are made of: frames, axes and step curves as SVG.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway::html {

/// Width of every picture, and where its data begin and end, in pixels: time axes line up.
inline constexpr double kPictureWidth = 1000;
inline constexpr double kLeft = 78;
inline constexpr double kRight = 990;
inline constexpr double kDataWidth = kRight - kLeft;
inline constexpr int kColumns = static_cast<int>(kDataWidth);

/// A linear axis from a domain to pixels; either may run backwards.
struct Scale {
  double domain_begin = 0;
  double domain_end = 1;
  double px_begin = 0;
  double px_end = 1;
  /// Pixel of `value`; the domain's ends for what lies outside.
  double At(double value) const;
};

/// The horizontal axis of the picture: [0, end) over the data's width.
Scale Across(double end);

/// Multiples of 1, 2 or 5 times a power of ten (or of a power of two) from 0 to `end`, at most
/// `most` + 1 of them.
std::vector<std::int64_t> RoundTicks(std::int64_t end, int most);
std::vector<std::int64_t> BinaryTicks(std::int64_t end, int most);

/// An SVG picture in the making.
class Picture {
 public:
  /// `label` says what it shows to those who don't see it.
  explicit Picture(std::string_view label) : label_(label) {}

  void Add(std::string_view markup) { body_ += markup; }
  void Rect(std::string_view style, double left, double top, double width, double height);
  void Line(std::string_view style, double x1, double y1, double x2, double y2);
  /// `anchor`: start, middle or end. `text` isn't markup.
  void Text(std::string_view style, std::string_view anchor, double x, double y,
            std::string_view text);
  void Path(std::string_view style, std::string_view commands);

  std::size_t size() const { return body_.size(); }
  /// The picture in `height` pixels.
  std::string Finish(double height) const;

 private:
  std::string label_;
  std::string body_;
};

/// Bytes that a vertical axis shows of a memory filled to `top`: the capacity and a little room
/// above it; less where the capacity would press all into a line at the bottom; at most twice the
/// capacity, where something lies far outside.
std::int64_t ShownBytes(std::int64_t top, std::int64_t capacity);

/// Grid lines and labels of a vertical axis of bytes.
void ByteAxis(Picture& picture, const Scale& scale);

/// The line of the capacity with `label` on it; where it lies above the axis, only the label and
/// how much is shown.
void CapacityLine(Picture& picture, const Scale& scale, std::int64_t capacity,
                  const std::string& label);

/// Ticks and labels of a horizontal axis below `y`, with its `name` at the right end.
void TimeAxis(Picture& picture, const Scale& scale, double y,
              const std::vector<std::int64_t>& ticks,
              const std::function<std::string(std::int64_t)>& label, std::string_view name);

/// Path commands of the area between `base` and a step curve: one value from 0 to 1 a pixel
/// column, 1 being `height` pixels high. Empty where all values are 0.
std::string StepArea(const std::vector<double>& values, double base, double height);
/// The curve alone.
std::string StepLine(const std::vector<double>& values, double base, double height);

/// A legend: swatches of a style with their names.
struct LegendItem {
  std::string style;
  std::string name;
};
std::string Legend(const std::vector<LegendItem>& items);

}  // namespace spillway::html
