// A run of task pipelines: its barriers and semaphores, who waits for them, what is held back.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <vector>

#include <systemc>

#include "model/hw/systemc/arrival_barrier.h"
#include "model/hw/systemc/counting_semaphore.h"
#include "model/hw/systemc/task_machine.h"

namespace spillway::detail {

class TaskPlay;

/// A SystemC process with one timer that plays what is due.
class TaskProcess : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(TaskProcess);
  explicit TaskProcess(const sc_core::sc_module_name& name);

  /// Lets the process play at `due`, a later instant than now, unless it plays before that already.
  void PlayAt(std::int64_t due);
  /// Nothing of a run may reach the next one.
  void Disarm();
  /// The oldest work that is held back ends.
  virtual void Release() = 0;

 protected:
  virtual void Play(std::int64_t now) = 0;

  /// `actor` is below kActors.
  void ArmAs(TaskPlay& play, TaskStreamId stream, std::uint32_t actor);

  static constexpr std::uint32_t kActors = 3;  ///< of a stream
  TaskPlay* play_ = nullptr;
  TaskStreamId stream_;

 private:
  void OnTimer();

  sc_core::sc_event timer_;
  std::int64_t due_ = -1;
  std::int64_t order_ = 0;  ///< among those that play at one instant
};

/// Where a step's arrival comes from.
struct ArrivalSource {
  TaskStreamId stream;
  std::uint32_t step = 0;
};

class StreamProcess;

/// The state of a run beside its processes.
class TaskPlay {
 public:
  TaskPlay(const TaskMachineProgram& program, TaskObserver& observer,
           const TaskMachineOptions& options);

  const TaskMachineProgram& program() const { return program_; }
  TaskObserver& observer() { return observer_; }

  /// SystemC's ticks in a picosecond of the model. Each process has a tick of its own in it: what
  /// SystemC runs first at one tick depends on what it ran before.
  static constexpr std::int64_t kTicks = 256;

  /// Since the run began, in picoseconds.
  std::int64_t Now() const { return Ticks() / kTicks; }
  std::int64_t Ticks() const;

  bool Holds(const StreamCondition& condition) const;
  /// Tells the observer where the waiter lags two phases.
  void LookForSkew(const StreamCondition& condition, ArrivalSource waiter);
  void WaitFor(SyncObjectId object, StreamProcess& waiter);

  /// The arrival is complete, but for bytes.
  void Arrive(const StreamArrival& arrival, ArrivalSource source);
  /// Bytes of a transfer come.
  void CompleteBytes(const StreamArrival& arrival, ArrivalSource source, Bytes bytes);
  /// A transfer announces its bytes.
  void Announce(const StreamArrival& arrival);

  bool IsHeld(TaskStreamId stream, StreamActor actor, std::uint32_t step) const;
  void Hold(TaskProcess& process) { held_.push_back(&process); }
  /// Ends the oldest held work; false: there is none.
  bool ReleaseOne();

  /// `duration` with the jitter of that step.
  std::int64_t Jittered(Picoseconds duration, TaskStreamId stream, std::uint32_t step,
                        std::uint64_t salt) const;

  void Fail(std::exception_ptr failure) { failure_ = std::move(failure); }
  const std::exception_ptr& failure() const { return failure_; }

  TaskMachineRun End() const;

 private:
  struct Object {
    ArrivalBarrier barrier;
    CountingSemaphore semaphore;
    /// Of a semaphore: parts whose updates wait for those before them.
    std::map<std::int64_t, std::pair<ArrivalSource, const StreamArrival*>> unseen;
    std::vector<StreamProcess*> waiters;
  };

  void Wake(Object& object);

  const TaskMachineProgram& program_;
  TaskObserver& observer_;
  const TaskMachineOptions& options_;
  sc_core::sc_time::value_type origin_;
  std::vector<Object> objects_;
  std::deque<TaskProcess*> held_;
  std::exception_ptr failure_;
};

}  // namespace spillway::detail
