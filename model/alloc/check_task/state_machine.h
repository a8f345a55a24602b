// A program as a machine whose states are the sets of executed events.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

/// What can happen in a state, by the semantics of the operations alone.
/// Source: ts_pipelines.md §7, Semantics.
class StateMachine {
 public:
  StateMachine(const PipelineSystem& system, const Program& program);

  MachineState Start() const;
  /// Every event that can happen next, task by task.
  std::vector<Move> Moves(const MachineState& state) const;
  MachineState After(const MachineState& state, const Move& move) const;
  /// Steps in progress: begun and not over.
  std::vector<std::pair<TaskId, std::uint32_t>> InProgress(const MachineState& state) const;
  /// For each unfinished task the step that it is at.
  std::vector<std::pair<TaskId, std::uint32_t>> Unfinished(const MachineState& state) const;
  /// Whether fill (producer) or drain (consumer) #number of the pipeline is complete.
  bool IsComplete(const MachineState& state, PipelineId pipeline, Side side,
                  std::int64_t number) const;

 private:
  /// A part of a fill or drain: where in its task it stands.
  struct PartPlace {
    std::uint32_t event = 0;  ///< the task's events after which it has happened
    SideKind completion = SideKind::kThread;
    std::uint32_t matrix = 0;    ///< matrix work issued before it
    std::uint32_t transfer = 0;  ///< the transfer's number
  };
  struct TaskPlaces {
    std::vector<std::uint32_t> first_event;    ///< of each step, in program order
    std::vector<std::uint32_t> step_of_event;  ///< by event in program order
    std::vector<std::uint32_t> matrix_steps;
    std::vector<std::uint32_t> transfer_steps;
    std::vector<std::uint32_t> matrix_before;    ///< matrix work in the steps before each step
    std::vector<std::uint32_t> transfer_before;  ///< transfers in the steps before each step
  };
  /// A state taken apart.
  struct TaskState {
    std::uint32_t events = 0;
    std::uint32_t retired = 0;
    std::uint32_t done = 0;               ///< transfers without a gap
    std::span<const std::uint32_t> more;  ///< further ones
    bool IsDone(std::uint32_t transfer) const;
  };

  std::vector<TaskState> Parse(const MachineState& state) const;
  bool IsComplete(const std::vector<TaskState>& tasks, PipelineId pipeline, Side side,
                  std::int64_t number) const;
  bool CanRun(const std::vector<TaskState>& tasks, const Step& step) const;

  const PipelineSystem& system_;
  const Program& program_;
  IdVector<TaskId, TaskPlaces> places_;
  /// [pipeline]: of each contributor its parts by number, parallel to the contributors.
  IdVector<PipelineId, std::vector<std::vector<PartPlace>>> fills_;
  IdVector<PipelineId, std::vector<std::vector<PartPlace>>> drains_;
};

}  // namespace spillway::task
