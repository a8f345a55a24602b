#include "sim/bench/pipelines_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/alloc/check_task/explore_states.h"
#include "model/alloc/check_task/find_clobbers.h"
#include "model/alloc/check_task/find_races.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "sim/bench/pipeline_systems.h"
#include "sim/bench/stopwatch.h"
#include "sim/bench/yardstick_keys.h"

namespace spillway {
namespace {

constexpr std::int64_t kWidePairs = 8;
constexpr std::int64_t kBarEvents = 100'000;
constexpr double kBarSeconds = 2;

/// A system, unrolled, and the best times of the engines on it.
struct Timed {
  std::string name;
  std::size_t family = 0;
  std::int64_t size = 0;    ///< of the suite that it stands for
  std::int64_t states = 0;  ///< that it must have; 0: not explored
  task::PipelineSystem system;
  task::Program program;
  BestTime graph;
  BestTime clocks;
  BestTime races;
  BestTime clobbers;
  BestTime explore;
};

Timed Prepare(std::string name, task::PipelineSystem system) {
  const Result<task::SystemLayout> layout = task::LayOutSystem(system);
  SPILLWAY_CHECK(layout, "the suite's systems have a layout");
  Result<task::Program> program = task::Unroll(system, *layout);
  SPILLWAY_CHECK(program, "the suite's systems unroll");
  Timed timed;
  timed.name = std::move(name);
  timed.system = std::move(system);
  timed.program = std::move(*program);
  return timed;
}

/// Engines 1 and 3, each stage timed.
void RunClocks(Timed& timed) {
  std::optional<task::EventGraph> graph;
  timed.graph.Measure([&] {
    Result<task::EventGraph> built = task::BuildEventGraph(timed.system, timed.program);
    SPILLWAY_CHECK(built, "within the engines' bounds");
    graph = std::move(*built);
  });
  std::optional<task::HappensBefore> order;
  timed.clocks.Measure([&] {
    Result<task::HappensBefore> built = task::HappensBefore::Build(timed.program, *graph);
    SPILLWAY_CHECK(built, "within the engines' bounds");
    order = std::move(*built);
  });
  std::vector<task::AccessGroup> groups;
  std::vector<task::GroupPair> pairs;
  timed.races.Measure([&] {
    groups = task::GroupAccesses(timed.program, order->execution());
    Result<std::vector<task::GroupPair>> overlapping =
        task::OverlappingGroups(timed.program, groups);
    SPILLWAY_CHECK(overlapping, "within the engines' bounds");
    pairs = std::move(*overlapping);
    SPILLWAY_CHECK(task::FindRaces(timed.system, timed.program, *order, groups, pairs).empty(),
                   "the suite's systems have no race");
  });
  timed.clobbers.Measure([&] {
    const Result<task::ReachingWrites> reaching =
        task::FindClobbers(timed.system, timed.program, *order, groups, pairs);
    SPILLWAY_CHECK(reaching && reaching->clobbers.empty() && reaching->uninitialized.empty(),
                   "the suite's systems have no clobber");
  });
}

void RunStates(Timed& timed) {
  timed.explore.Measure([&] {
    const task::Exploration found = task::ExploreStates(timed.system, timed.program);
    SPILLWAY_CHECK(
        found.answer == task::ExplorationAnswer::kSafe && found.states == timed.states,
        fmt::format("{} has {} states, found {}", timed.name, timed.states, found.states));
  });
}

std::vector<Timed> LongSystems(const PipelinesSuiteOptions& options) {
  std::vector<Timed> systems;
  for (const std::int64_t size : options.sizes) {
    const std::int64_t k = std::max<std::int64_t>(1, (size - 10) / 7);
    Timed loop = Prepare("main loop", MainLoopSystem(k, 2));
    SPILLWAY_CHECK(task::EventCount(loop.program) == 7 * k + 10, "events of E3");
    loop.size = size;
    systems.push_back(std::move(loop));
  }
  for (const std::int64_t size : options.sizes) {
    const std::int64_t iterations = std::max<std::int64_t>(1, size / (8 * kWidePairs));
    Timed pairs =
        Prepare(fmt::format("{} pairs", kWidePairs), IndependentPairs(kWidePairs, iterations));
    SPILLWAY_CHECK(task::EventCount(pairs.program) == 8 * kWidePairs * iterations,
                   "events of independent pairs");
    pairs.size = size;
    pairs.family = 1;
    systems.push_back(std::move(pairs));
  }
  return systems;
}

std::vector<Timed> SmallSystems(const PipelinesSuiteOptions& options) {
  std::vector<Timed> systems;
  for (const std::int64_t k : {2, 4, 8}) {
    systems.push_back(Prepare(fmt::format("main loop, K = {}", k), MainLoopSystem(k, 2)));
    systems.back().states = 29 * k + 1;
  }
  std::int64_t states = 1;
  for (std::int64_t n = 1; n <= options.most_pairs; ++n) {
    states *= 33;
    systems.push_back(Prepare(fmt::format("{} independent pair{}", n, n == 1 ? "" : "s"),
                              IndependentPairs(n, 2)));
    systems.back().states = states;
  }
  return systems;
}

ClockFigure FigureOf(const Timed& timed) {
  ClockFigure figure;
  figure.system = timed.name;
  figure.events = task::EventCount(timed.program);
  figure.graph_seconds = timed.graph.seconds();
  figure.clock_seconds = timed.clocks.seconds();
  figure.race_seconds = timed.races.seconds();
  figure.clobber_seconds = timed.clobbers.seconds();
  if (timed.size == kBarEvents) figure.bar_seconds = kBarSeconds;
  return figure;
}

/// Never 0: a loaded machine's clock may show no time at all for a small system.
double EventTime(const ClockFigure& figure) {
  constexpr double kTick = 1e-9;
  return std::max(figure.Seconds(), kTick) / static_cast<double>(figure.events);
}

}  // namespace

PipelinesReport RunPipelinesSuite(const PipelinesSuiteOptions& options) {
  std::vector<Timed> longs = LongSystems(options);
  std::vector<Timed> smalls = SmallSystems(options);
  BestTime yardstick;
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    yardstick.Measure([] {
      std::vector<std::uint64_t> keys = YardstickKeys();
      std::sort(keys.begin(), keys.end());
    });
    for (Timed& timed : longs) RunClocks(timed);
    for (Timed& timed : smalls) {
      RunClocks(timed);
      RunStates(timed);
    }
  }
  PipelinesReport report;
  report.rounds = options.rounds;
  report.yardstick_seconds = yardstick.seconds();
  std::size_t first = 0;
  for (std::size_t i = 0; i < longs.size(); ++i) {
    if (longs[i].family != longs[first].family) first = i;
    report.clocks.push_back(FigureOf(longs[i]));
    report.clocks.back().growth = EventTime(report.clocks.back()) / EventTime(report.clocks[first]);
  }
  for (const Timed& timed : smalls) {
    const ClockFigure clocks = FigureOf(timed);
    report.states.push_back({timed.name, clocks.events, timed.states, timed.explore.seconds(),
                             clocks.Seconds(), clocks.clobber_seconds});
  }
  return report;
}

