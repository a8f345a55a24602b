#include "sim/tool/html_pipeline_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/alloc/task/capacities.h"
#include "sim/tool/broken_scale.h"
#include "sim/tool/html_chart.h"
#include "sim/tool/html_text.h"
#include "sim/tool/text_report.h"

namespace spillway::html {
namespace {

constexpr std::size_t kBoxesDrawn = 100;
constexpr std::size_t kLanesDrawn = 24;
constexpr std::size_t kRacesDrawn = 9;
constexpr std::int64_t kSharedDrawn = 300;
constexpr double kPieceHeight = 70;       // of the data, for each piece between marks, up to
constexpr double kHeight = 300;           // of the data, where every piece has room in proportion
constexpr double kTextRow = 18;           // a line of text with air
constexpr double kMark = 14;              // width of a race's mark
constexpr double kLetter = 7;             // width of a letter, at most
constexpr double kLeastCut = 3;           // pixels between two lines of stages
constexpr std::size_t kLeastLetters = 8;  // of a name that is cut short

constexpr std::array<std::string_view, 4> kStyles = {"ordinary", "copy", "fixed", "save"};
constexpr std::array<std::string_view, 4> kNames = {"placed by the layout", "in an alias group",
                                                    "placed by the author", "barriers"};

std::string_view StyleOf(const MemoryBox& box) {
  return kStyles[static_cast<std::size_t>(box.kind)];
}

std::string RangeText(std::int64_t begin, std::int64_t end) {
  return fmt::format("[{}, {})", Grouped(begin), Grouped(end));
}

std::string TooltipOf(const MemoryBox& box, task::MemorySpace space) {
  std::string text =
      fmt::format("{}\n{} {} {}, {} in all", Shortened(box.name, 120), task::MemorySpaceName(space),
                  space == task::MemorySpace::kTmem ? "columns" : "bytes",
                  RangeText(box.begin, box.end), Grouped(box.size()));
  if (space != task::MemorySpace::kSmem) {
    text += fmt::format("\n{} [{}, {})", space == task::MemorySpace::kTmem ? "lanes" : "partitions",
                        box.partitions.begin.value, box.partitions.end.value);
  }
  if (box.kind == MemoryBoxKind::kAliased) {
    text +=
        fmt::format("\nalias group {}, phase {} of {}", box.group + 1, box.phase + 1, box.phases);
  }
  if (!box.resources.empty()) {
    text += "\nresources ";
    constexpr std::size_t kMost = 4;
    for (std::size_t i = 0; i < std::min(box.resources.size(), kMost); ++i)
      text += (i == 0 ? "" : ", ") + Shortened(box.resources[i], 60);
    if (box.resources.size() > kMost) text += fmt::format(", … {} in all", box.resources.size());
  }
  return text;
}

/// What a box of `width` has room for: all of it, the name alone, the name cut short, or the number
/// of the phase.
std::string LabelOf(const MemoryBox& box, task::MemorySpace space, double width) {
  const auto letters = static_cast<std::size_t>(std::max(0.0, width - 10) / kLetter);
  std::string text = fmt::format("{}: {} {}", box.name, Grouped(box.size()), task::UnitName(space));
  if (!box.cuts.empty() && box.resources.size() == 1)
    text += fmt::format(", {} stages", box.cuts.size() + 1);
  if (box.kind == MemoryBoxKind::kAliased) text += fmt::format(", phase {}", box.phase + 1);
  if (text.size() <= letters) return Escape(text);
  if (box.name.size() <= letters) return Escape(box.name);
  if (letters >= kLeastLetters) return Shortened(box.name, letters - 1);
  return box.kind == MemoryBoxKind::kAliased && letters >= 3 ? std::to_string(box.phase + 1) : "";
}

/// The boxes that a picture draws: the lowest ones.
std::vector<MemoryBox> Drawn(const PipelineReport& report, task::MemorySpace space) {
  std::vector<MemoryBox> boxes = MemoryBoxes(report, space);
  if (boxes.size() > kBoxesDrawn) boxes.resize(kBoxesDrawn);
  return boxes;
}

/// The vertical axis of both pictures: `rows` lines of text over each box.
BrokenScale ScaleOf(const std::vector<MemoryBox>& boxes, const std::vector<std::int64_t>& others,
                    bool stacked, double top) {
  std::vector<std::int64_t> marks = {0};
  for (const MemoryBox& box : boxes) {
    marks.push_back(box.begin);
    marks.push_back(box.end);
  }
  const std::int64_t last = *std::max_element(marks.begin(), marks.end());
  for (const std::int64_t place : others) {
    if (place > 0 && place < last) marks.push_back(place);
  }
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  std::vector<double> least(marks.size() - 1, kTextRow);
  if (stacked) {
    for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
      const auto over = std::count_if(boxes.begin(), boxes.end(), [&](const MemoryBox& box) {
        return box.begin <= marks[i] && marks[i + 1] <= box.end;
      });
      least[i] = kTextRow * static_cast<double>(std::max<std::ptrdiff_t>(1, over));
    }
  }
  const double height = std::min(kHeight, kPieceHeight * static_cast<double>(least.size()));
  return {std::move(marks), least, height, top};
}

void OffsetAxis(Picture& picture, const BrokenScale& y, double right) {
  for (const std::int64_t mark : y.marks()) {
    picture.Line(mark == 0 ? "axis" : "grid", kLeft, y.At(mark), right, y.At(mark));
    picture.Text("tick", "end", kLeft - 6, y.At(mark) + 3.5, Grouped(mark));
  }
}

std::string Box(const MemoryBox& box, task::MemorySpace space, double left, double width,
                const BrokenScale& y) {
  return fmt::format(
      "<rect class=\"{} box\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title>"
      "</rect>\n",
      StyleOf(box), Px(left), Px(y.At(box.end) + 0.5), Px(width - 1),
      Px(y.At(box.begin) - y.At(box.end) - 1), TooltipOf(box, space));
}

/// In which of how many columns a box stands.
struct Lane {
  std::size_t lane = 0;
  std::size_t lanes = 1;
};

/// Phases of a group side by side; fixed boxes that meet side by side; all others alone.
std::vector<Lane> Lanes(const std::vector<MemoryBox>& boxes) {
  std::vector<Lane> lanes(boxes.size());
  std::vector<std::int64_t> ends;  // by lane of the fixed boxes that meet
  std::size_t first = 0;           // of them
  std::int64_t end = 0;
  const auto close = [&](std::size_t behind) {
    for (std::size_t i = first; i < behind; ++i) {
      if (boxes[i].kind == MemoryBoxKind::kFixed) lanes[i].lanes = ends.size();
    }
    ends.clear();
    first = behind;
  };
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const MemoryBox& box = boxes[i];
    if (box.kind == MemoryBoxKind::kAliased) lanes[i] = {box.phase, box.phases};
    if (box.kind != MemoryBoxKind::kFixed) continue;
    if (box.begin >= end) close(i);
    const auto free = std::find_if(ends.begin(), ends.end(),
                                   [&](std::int64_t lane_end) { return lane_end <= box.begin; });
    lanes[i].lane = static_cast<std::size_t>(free - ends.begin());
    if (free == ends.end()) ends.push_back(0);
    ends[lanes[i].lane] = box.end;
    end = std::max(end, box.end);
  }
  close(boxes.size());
  return lanes;
}

