// A run that shows what a report says, as a table of steps.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/alloc/check_task/event_graph.h"
#include "model/alloc/check_task/find_clobbers.h"
#include "model/alloc/check_task/find_races.h"

namespace spillway::task {

/// Free and filled stages of a pipeline, for the task that is furthest ahead on each side.
struct Credits {
  std::int64_t empty = 0;
  std::int64_t full = 0;
  friend bool operator==(const Credits&, const Credits&) = default;
};

/// One operation, or what begins at the same time.
struct WitnessRow {
  std::vector<std::pair<TaskId, std::string>> cells;  ///< what tasks do: "write sp #1 begins"
  std::vector<Credits> credits;                       ///< afterwards, by Witness::pipelines
  /// Afterwards: "Writer write sp #1"; of more than kMaxInProgress some, then "and 7 more".
  std::vector<std::string> in_progress;

  friend bool operator==(const WitnessRow&, const WitnessRow&) = default;
};

/// Rows that a witness keeps: a bound on memory.
inline constexpr std::size_t kMaxWitnessRows = 200;
/// Steps in progress that a row names.
inline constexpr std::size_t kMaxInProgress = 16;
/// Accesses, or pipelines, of one step that a row names.
inline constexpr std::size_t kMaxNamesOfStep = 16;

struct Witness {
  std::vector<TaskId> tasks;          ///< that take part, ascending
  std::vector<PipelineId> pipelines;  ///< that they use, ascending
  std::vector<WitnessRow> rows;       ///< the last kMaxWitnessRows
  std::int64_t skipped_rows = 0;      ///< those before them
  std::int64_t events = 0;            ///< of the whole run: no run that shows the same has fewer

  friend bool operator==(const Witness&, const Witness&) = default;
};

/// A shortest run at whose end both accesses of the race are in progress. Their steps are among
/// those that a row names.
Witness WitnessOf(const PipelineSystem& system, const Program& program, const EventGraph& graph,
                  const Race& race);
/// A shortest run in which the read begins behind the write that it sees.
Witness WitnessOf(const PipelineSystem& system, const Program& program, const EventGraph& graph,
                  const Clobber& clobber);
/// A shortest run at whose end the read begins, before anything has filled what it reads.
Witness WitnessOf(const PipelineSystem& system, const Program& program, const EventGraph& graph,
                  const UninitializedRead& read);
/// The whole run up to the deadlock.
Witness WitnessOfDeadlock(const PipelineSystem& system, const Program& program,
                          const EventGraph& graph);

/// The last `max_rows` rows as the seed's table: step, a column for each task, empty and full
/// credits of each pipeline, what is in progress.
std::string WitnessTable(const PipelineSystem& system, const Witness& witness,
                         std::size_t max_rows);

}  // namespace spillway::task