std::string ToText(const PipelinesReport& report) {
  std::string text = fmt::format(
      "processor time of one thread, best of {} rounds\nyardstick: sorting 1,000,000 keys takes "
      "{:.3f} s\n\nengine 1, happens-before: event graph, clocks, candidates and races; engine 3, "
      "reaching writers, on top\n{:<12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11} {:>13} {:>10} {:>9}\n",
      report.rounds, report.yardstick_seconds, "system", "events", "graph ms", "clocks ms",
      "races ms", "total ms", "M events/s", "x yardstick", "time/event", "engine 3");
  for (const ClockFigure& f : report.clocks) {
    text += fmt::format(
        "{:<12} {:>9} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>11.2f} {:>13.3f} {:>9.2f}x {:>6.3f} "
        "ms{}\n",
        f.system, f.events, 1e3 * f.graph_seconds, 1e3 * f.clock_seconds, 1e3 * f.race_seconds,
        1e3 * f.Seconds(), 1e-6 * static_cast<double>(f.events) / f.Seconds(),
        f.Seconds() / report.yardstick_seconds, f.growth, 1e3 * f.clobber_seconds,
        f.bar_seconds == 0 ? ""
        : f.MeetsBar()     ? fmt::format("  bar {} s", f.bar_seconds)
                           : fmt::format("  MISSES its bar of {} s", f.bar_seconds));
  }
  text += fmt::format(
      "\nengine 2, all states, beside the others on the same systems\n{:<20} {:>7} {:>8} {:>11} "
      "{:>11} {:>13} {:>12} {:>12}\n",
      "system", "events", "states", "states ms", "M states/s", "x yardstick", "engine 1 ms",
      "engine 3 ms");
  for (const StateFigure& f : report.states) {
    text += fmt::format("{:<20} {:>7} {:>8} {:>11.3f} {:>11.2f} {:>13.3f} {:>12.3f} {:>12.3f}\n",
                        f.system, f.events, f.states, 1e3 * f.explore_seconds,
                        1e-6 * static_cast<double>(f.states) / f.explore_seconds,
                        f.explore_seconds / report.yardstick_seconds, 1e3 * f.clock_seconds,
                        1e3 * f.clobber_seconds);
  }
  return text;
}

}  // namespace spillway