/// A range of the space that two accesses touch at the same time, and the races that say so.
struct RaceMark {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<std::size_t> races;
};

std::vector<RaceMark> RaceMarks(const PipelineReport& report, task::MemorySpace space) {
  std::vector<RaceMark> marks;
  if (!report.verdict) return marks;
  for (std::size_t i = 0; i < report.verdict->races.size(); ++i) {
    const task::Race& race = report.verdict->races[i];
    if (race.space != space) continue;
    const std::int64_t begin = race.range.begin.value;
    const std::int64_t end = race.range.end.value;
    const auto same = std::find_if(marks.begin(), marks.end(), [&](const RaceMark& mark) {
      return mark.begin == begin && mark.end == end;
    });
    if (same != marks.end()) {
      same->races.push_back(i);
    } else if (marks.size() < kRacesDrawn) {
      marks.push_back({begin, end, {i}});
    }
  }
  return marks;
}

void DrawRaces(Picture& picture, const PipelineReport& report, const std::vector<RaceMark>& marks,
               const BrokenScale& y, double left) {
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const double x = left + static_cast<double>(i) * kMark;
    std::string tooltip;
    constexpr std::size_t kMost = 5;
    for (std::size_t k = 0; k < std::min(marks[i].races.size(), kMost); ++k) {
      const task::Race& race = report.verdict->races[marks[i].races[k]];
      tooltip += fmt::format("{}{}: {} and {}", k == 0 ? "" : "\n", RaceLabel(marks[i].races[k]),
                             Shortened(task::TextOf(*report.system, race.a), 80),
                             Shortened(task::TextOf(*report.system, race.b), 80));
    }
    if (marks[i].races.size() > kMost)
      tooltip += fmt::format("\n… {} in all", marks[i].races.size());
    const double top = y.At(marks[i].end);
    picture.Add(fmt::format(
        "<rect class=\"race\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title>"
        "</rect>\n",
        Px(x), Px(top), Px(kMark - 3), Px(y.At(marks[i].begin) - top), tooltip));
  }
}

