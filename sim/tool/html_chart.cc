#include "sim/tool/html_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/tool/html_text.h"
#include "sim/tool/text_report.h"

namespace spillway::html {
namespace {

std::vector<std::int64_t> Multiples(std::int64_t step, std::int64_t end) {
  std::vector<std::int64_t> ticks;
  for (std::int64_t tick = 0; tick <= end; tick += step) ticks.push_back(tick);
  return ticks;
}

// Corners of a step curve, in pixels; runs of equal height (in tenths of a pixel) become one step.
std::string Steps(const std::vector<double>& values, double base, double height) {
  std::string commands;
  std::string current;
  for (std::size_t c = 0; c < values.size(); ++c) {
    const std::string y = Px(base - std::clamp(values[c], 0.0, 1.0) * height);
    if (y == current) continue;
    const std::string x =
        Px(kLeft + static_cast<double>(c) * kDataWidth / static_cast<double>(values.size()));
    commands += current.empty() ? fmt::format("M{} {}", x, y) : fmt::format("H{}V{}", x, y);
    current = y;
  }
  return commands + "H" + Px(kRight);
}

}  // namespace

double Scale::At(double value) const {
  const double share =
      (std::clamp(value, domain_begin, domain_end) - domain_begin) / (domain_end - domain_begin);
  return px_begin + share * (px_end - px_begin);
}

Scale Across(double end) { return {0, std::max(end, 1.0), kLeft, kRight}; }

std::vector<std::int64_t> RoundTicks(std::int64_t end, int most) {
  std::int64_t power = 1;
  while (true) {
    for (const std::int64_t digit : {1, 2, 5}) {
      if (end / (digit * power) <= most) return Multiples(digit * power, end);
    }
    power *= 10;
  }
}

std::vector<std::int64_t> BinaryTicks(std::int64_t end, int most) {
  std::int64_t step = 1;
  while (end / step > most) step *= 2;
  return Multiples(step, end);
}

void Picture::Rect(std::string_view style, double left, double top, double width, double height) {
  body_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", style,
                       Px(left), Px(top), Px(width), Px(height));
}

void Picture::Line(std::string_view style, double x1, double y1, double x2, double y2) {
  body_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", style,
                       Px(x1), Px(y1), Px(x2), Px(y2));
}

void Picture::Text(std::string_view style, std::string_view anchor, double x, double y,
                   std::string_view text) {
  body_ += fmt::format("<text class=\"{}\" text-anchor=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", style,
                       anchor, Px(x), Px(y), Escape(text));
}

void Picture::Path(std::string_view style, std::string_view commands) {
  if (commands.empty()) return;
  body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, commands);
}

std::string Picture::Finish(double height) const {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
                     Px(kPictureWidth), Px(height), Escape(label_), body_);
}

std::int64_t ShownBytes(std::int64_t top, std::int64_t capacity) {
  if (top < capacity / 4) return std::max<std::int64_t>(top + top / 4, 64);
  return std::max<std::int64_t>(std::min(std::max(top, capacity), 2 * capacity) + capacity / 8, 64);
}

void ByteAxis(Picture& picture, const Scale& scale) {
  const double height = std::abs(scale.px_end - scale.px_begin);
  const auto end = static_cast<std::int64_t>(scale.domain_end);
  for (const std::int64_t tick : BinaryTicks(end, std::max(1, static_cast<int>(height / 36)))) {
    const double y = scale.At(static_cast<double>(tick));
    picture.Line(tick == 0 ? "axis" : "grid", kLeft, y, kRight, y);
    const std::string label =
        tick >= 4096 && tick % 1024 == 0 ? Grouped(tick / 1024) + " KiB" : Grouped(tick);
    picture.Text("tick", "end", kLeft - 6, y + 3.5, label);
  }
}

void CapacityLine(Picture& picture, const Scale& scale, std::int64_t capacity,
                  const std::string& label) {
  const auto whole = static_cast<double>(capacity);
  if (whole <= scale.domain_end) {
    const double y = scale.At(whole);
    picture.Line("capacity", kLeft, y, kRight, y);
    picture.Text("limit", "end", kRight, y - 5, label);
  } else {
    picture.Text(
        "limit", "end", kRight, scale.px_end - 5,
        fmt::format("{}; shown here: the lowest {}", label, Percent(scale.domain_end / whole)));
  }
}

void TimeAxis(Picture& picture, const Scale& scale, double y,
              const std::vector<std::int64_t>& ticks,
              const std::function<std::string(std::int64_t)>& label, std::string_view name) {
  picture.Line("axis", kLeft, y, kRight, y);
  // The name of the axis stands at the right end; half a label may reach towards it.
  const double free = kRight - 6.0 * static_cast<double>(name.size()) - 34;
  for (const std::int64_t tick : ticks) {
    const double x = scale.At(static_cast<double>(tick));
    picture.Line("axis", x, y, x, y + 4);
    if (x < free) picture.Text("tick", tick == 0 ? "start" : "middle", x, y + 16, label(tick));
  }
  picture.Text("tick", "end", kRight, y + 16, name);
}

std::string StepArea(const std::vector<double>& values, double base, double height) {
  if (std::all_of(values.begin(), values.end(), [](double v) { return v <= 0; })) return {};
  return fmt::format("{}V{}H{}Z", Steps(values, base, height), Px(base), Px(kLeft));
}

std::string StepLine(const std::vector<double>& values, double base, double height) {
  return values.empty() ? std::string() : Steps(values, base, height);
}

std::string Legend(const std::vector<LegendItem>& items) {
  std::string html = "<p class=\"legend\">";
  for (const LegendItem& item : items) {
    html += fmt::format(
        "<span><svg class=\"swatch\" viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect class=\"{}\" "
        "width=\"12\" "
        "height=\"12\"/></svg>{}</span> ",
        item.style, Escape(item.name));
  }
  return html + "</p>\n";
}

}  // namespace spillway::html
