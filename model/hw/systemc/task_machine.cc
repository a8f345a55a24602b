#include "model/hw/systemc/task_machine.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "model/hw/error.h"
#include "model/hw/systemc/detail/elaboration.h"
#include "model/hw/systemc/detail/task_actors.h"
#include "model/hw/systemc/machine.h"

namespace spillway {
namespace detail {
namespace {

/// The processes of one task.
struct Actors {
  explicit Actors(const std::string& name)
      : transfers((name + "_transfers").c_str()),
        matrix((name + "_matrix").c_str()),
        stream(name.c_str(), transfers, matrix) {}

  void Disarm() {
    transfers.Disarm();
    matrix.Disarm();
    stream.Disarm();
  }

  TransferProcess transfers;
  MatrixProcess matrix;
  StreamProcess stream;
};

using AllActors = std::array<std::unique_ptr<Actors>, TaskMachine::kMaxStreams>;

/// Never destroyed, as the machine.
AllActors& TaskActors() {
  static AllActors& actors = *new AllActors();
  return actors;
}

void CheckFields(const TaskMachineProgram& program) {
  SPILLWAY_CHECK(program.streams.size() <= TaskMachine::kMaxStreams,
                 "no more streams than the machine has");
  SPILLWAY_CHECK(program.wake_latency.value > 0, "a waiter goes on behind what it waits for");
  for (const std::vector<StreamStep>& steps : program.streams) {
    for (const StreamStep& step : steps) {
      SPILLWAY_CHECK(step.busy.value > 0 && step.packets > 0, "a step takes time");
      SPILLWAY_CHECK(
          (step.kind != StreamStepKind::kTransfer && step.kind != StreamStepKind::kMatrix) ||
              step.latency.value > 0,
          "work takes time");
    }
  }
}

/// Ends a run also where it throws.
class Armed {
 public:
  Armed(TaskPlay& play, std::size_t streams) : streams_(streams) {
    for (std::size_t s = 0; s < streams_; ++s) {
      Actors& actors = *TaskActors()[s];
      actors.transfers.Arm(play, TaskStreamId(s));
      actors.matrix.Arm(play, TaskStreamId(s));
      actors.stream.Arm(play, TaskStreamId(s));
    }
  }
  ~Armed() {
    for (std::size_t s = 0; s < streams_; ++s) TaskActors()[s]->Disarm();
  }
  Armed(const Armed&) = delete;
  Armed& operator=(const Armed&) = delete;

 private:
  std::size_t streams_;
};

void AddWaiting(const TaskMachineProgram& program, const TaskPlay& play, TaskMachineRun& run) {
  for (std::size_t s = 0; s < program.streams.size(); ++s) {
    const TaskStreamId stream(s);
    const std::uint32_t begun = run.steps_begun[stream];
    if (begun >= program.streams[stream].size()) continue;
    const StreamStep& step = program.streams[stream][begun];
    for (std::uint32_t i = 0; i < step.condition_count; ++i) {
      const StreamCondition& condition = program.conditions[step.first_condition + i];
      std::vector<TaskStreamId>& waiting = run.objects[condition.object].waiting;
      if (!play.Holds(condition) && (waiting.empty() || waiting.back() != stream))
        waiting.push_back(stream);
    }
  }
}

}  // namespace

void ElaborateTaskActors() {
  for (std::size_t s = 0; s < TaskActors().size(); ++s)
    TaskActors()[s] = std::make_unique<Actors>("task" + std::to_string(s));
}

}  // namespace detail

TaskMachine& TaskMachine::Instance() {
  Machine::Instance();  // elaborates
  static TaskMachine* const machine = new TaskMachine();
  return *machine;
}

TaskMachineRun TaskMachine::Run(const TaskMachineProgram& program, TaskObserver& observer,
                                const TaskMachineOptions& options) {
  detail::CheckFields(program);
  const std::lock_guard turn(detail::KernelTurn());
  detail::TaskPlay play(program, observer, options);
  const detail::Armed armed(play, program.streams.size());
  do {
    // What is due is played until nothing is left; held work ends then, one at a time.
    while (!play.failure() && sc_core::sc_pending_activity()) sc_core::sc_start();
  } while (!play.failure() && play.ReleaseOne());
  if (play.failure()) std::rethrow_exception(play.failure());
  TaskMachineRun run = play.End();
  for (std::size_t s = 0; s < program.streams.size(); ++s)
    run.steps_begun.push_back(detail::TaskActors()[s]->stream.steps_begun());
  detail::AddWaiting(program, play, run);
  return run;
}

Picoseconds TaskMachine::TimeLeft() const {
  const std::lock_guard turn(detail::KernelTurn());
  const auto left = sc_core::sc_max_time().value() - sc_core::sc_time_stamp().value();
  return Picoseconds(static_cast<std::int64_t>(
      left / static_cast<sc_core::sc_time::value_type>(detail::TaskPlay::kTicks)));
}

}  // namespace spillway