/// "touched by races 1, 3".
std::string RacesText(const std::vector<RaceMark>& marks) {
  std::vector<std::size_t> races;
  for (const RaceMark& mark : marks)
    races.insert(races.end(), mark.races.begin(), mark.races.end());
  std::sort(races.begin(), races.end());
  std::string text = races.size() == 1 ? "touched by race " : "touched by races ";
  constexpr std::size_t kMost = 8;
  for (std::size_t i = 0; i < std::min(races.size(), kMost); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", races[i] + 1);
  return races.size() > kMost ? text + ", …" : text;
}

std::string LegendOf(const std::vector<MemoryBox>& boxes, const std::vector<RaceMark>& races) {
  std::array<std::int64_t, kNames.size()> counts{};
  for (const MemoryBox& box : boxes) ++counts[static_cast<std::size_t>(box.kind)];
  std::vector<LegendItem> items;
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    if (counts[k] > 0)
      items.push_back({std::string(kStyles[k]), fmt::format("{}: {}", kNames[k], counts[k])});
  }
  if (!races.empty()) items.push_back({"race", RacesText(races)});
  return Legend(items);
}

std::string Note(const std::string& text) {
  return text.empty() ? text : fmt::format("<p class=\"note\">{}</p>\n", text);
}

/// A label in a box; `text` is markup.
std::string Name(const std::string& text, double left, double y) {
  if (text.empty()) return text;
  return fmt::format("<text class=\"name\" x=\"{}\" y=\"{}\">{}</text>\n", Px(left + 5), Px(y),
                     text);
}

}  // namespace

std::string RaceLabel(std::size_t index) { return fmt::format("race {}", index + 1); }

std::string LayoutMap(const PipelineReport& report, task::MemorySpace space) {
  const std::vector<MemoryBox> all = MemoryBoxes(report, space);
  if (all.empty()) return "";
  const std::vector<MemoryBox> boxes = Drawn(report, space);
  const std::vector<Lane> lanes = Lanes(boxes);
  const std::vector<RaceMark> races = RaceMarks(report, space);
  std::vector<std::int64_t> others;
  for (const RaceMark& race : races) others.insert(others.end(), {race.begin, race.end});
  const double right = kRight - (races.empty() ? 0 : static_cast<double>(races.size()) * kMark + 6);
  Picture picture(fmt::format("Map of {}: offsets up, a box for each allocation",
                              task::MemorySpaceName(space)));
  const BrokenScale y = ScaleOf(boxes, others, false, 10);
  picture.Rect("track", kLeft, y.top(), right - kLeft, y.bottom() - y.top());
  OffsetAxis(picture, y, right);
  std::size_t missing = all.size() - boxes.size();
  std::string names;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const MemoryBox& box = boxes[i];
    if (lanes[i].lane >= kLanesDrawn) {
      ++missing;
      continue;
    }
    const double width =
        (right - kLeft) / static_cast<double>(std::min(lanes[i].lanes, kLanesDrawn));
    const double left = kLeft + width * static_cast<double>(lanes[i].lane);
    picture.Add(Box(box, space, left, width, y));
    double last = y.At(box.begin);
    for (const std::int64_t cut : box.cuts) {
      if (last - y.At(cut) < kLeastCut) continue;
      last = y.At(cut);
      picture.Line("cut", left, last, left + width - 1, last);
    }
    // In the middle, but not on a line between two stages.
    double middle = (y.At(box.begin) + y.At(box.end)) / 2;
    for (const std::int64_t cut : box.cuts) {
      if (std::abs(y.At(cut) - middle) < kTextRow / 2) middle = y.At(cut) - kTextRow / 2;
    }
    if (y.At(box.begin) - y.At(box.end) < 2 * kTextRow)
      middle = (y.At(box.begin) + y.At(box.end)) / 2;
    names += Name(LabelOf(box, space, width), left, middle + 4);
  }
  picture.Add(names);
  DrawRaces(picture, report, races, y, right + 6);
  std::string note = fmt::format("Offsets in {}, from the bottom up.",
                                 space == task::MemorySpace::kTmem ? "columns" : "bytes");
  if (y.is_broken())
    note += " Pieces that would be too thin to read are drawn higher than to scale.";
  if (missing > 0)
    note += fmt::format(" {} more not drawn; see the table below.",
                        Grouped(static_cast<std::int64_t>(missing)));
  return LegendOf(boxes, races) + picture.Finish(y.bottom() + 12) + Note(note);
}

