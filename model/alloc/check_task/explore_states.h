// Engine 2: every reachable state, breadth first. The oracle beside the clocks of engine 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/alloc/check_task/find_races.h"

namespace spillway::task {

/// `kInconclusive`: a bound was reached before anything was proved.
enum class ExplorationAnswer { kSafe, kUnsafe, kInconclusive };
std::string_view ExplorationAnswerName(ExplorationAnswer answer);

struct ExplorationOptions {
  std::int64_t max_states = 1'000'000;
  /// Numbers that all states may have together: a bound on memory.
  std::int64_t max_numbers = 100'000'000;
  /// Events that can happen, parts of what they wait for, steps in progress and accesses that may
  /// be compared in all states together: a bound on time, counted and not timed.
  std::int64_t max_comparisons = 200'000'000;
};

/// What ended an exploration early.
enum class ExplorationBound { kNone, kStates, kNumbers, kComparisons };

struct Exploration {
  /// Safe: no race and no deadlock in any state. Unsafe: one was found, perhaps before a bound.
  ExplorationAnswer answer = ExplorationAnswer::kInconclusive;
  bool complete = false;  ///< no bound was reached: races and blocked are all there are
  ExplorationBound bound = ExplorationBound::kNone;  ///< the one reached
  std::int64_t states = 0;  ///< distinct reachable sets of executed events, the empty one included
  std::vector<Race> races;  ///< as FindRaces returns them
  /// For each race the fewest events after which both accesses of it are in progress.
  std::vector<std::int64_t> depths;
  /// For each unfinished task of the last state its first step that never happens; where complete.
  std::vector<std::pair<TaskId, std::uint32_t>> blocked;

  friend bool operator==(const Exploration&, const Exploration&) = default;
};

/// Explores `program` without reductions. Knows nothing of event graphs and clocks.
/// Source: ts_pipelines.md §9, engine 2.
Exploration ExploreStates(const PipelineSystem& system, const Program& program,
                          const ExplorationOptions& options = {});

}  // namespace spillway::task
