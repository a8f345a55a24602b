#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/tool/html_chart.h"
#include "sim/tool/html_memory.h"
#include "sim/tool/html_quadrants.h"
#include "sim/tool/html_text.h"
#include "sim/tool/text_report.h"

namespace spillway::html {
namespace {

// Text of all single rectangles of a kernel together: a browser stays quick with some thousands.
constexpr std::size_t kRectangleText = 1'000'000;
constexpr double kCell = 2;         // side of the cells into which smaller blocks merge, in pixels
constexpr double kGapFrom = 3;      // rectangles of that size leave half a pixel between them
constexpr double kNameHeight = 14;  // of a rectangle that has room for its name
constexpr double kNameWidth = 34;
constexpr double kLetter = 7;  // width of a letter, at most
constexpr std::size_t kNames = 300;
constexpr double kLoopStrip = 7;  // height of the strip of a loop level
constexpr int kLoopLevels = 6;
constexpr std::size_t kLoopsDrawn = 400;

constexpr std::array<std::string_view, kBlockKindCount> kStyles = {"ordinary", "copy", "fixed"};

struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

// Cells of a panel that small blocks touch, as runs along x.
class Cells {
 public:
  Cells(double top, double height)
      : top_(top),
        rows_(static_cast<int>(std::ceil(height / kCell))),
        cells_(static_cast<std::size_t>(rows_ * kAcross)) {}

  void Mark(const Box& box) {
    const auto cell = [](double px) { return static_cast<int>(px / kCell); };
    const int left = std::clamp(cell(box.left - kLeft), 0, kAcross - 1);
    const int right = std::clamp(cell(box.left + box.width - kLeft - 0.01), left, kAcross - 1);
    const int top = std::clamp(cell(box.top - top_), 0, rows_ - 1);
    const int bottom = std::clamp(cell(box.top + box.height - top_ - 0.01), top, rows_ - 1);
    for (int row = top; row <= bottom; ++row) {
      for (int column = left; column <= right; ++column)
        cells_[static_cast<std::size_t>(row * kAcross + column)] = true;
    }
  }

  std::string Path() const {
    std::string path;
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < kAcross; ++column) {
        if (!Marked(row, column)) continue;
        int end = column;
        while (end < kAcross && Marked(row, end)) ++end;
        path += fmt::format("M{} {}h{}", Px(kLeft + column * kCell), Px(top_ + (row + 0.5) * kCell),
                            Px((end - column) * kCell));
        column = end;
      }
    }
    return path;
  }

 private:
  static constexpr int kAcross = static_cast<int>(kDataWidth / kCell);
  bool Marked(int row, int column) const {
    return cells_[static_cast<std::size_t>(row * kAcross + column)];
  }

  double top_;
  int rows_;
  std::vector<bool> cells_;
};

class SbufMapPicture {
 public:
  SbufMapPicture(const KernelRun& run, std::span<const PlacedBlock> blocks)
      : run_(run),
        kernel_(run.allocation->kernel),
        groups_(GroupQuadrants(run, blocks)),
        x_(Across(static_cast<double>(PointCount(run)))),
        picture_("SBUF map: a rectangle per tensor block, program points across, byte offset up") {
    std::int64_t top = 0;
    for (const PlacedBlock& block : blocks) {
      if (block.space == Space::kSbuf) top = std::max(top, block.where.bytes.end.value);
      if (block.space == Space::kSbuf) ++block_count_;
    }
    shown_bytes_ = ShownBytes(top, run.report.sbuf.capacity_bytes.value);
  }

  std::string Draw() {
    double y = DrawLoops(16);
    const double height = groups_.size() == 1 ? 300 : groups_.size() == 2 ? 220 : 150;
    for (const QuadrantGroup& group : groups_) {
      DrawPanel(group, y + 20, height);
      y += height + 30;
    }
    const auto points = static_cast<std::int64_t>(x_.domain_end);
    TimeAxis(picture_, x_, y - 10, RoundTicks(points, 10), Grouped, "point");
    return Caption() + picture_.Finish(y + 12);
  }

 private:
  // Strips above the map: where the loops lie. Returns the y below them.
  double DrawLoops(double y) {
    if (kernel_.loops.empty()) return 0;
    std::vector<std::pair<LoopId, std::size_t>> open;
    std::size_t levels = 0;
    std::size_t drawn = 0;
    picture_.Text("tick", "end", kLeft - 6, y, "loops");
    for (std::size_t p = 0; p < kernel_.body.size() && drawn < kLoopsDrawn; ++p) {
      const BodyItem& item = kernel_.body[p];
      if (item.kind == BodyKind::kLoopBegin) open.emplace_back(item.loop(), p);
      if (item.kind != BodyKind::kLoopEnd || open.empty()) continue;
      const auto [loop, begin] = open.back();
      open.pop_back();
      if (open.size() >= kLoopLevels) continue;
      levels = std::max(levels, open.size() + 1);
      const double left = x_.At(static_cast<double>(begin));
      const double width = std::max(1.0, x_.At(static_cast<double>(p + 1)) - left - 0.5);
      const Loop& info = kernel_.loops[loop];
      picture_.Add(fmt::format(
          "<rect class=\"loop\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>loop {}: {} "
          "to {} step {}, {} iterations\npoints {}–{}</title></rect>\n",
          Px(left), Px(y - 7 + kLoopStrip * static_cast<double>(open.size())), Px(width),
          Px(kLoopStrip - 1), Shortened(info.name), info.begin, info.end, info.step,
          Grouped(TripCount(info)), begin, p));
      ++drawn;
    }
    return y - 7 + kLoopStrip * static_cast<double>(levels);
  }

