// Engine 1: what happens, and which accesses are ordered, by vector clocks.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/alloc/check_task/event_graph.h"
#include "model/alloc/check_task/execution.h"

namespace spillway::task {

/// Numbers that all clocks of a program may have together: a bound on memory.
inline constexpr std::size_t kMaxClockNumbers = 100'000'000;
/// Numbers of clocks that all edges may join together: a bound on time.
inline constexpr std::size_t kMaxJoinedNumbers = 10'000'000'000;

/// The executable events, and the order of accesses.
///
/// A clock has a component for each task (its events so far), for the matrix unit of each task (its
/// retires so far) and for each task's transfers on each side of each pipeline (parts so far). No
/// operation chooses, so the executable events and their order are unique: one pass is exact.
/// Source: ts_pipelines.md §9, engine 1.
class HappensBefore {
 public:
  /// Errors: limit (kLimit) beyond kMaxClockNumbers or kMaxJoinedNumbers.
  static Result<HappensBefore> Build(const Program& program, const EventGraph& graph);

  const Execution& execution() const { return execution_; }

  /// Whether step `a` of `a_task` is over before step `b` of `b_task` begins, in every run. Both
  /// begin; a transfer that commits and releases nothing is never over for anybody.
  bool EndsBefore(TaskId a_task, std::uint32_t a, TaskId b_task, std::uint32_t b) const;

 private:
  using Component = std::uint32_t;

  HappensBefore(const Program& program, const EventGraph& graph);
  Result<void> Run();
  void Join(TaskId task, EventId source);
  /// Whether `visit` returns true for a component and a value which everybody has who knows that
  /// the step is over; a transfer may have several of them, or none.
  template <class Visit>
  bool AnyMark(TaskId task, std::uint32_t step, const Visit& visit) const;

  const Program* program_;
  const EventGraph* graph_;
  Execution execution_;
  /// Component of [pipeline][side] for each task: parallel to the contributors.
  IdVector<PipelineId, std::array<std::vector<std::pair<TaskId, Component>>, 2>>
      transfer_components_;
  std::size_t components_ = 0;
  /// Of events in a task's order, counted from 1; of a completion: its issue's.
  IdVector<EventId, std::uint32_t> position_;
  /// Of matrix work: its number in its task, counted from 1.
  IdVector<EventId, std::uint32_t> retire_number_;
  /// A task's clock changes, but for its own component, where it waits: one clock for each time.
  std::vector<std::vector<std::uint32_t>> clocks_;
  IdVector<EventId, std::uint32_t> clock_of_;  ///< index into clocks_; of a completion: its issue's
  IdVector<TaskId, std::vector<std::uint32_t>> now_;
};

}  // namespace spillway::task
