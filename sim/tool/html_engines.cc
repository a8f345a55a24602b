#include "sim/tool/html_engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/tool/html_chart.h"
#include "sim/tool/html_text.h"
#include "sim/tool/placed_blocks.h"
#include "sim/tool/text_report.h"

namespace spillway::html {
namespace {

constexpr double kBarHeight = 14;
constexpr double kRowHeight = 18;
constexpr double kRowGap = 5;
constexpr std::size_t kSingleInstances = 250;  // in a row; more become a curve

constexpr std::array<std::string_view, kDmaRoleCount> kRoleStyles = {"ordinary", "reload", "save"};
constexpr std::array<std::string_view, kDmaRoleCount> kRoleNames = {"computing, loading, storing",
                                                                    "spill reload", "spill save"};

std::size_t StyleOf(DmaRole role) {
  return role == DmaRole::kReload ? 1 : role == DmaRole::kSave ? 2 : 0;
}

using Span = Interval<Picoseconds>;

// Share of each pixel column during which at least one of `spans` lasts.
std::vector<double> BusyShares(std::vector<Span> spans, std::int64_t end) {
  std::vector<double> busy(static_cast<std::size_t>(kColumns));
  const double column = static_cast<double>(end) / kColumns;
  std::sort(spans.begin(), spans.end());
  std::int64_t done = 0;
  for (const Span& span : spans) {
    const std::int64_t begin = std::max(span.begin.value, done);
    done = std::max(done, span.end.value);
    if (begin >= span.end.value) continue;
    const auto from = static_cast<double>(begin);
    const auto to = static_cast<double>(span.end.value);
    for (int c = std::min(static_cast<int>(from / column), kColumns - 1);
         c < kColumns && column * c < to; ++c) {
      busy[static_cast<std::size_t>(c)] +=
          std::max(0.0, std::min(to, column * (c + 1)) - std::max(from, column * c)) / column;
    }
  }
  return busy;
}

class TimelinePicture {
 public:
  explicit TimelinePicture(const KernelRun& run)
      : run_(run), simulation_(*run.simulation), program_(run.simulation->lowered.program) {
    for (std::size_t i = 0; i < program_.instances().size(); ++i) {
      if (const auto times = TimesOf(simulation_, InstanceId(i)))
        end_ = std::max(end_, times->end.value);
    }
    x_ = Across(static_cast<double>(end_));
  }

  std::string Draw() {
    double y = 4;
    std::size_t curves = 0;
    for (int s = 0; s < kMaxStreams; ++s) {
      const std::span<const InstanceId> instances = program_.StreamOf(StreamId{s});
      if (instances.empty()) continue;
      picture_.Text("tick", "end", kLeft - 6, y + kRowHeight - 5, StreamName(StreamId{s}));
      picture_.Rect("track", kLeft, y, kDataWidth, kRowHeight);
      if (instances.size() <= kSingleInstances) {
        DrawEach(instances, y);
      } else {
        DrawCurve(instances, y);
        ++curves;
      }
      y += kRowHeight + kRowGap;
    }
    TimeAxis(
        picture_, x_, y, RoundTicks(end_, 8),
        [](std::int64_t tick) { return Duration(Picoseconds(tick)); }, "simulated time");
    std::vector<LegendItem> legend;
    for (std::size_t k = 0; k < kRoleStyles.size(); ++k) {
      if (k == 0 || seen_[k])
        legend.push_back({std::string(kRoleStyles[k]), std::string(kRoleNames[k])});
    }
    std::string note;
    if (curves > 0) {
      note = fmt::format(
          "<p class=\"note\">{} {} more than {} instances and {} the busy share of each pixel "
          "column.</p>\n",
          curves, curves == 1 ? "row has" : "rows have", kSingleInstances,
          curves == 1 ? "shows" : "show");
    }
    return Legend(legend) + note + picture_.Finish(y + 22);
  }

 private:
  std::size_t StyleOfInstance(InstanceId id) {
    const std::size_t style =
        program_.instance(id).stream.is_queue() ? StyleOf(program_.TransferOf(id).role) : 0;
    seen_[style] = true;
    return style;
  }

  void DrawEach(std::span<const InstanceId> instances, double y) {
    for (const InstanceId id : instances) {
      const auto times = TimesOf(simulation_, id);
      if (!times) continue;
      const double left = x_.At(static_cast<double>(times->begin.value));
      const double width = x_.At(static_cast<double>(times->end.value)) - left;
      const Instruction& instruction = InstructionOf(run_, id);
      picture_.Add(fmt::format(
          "<rect class=\"{} one\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{} (instance "
          "{})\n{} to {}{}</title></rect>\n",
          kRoleStyles[StyleOfInstance(id)], Px(left), Px(y + 1),
          Px(std::max(1.0, width >= 3 ? width - 0.5 : width)), Px(kRowHeight - 2),
          Shortened(instruction.op, 60), id.value, Duration(times->begin), Duration(times->end),
          instruction.src.empty() ? "" : "\n" + Shortened(instruction.src, 100)));
    }
  }

  void DrawCurve(std::span<const InstanceId> instances, double y) {
    std::array<std::vector<Span>, kDmaRoleCount> spans;
    for (const InstanceId id : instances) {
      if (const auto times = TimesOf(simulation_, id)) spans[StyleOfInstance(id)].push_back(*times);
    }
    for (std::size_t k = 0; k < spans.size(); ++k) {
      picture_.Path(kRoleStyles[k],
                    StepArea(BusyShares(std::move(spans[k]), end_), y + kRowHeight, kRowHeight));
    }
  }

  const KernelRun& run_;
  const SimReport& simulation_;
  const HwProgram& program_;
  std::int64_t end_ = 1;
  Scale x_;
  std::array<bool, kDmaRoleCount> seen_{};
  Picture picture_{"Engines and DMA queues over simulated time"};
};

}  // namespace

std::string EngineBars(const RunReport& report) {
  if (report.engines.empty()) return "";
  Picture picture("Busy share of each engine");
  double y = 2;
  for (const auto& [engine, share] : report.engines) {
    picture.Text("tick", "end", kLeft - 6, y + kBarHeight - 3, engine);
    const double width = (kDataWidth - 60) * std::clamp(share, 0.0, 1.0);
    picture.Rect("track", kLeft, y, kDataWidth - 60, kBarHeight);
    picture.Rect("ordinary", kLeft, y, width, kBarHeight);
    picture.Text("value", "start", kLeft + kDataWidth - 54, y + kBarHeight - 3, Percent(share));
    y += kBarHeight + 5;
  }
  return picture.Finish(y);
}

std::string EngineTimeline(const KernelRun& run) {
  if (!run.simulation || !run.allocation) return "";
  return TimelinePicture(run).Draw();
}

}  // namespace spillway::html
