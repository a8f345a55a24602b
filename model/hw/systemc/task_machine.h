// Task pipelines played in SystemC: streams of steps, their transfers and matrix units, and the
// barriers or semaphores between them, behind plain C++.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/hw/systemc/arrival_barrier.h"
#include "model/hw/units.h"

namespace spillway {

using TaskStreamId = Id<struct TaskStreamIdTag>;
/// A barrier or a semaphore of the program.
using SyncObjectId = Id<struct SyncObjectIdTag>;

/// What a step waits for: a phase of a barrier, or a value of a semaphore.
struct StreamCondition {
  SyncObjectId object;
  std::int64_t number = 0;  ///< the generation that must be over; the value to reach
};

/// What completes an arrival that a step makes.
enum class ArrivalTime {
  kNow,       ///< the step itself
  kMatrix,    ///< the matrix work that the stream issued before it
  kTransfer,  ///< the transfer that the step issues
};

/// An arrival at a barrier, or an update of a semaphore.
struct StreamArrival {
  SyncObjectId object;
  ArrivalTime time = ArrivalTime::kNow;
  std::uint32_t contributor = 0;  ///< of a barrier
  std::int64_t number = 0;        ///< generation of the barrier; number of the semaphore's part
  std::uint32_t step = 1;         ///< what it adds to a semaphore
  Bytes bytes;                    ///< that a transfer announces to a barrier
  std::uint32_t tag = 0;          ///< what the observer is told
};

enum class StreamStepKind {
  kWait,      ///< goes on when all its conditions hold
  kArrive,    ///< makes its arrivals
  kWork,      ///< keeps the stream busy
  kTransfer,  ///< issues a transfer, which ends on its own: in any order
  kMatrix,    ///< issues matrix work, which retires in the order of issue
};

struct StreamStep {
  StreamStepKind kind = StreamStepKind::kWork;
  std::uint32_t first_condition = 0;
  std::uint32_t condition_count = 0;
  std::uint32_t first_arrival = 0;
  std::uint32_t arrival_count = 0;
  Picoseconds busy;           ///< of the stream; at least 1
  Picoseconds latency;        ///< of a transfer or of matrix work, from its start; at least 1
  Bytes bytes;                ///< that a transfer moves
  std::uint32_t packets = 1;  ///< in which they come, at least 1
};

struct SyncObject {
  bool is_barrier = true;
  std::uint32_t contributors = 0;  ///< of a barrier
};

/// Streams of steps that meet at barriers and semaphores.
struct TaskMachineProgram {
  IdVector<TaskStreamId, std::vector<StreamStep>> streams;
  std::vector<StreamCondition> conditions;
  std::vector<StreamArrival> arrivals;
  IdVector<SyncObjectId, SyncObject> objects;
  Picoseconds wake_latency{1};  ///< from the end of a phase until a waiter goes on; at least 1
};

/// Who does the work of a step.
enum class StreamActor { kStream, kTransfers, kMatrixUnit };

/// Work that ends only when nothing else can happen: one step's, or all of an actor.
struct HeldWork {
  TaskStreamId stream;
  StreamActor actor = StreamActor::kStream;
  std::optional<std::uint32_t> step;
};

struct TaskMachineOptions {
  std::vector<HeldWork> held;
  /// Work and latencies take up to twice as long, each as the seed and the step decide; 0: as
  /// given.
  std::uint64_t jitter_seed = 0;
};

/// Is told what happens, in the order in which it does. Calls are made inside a SystemC process.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  /// The step is executed: a wait goes on, arrivals are made, work begins, work is issued.
  virtual void OnBegin(TaskStreamId stream, std::uint32_t step) = 0;
  /// The work of the step is over: that of the stream, the transfer, the matrix unit.
  virtual void OnEnd(TaskStreamId stream, std::uint32_t step) = 0;
  /// An arrival is complete; `time` says who made it.
  virtual void OnArrival(TaskStreamId stream, std::uint32_t step, std::uint32_t tag,
                         ArrivalTime time) = 0;
  /// A waiter for that phase of a barrier lags two phases.
  virtual void OnSkew(TaskStreamId stream, std::uint32_t step, SyncObjectId barrier) = 0;
};

struct SyncObjectEnd {
  BarrierState barrier;               ///< of a barrier
  std::int64_t value = 0;             ///< of a semaphore
  bool overflown = false;             ///< of a semaphore
  std::vector<TaskStreamId> waiting;  ///< streams that wait for it, ascending
  friend bool operator==(const SyncObjectEnd&, const SyncObjectEnd&) = default;
};

struct TaskMachineRun {
  Picoseconds time;  ///< until the last thing happened
  IdVector<TaskStreamId, std::uint32_t> steps_begun;
  IdVector<SyncObjectId, SyncObjectEnd> objects;
};

/// Streams, each with its transfers and its matrix unit as SystemC processes of their own. They are
/// elaborated with the machine, once per process, and re-armed for every run.
class TaskMachine {
 public:
  static constexpr std::size_t kMaxStreams = 64;

  static TaskMachine& Instance();
  TaskMachine(const TaskMachine&) = delete;
  TaskMachine& operator=(const TaskMachine&) = delete;

  /// Plays `program` until nothing can happen any more: all streams are through, or they are
  /// blocked. Calls from several threads take turns, with `Machine`'s too.
  /// Throws ContractViolation for more than kMaxStreams streams or what the fields forbid; passes
  /// on what `observer` throws.
  TaskMachineRun Run(const TaskMachineProgram& program, TaskObserver& observer,
                     const TaskMachineOptions& options = {});

  /// What runs of this process may still take together: SystemC's clock never goes back.
  Picoseconds TimeLeft() const;

 private:
  TaskMachine() = default;
};

}  // namespace spillway