std::string PartitionMap(const PipelineReport& report, task::MemorySpace space) {
  const auto count = task::PartitionsOf(space).value;
  const Interval<Partition> whole{Partition(0), Partition(count)};
  const std::vector<MemoryBox> boxes = Drawn(report, space);
  if (std::all_of(boxes.begin(), boxes.end(),
                  [&](const MemoryBox& box) { return box.partitions == whole; }))
    return "";
  const std::string_view noun = space == task::MemorySpace::kTmem ? "lane" : "partition";
  Picture picture(
      fmt::format("Map of {}: {}s across, offsets up", task::MemorySpaceName(space), noun));
  const BrokenScale y = ScaleOf(boxes, {}, true, 10);
  const Scale x = Across(static_cast<double>(count));
  const auto across = [&](const MemoryBox& box) {
    return std::pair(x.At(static_cast<double>(box.partitions.begin.value)),
                     x.At(static_cast<double>(box.partitions.end.value)));
  };
  picture.Rect("track", kLeft, y.top(), kRight - kLeft, y.bottom() - y.top());
  OffsetAxis(picture, y, kRight);
  std::int64_t shared = 0;
  std::string crossings;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const auto [left, right] = across(boxes[i]);
    picture.Add(Box(boxes[i], space, left, right - left, y));
    for (std::size_t k = 0; k < i; ++k) {
      const std::int64_t begin = std::max(boxes[i].begin, boxes[k].begin);
      const std::int64_t end = std::min(boxes[i].end, boxes[k].end);
      if (begin >= end || !Overlap(boxes[i].partitions, boxes[k].partitions)) continue;
      if (++shared > kSharedDrawn) continue;
      const double from = std::max(left, across(boxes[k]).first);
      const double to = std::min(right, across(boxes[k]).second);
      crossings += fmt::format(
          "<rect class=\"shared\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{} and {} "
          "share {} here</title></rect>\n",
          Px(from), Px(y.At(end) + 0.5), Px(to - from - 1), Px(y.At(begin) - y.At(end) - 1),
          Shortened(boxes[k].name, 60), Shortened(boxes[i].name, 60), RangeText(begin, end));
    }
  }
  picture.Add(crossings);
  // The rows of text that are taken, by pixel row: where, from and to.
  std::vector<std::array<double, 3>> taken;
  for (const MemoryBox& box : boxes) {
    const auto [left, right] = across(box);
    for (double row = y.At(box.end) + 13; row + 4 <= y.At(box.begin); row += 4) {
      const double from = left;
      const double to = right;
      const bool is_free = std::none_of(taken.begin(), taken.end(), [&](const auto& other) {
        return std::abs(other[0] - row) < kTextRow - 4 && other[1] < to && from < other[2];
      });
      if (!is_free) continue;
      picture.Add(Name(LabelOf(box, space, right - left), left, row));
      taken.push_back({row, from, to});
      break;
    }
  }
  TimeAxis(picture, x, y.bottom() + 4, BinaryTicks(count, 8), Grouped, noun);
  std::vector<LegendItem> items;
  if (shared > 0) items.push_back({"shared", "shared by two boxes"});
  return (items.empty() ? "" : Legend(items)) + picture.Finish(y.bottom() + 26);
}

}  // namespace spillway::html
