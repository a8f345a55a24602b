// Vector clocks that travel with the barriers of a replay.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "model/alloc/task/program.h"

namespace spillway::task {

/// A part that a waiter was let past without.
struct MissingPart {
  SyncPart waiter;
  std::int64_t number = 0;  ///< of the fill or drain
  friend bool operator==(const MissingPart&, const MissingPart&) = default;
};

/// A waiter that may find its barrier two phases ahead: its parity is then the old one again.
struct LaggingWait {
  PipelineId pipeline;
  Side side = Side::kProducer;  ///< kProducer: waits for fills
  TaskId task;
  std::int64_t number = 0;  ///< of the first fill or drain that it may be late for
  friend bool operator==(const LaggingWait&, const LaggingWait&) = default;
};

/// What each task knows of the others while a program is played. A component for each task (its
/// events), for each task's matrix unit (what has retired), and for each task's transfers on each
/// side of each pipeline (parts that have completed): an actor that works on its own has a clock of
/// its own, so that its end is known only to who waited for it. A barrier's phase joins the clocks
/// of those that arrive, a wait joins the phase's clock and none of later phases.
/// Source: ts_pipelines.md §9, engines 1 (components) and 4.
class ActorClocks {
 public:
  ActorClocks(const PipelineSystem& system, const Program& program);

  /// The step is executed or begins. Ends nothing.
  void Begin(TaskId task, std::uint32_t step);
  /// Its work is over.
  void End(TaskId task, std::uint32_t step);
  /// Its part, an index into Program::parts, is complete. `carrier` made the arrival: the task
  /// itself, its matrix unit, or the transfer; it carries nobody else's clock.
  void Arrive(TaskId task, std::uint32_t step, std::uint32_t part, SideKind carrier);

  /// Whether `task` knows now that the step's work is over. A transfer that completes no part is
  /// never over for anybody.
  bool IsOver(TaskId task, TaskId other, std::uint32_t step) const;

  /// Waits that went on although a part was missing: never, unless barriers are wrong.
  const std::vector<MissingPart>& missing() const { return missing_; }
  /// For each pipeline, side and task the first, in that order. Meaningless for semaphores.
  std::vector<LaggingWait> Lagging() const;

  /// Numbers in a clock.
  std::size_t components() const { return components_; }

 private:
  using Clock = std::vector<std::uint32_t>;

  /// A fill or a drain.
  struct Phase {
    Clock clock;  ///< kept while somebody will wait for it
    std::size_t arrived = 0;
    std::size_t waiters = 0;  ///< tasks that still have to wait for it
  };
  /// One side of a pipeline.
  struct Ring {
    std::size_t contributors = 0;
    std::vector<Phase> phases;                                 ///< by number
    std::vector<std::pair<TaskId, std::uint32_t>> components;  ///< of transfers
    /// The task's position at each of its waits so far, by number.
    std::map<TaskId, std::vector<std::uint32_t>> waits;
  };
  /// An arrival that isn't complete when its step is executed.
  struct Deferred {
    Clock clock;
    std::size_t left = 0;
  };

  static std::size_t SideOf(OperationKind kind);
  Ring& RingOf(const SyncPart& part) { return rings_[part.pipeline][SideOf(part.kind)]; }
  static void JoinInto(Clock& clock, const Clock& other);
  /// The fill or drain that the part waits for; negative: none.
  std::int64_t AwaitedBy(const SyncPart& part) const;
  void Wait(TaskId task, const SyncPart& part);
  void LookForLag(const SyncPart& part, std::int64_t number);
  void MarkLag(PipelineId pipeline, std::size_t side, TaskId task, std::int64_t number);
  /// Marks in `clock` that the transfer's parts have completed.
  void MarkTransfer(Clock& clock, TaskId task, std::uint32_t step) const;

  const PipelineSystem& system_;
  const Program& program_;
  std::size_t components_ = 0;
  IdVector<TaskId, Clock> clocks_;
  IdVector<TaskId, std::uint32_t> retired_;
  IdVector<PipelineId, std::array<Ring, 2>> rings_;
  /// By step: what everybody has who knows that its work is over. Of a synchronous access the
  /// task's events, of matrix work the retires.
  IdVector<TaskId, std::vector<std::uint32_t>> ends_;
  std::map<std::pair<TaskId, std::uint32_t>, Deferred> deferred_;
  std::vector<MissingPart> missing_;
  std::map<std::tuple<PipelineId, std::size_t, TaskId>, std::int64_t> lagging_;
};

}  // namespace spillway::task
