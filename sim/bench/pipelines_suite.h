// How fast the engines judge task pipelines, and how that grows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spillway {

/// What engine 1 takes for one system: event graph, clocks, candidates and races.
struct ClockFigure {
  std::string system;
  std::int64_t events = 0;
  double graph_seconds = 0;
  double clock_seconds = 0;
  double race_seconds = 0;     ///< pairs that share memory, and races among them
  double clobber_seconds = 0;  ///< engine 3, on engine 1's clocks
  double growth = 0;           ///< time an event by that of the family's smallest system
  double bar_seconds = 0;      ///< most of Seconds(); 0: none

  /// Of engine 1.
  double Seconds() const { return graph_seconds + clock_seconds + race_seconds; }
  bool MeetsBar() const { return bar_seconds == 0 || Seconds() <= bar_seconds; }
};

/// Engine 2 beside the other two on one small system.
struct StateFigure {
  std::string system;
  std::int64_t events = 0;
  std::int64_t states = 0;
  double explore_seconds = 0;
  double clock_seconds = 0;    ///< engine 1, all of it
  double clobber_seconds = 0;  ///< engine 3
};

struct PipelinesReport {
  std::int64_t rounds = 0;
  double yardstick_seconds = 0;  ///< sorting a million fixed keys
  std::vector<ClockFigure> clocks;
  std::vector<StateFigure> states;
};

struct PipelinesSuiteOptions {
  /// Events of engine 1's systems, ascending; each family has one system for each size, of about as
  /// many events.
  std::vector<std::int64_t> sizes = {1'000, 10'000, 100'000, 1'000'000};
  std::int64_t rounds = 5;
  std::int64_t most_pairs = 3;  ///< of the independent pairs that engine 2 explores
};

/// Judges a main loop and eight independent pairs at each size with engines 1 and 3, and small
/// systems with all three. Processor time, best of several rounds that take turns.
/// Throws ContractViolation where a verdict isn't clean or a number of events or states isn't the
/// one that ts_pipelines.md §13 gives.
PipelinesReport RunPipelinesSuite(const PipelinesSuiteOptions& options = {});

/// Tables; figures that don't meet their bar say so.
std::string ToText(const PipelinesReport& report);

}  // namespace spillway
