// A program as a machine whose states are the sets of executed events.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/alloc/check_task/program_places.h"
#include "model/alloc/task/program.h"

namespace spillway::task {

/// A set of executed events, for each task in turn: its events in program order so far, its retires
/// so far, its transfers that are done without a gap from the first one, then how many more are
/// done, and which, ascending.
using MachineState = std::vector<std::uint32_t>;

enum class MoveKind { kTask, kRetire, kDone };

/// One event that can happen in a state.
struct Move {
  MoveKind kind = MoveKind::kTask;
  TaskId task;
  std::uint32_t step = 0;
  bool begins = false;  ///< the step's first event, of a step with accesses
};

/// Every event that can happen next, task by task.
struct Moves {
  std::vector<Move> list;
  std::int64_t looks = 0;  ///< parts of fills and drains that it took to find them
};

/// What can happen in a state, by the semantics of the operations alone.
/// Source: ts_pipelines.md §7, Semantics.
class StateMachine {
 public:
  StateMachine(const PipelineSystem& system, const Program& program);

  MachineState Start() const;
  Moves MovesIn(const MachineState& state) const;
  MachineState After(const MachineState& state, const Move& move) const;
  /// Steps in progress: begun and not over.
  std::vector<std::pair<TaskId, std::uint32_t>> InProgress(const MachineState& state) const;
  /// For each unfinished task the step that it is at.
  std::vector<std::pair<TaskId, std::uint32_t>> Unfinished(const MachineState& state) const;

 private:
  /// A state taken apart.
  struct TaskState {
    std::uint32_t events = 0;
    std::uint32_t retired = 0;
    std::uint32_t done = 0;               ///< transfers without a gap
    std::span<const std::uint32_t> more;  ///< further ones
    bool IsDone(std::uint32_t transfer) const;
  };

  std::vector<TaskState> Parse(const MachineState& state) const;
  /// An answer, and the parts of fills and drains that were looked at.
  struct Looked {
    bool holds = true;
    std::int64_t looks = 0;
  };

  Looked IsComplete(const std::vector<TaskState>& tasks, PipelineId pipeline, Side side,
                    std::int64_t number) const;
  Looked CanRun(const std::vector<TaskState>& tasks, const Step& step) const;

  const PipelineSystem& system_;
  const Program& program_;
  const ProgramPlaces places_;
};

}  // namespace spillway::task
