// One run of a program, event by event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/alloc/check_task/event_graph.h"
#include "model/alloc/check_task/program_places.h"

namespace spillway::task {

/// The events of a run so far. The semantics are those of StateMachine, which makes a new state of
/// each event and lists what can follow; this one state changes in place, so that a run of a
/// million events with as many transfers on their way takes as many small steps.
/// Source: ts_pipelines.md §7, Semantics.
class ProgramRun {
 public:
  ProgramRun(const PipelineSystem& system, const Program& program);

  /// Whether the event can be the next one.
  bool CanHappen(const Event& event) const;
  /// It can be.
  void Happen(const Event& event);

  /// Whether fill (producer) or drain (consumer) #number of the pipeline is complete.
  bool IsComplete(PipelineId pipeline, Side side, std::int64_t number) const;
  /// Whether the step has begun and isn't over.
  bool IsInProgress(TaskId task, std::uint32_t step) const;
  std::size_t CountInProgress() const;
  /// The first `most` steps in progress, task by task: its own access, matrix work, transfers.
  std::vector<std::pair<TaskId, std::uint32_t>> InProgress(std::size_t most) const;

 private:
  struct TaskRun {
    std::uint32_t events = 0;   ///< in program order
    std::uint32_t retired = 0;  ///< matrix work
    std::uint32_t done = 0;     ///< transfers
    std::uint32_t done_in_a_row = 0;
    std::vector<bool> is_done;  ///< of each transfer
  };

  /// Steps that have begun: a prefix.
  std::uint32_t BegunSteps(TaskId task) const;
  /// Matrix work or transfers that are issued.
  static std::uint32_t Issued(const std::vector<std::uint32_t>& before,
                              const std::vector<std::uint32_t>& steps, std::uint32_t begun);
  bool CanRun(const Step& step) const;

  const PipelineSystem& system_;
  const Program& program_;
  const ProgramPlaces places_;
  IdVector<TaskId, TaskRun> runs_;
};

}  // namespace spillway::task