  void DrawPanel(const QuadrantGroup& group, double top, double height) {
    const Scale y{0, static_cast<double>(shown_bytes_), top + height, top};
    picture_.Text("panel", "start", kLeft, top - 5, GroupName(run_, group));
    ByteAxis(picture_, y);
    struct Drawn {
      const PlacedBlock* block;
      Box box;
    };
    std::vector<Drawn> drawn;
    std::array<Cells, kBlockKindCount> cells{Cells(top, height), Cells(top, height),
                                             Cells(top, height)};
    for (const PlacedBlock* block : group.blocks) {
      const Box box = BoxOf(*block, y);
      if (box.width >= 1 && box.height >= 1) {
        drawn.push_back({block, box});
      } else {
        Merge(*block, box, cells);
      }
    }
    std::stable_sort(drawn.begin(), drawn.end(), [](const Drawn& a, const Drawn& b) {
      return a.box.width * a.box.height > b.box.width * b.box.height;
    });
    const std::size_t budget = kRectangleText / groups_.size();
    std::array<std::string, kBlockKindCount> rectangles;
    std::string names;
    std::size_t used = 0;
    for (const Drawn& one : drawn) {
      if (used >= budget) {
        Merge(*one.block, one.box, cells);
        continue;
      }
      const std::string rectangle = Rectangle(*one.block, one.box);
      used += rectangle.size();
      ++single_;
      rectangles[static_cast<std::size_t>(one.block->kind)] += rectangle;
      names += Name(*one.block, one.box);
    }
    for (std::size_t k = 0; k < kStyles.size(); ++k) {
      picture_.Path(fmt::format("cells {}", kStyles[k]), cells[k].Path());
    }
    for (std::size_t k = 0; k < kStyles.size(); ++k) {
      if (rectangles[k].empty()) continue;
      picture_.Add(fmt::format("<g class=\"{}\">\n{}</g>\n", kStyles[k], rectangles[k]));
    }
    picture_.Add(names);
    const std::int64_t capacity = run_.report.sbuf.capacity_bytes.value;
    CapacityLine(picture_, y, capacity, fmt::format("capacity {}", Grouped(capacity)));
  }

  void Merge(const PlacedBlock& block, const Box& box, std::array<Cells, kBlockKindCount>& cells) {
    cells[static_cast<std::size_t>(block.kind)].Mark(box);
    ++merged_;
  }

  // The block's name in its rectangle, cut to what fits; the largest rectangles come first.
  std::string Name(const PlacedBlock& block, const Box& box) {
    if (box.width < kNameWidth || box.height < kNameHeight || named_ >= kNames) return "";
    ++named_;
    return fmt::format(
        "<text class=\"name\" x=\"{}\" y=\"{}\">{}</text>\n", Px(box.left + 4),
        Px(box.top + box.height / 2 + 4),
        Shortened(BlockName(kernel_, block), static_cast<std::size_t>((box.width - 8) / kLetter)));
  }

  Box BoxOf(const PlacedBlock& block, const Scale& y) const {
    const double left = x_.At(block.life.begin.value);
    const double top = y.At(static_cast<double>(block.where.bytes.end.value));
    return {left, top, x_.At(block.life.end.value) - left,
            y.At(static_cast<double>(block.where.bytes.begin.value)) - top};
  }

  std::string Rectangle(const PlacedBlock& block, const Box& box) const {
    const auto& [partitions, bytes] = block.where;
    return fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}\npartitions {}–{}, bytes "
        "{}–{} ({})\n"
        "points {}–{}</title></rect>\n",
        Px(box.left), Px(box.top), Px(box.width >= kGapFrom ? box.width - 0.5 : box.width),
        Px(box.height >= kGapFrom ? box.height - 0.5 : box.height),
        Shortened(BlockName(kernel_, block), 120), partitions.begin.value, partitions.end.value - 1,
        bytes.begin.value, bytes.end.value - 1, Grouped((bytes.end - bytes.begin).value),
        block.life.begin.value, block.life.end.value - 1);
  }

  std::string Caption() const {
    std::string text = fmt::format("<p class=\"note\">{}", Counted(block_count_, "block"));
    if (groups_.size() > 1) text += ", in every panel that they reach";
    if (merged_ > 0) {
      text += fmt::format(
          "; {} drawn one by one; {} too small or too many for that, merged into pale cells",
          Counted(single_, "rectangle"), Grouped(merged_));
    }
    return text + ".</p>\n";
  }

  const KernelRun& run_;
  const Kernel& kernel_;
  std::vector<QuadrantGroup> groups_;
  Scale x_;
  Picture picture_;
  std::int64_t shown_bytes_ = 0;
  std::int64_t block_count_ = 0;
  std::int64_t single_ = 0;
  std::int64_t merged_ = 0;
  std::size_t named_ = 0;
};

}  // namespace

std::string SbufMap(const KernelRun& run, std::span<const PlacedBlock> blocks) {
  std::array<std::int64_t, kBlockKindCount> counts{};
  for (const PlacedBlock& block : blocks)
    counts[static_cast<std::size_t>(block.kind)] += block.space == Space::kSbuf ? 1 : 0;
  if (counts[0] + counts[1] + counts[2] == 0) return "<p class=\"note\">No tensor in SBUF.</p>\n";
  constexpr std::array<std::string_view, kBlockKindCount> kNames = {
      "placed by the allocator", "working copy of a spilled tensor", "placed by the author"};
  std::vector<LegendItem> legend;
  for (std::size_t k = 0; k < kStyles.size(); ++k) {
    if (counts[k] > 0)
      legend.push_back(
          {std::string(kStyles[k]), fmt::format("{}: {}", kNames[k], Grouped(counts[k]))});
  }
  return Legend(legend) + SbufMapPicture(run, blocks).Draw();
}

}  // namespace spillway::html
