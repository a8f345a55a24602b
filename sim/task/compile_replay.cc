#include "sim/task/compile_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "model/hw/error.h"
#include "model/hw/fault.h"
#include "sim/task/played_latency.h"

namespace spillway::task {
namespace {

/// Packets that a transfer comes in: enough to show that bytes are counted.
constexpr std::int64_t kMostPackets = 4;

ArrivalTime TimeOf(SideKind completion) {
  switch (completion) {
    case SideKind::kDma: return ArrivalTime::kTransfer;
    case SideKind::kMatrix: return ArrivalTime::kMatrix;
    default: return ArrivalTime::kNow;
  }
}

StreamStepKind KindOf(OperationKind kind) {
  switch (kind) {
    case OperationKind::kAcquire:
    case OperationKind::kWait: return StreamStepKind::kWait;
    case OperationKind::kDma: return StreamStepKind::kTransfer;
    case OperationKind::kMatrix: return StreamStepKind::kMatrix;
    case OperationKind::kAccess: return StreamStepKind::kWork;
    default: return StreamStepKind::kArrive;
  }
}

class Compiler {
 public:
  Compiler(const PipelineSystem& system, const Program& program, const Target& target)
      : system_(system), program_(program), target_(target) {}

  CompiledReplay Compile() {
    TaskMachineProgram& machine = compiled_.machine;
    machine.wake_latency = target_.semaphore_latency.value;
    for (std::size_t t = 0; t < program_.steps.size(); ++t) {
      std::vector<StreamStep> stream;
      stream.reserve(program_.steps[TaskId(t)].size());
      for (const Step& step : program_.steps[TaskId(t)]) stream.push_back(StepOf(TaskId(t), step));
      machine.streams.push_back(std::move(stream));
    }
    return std::move(compiled_);
  }

 private:
  bool Semaphores() const { return system_.barriers == BarrierStorage::kNone; }

  StreamStep StepOf(TaskId task, const Step& step) {
    TaskMachineProgram& machine = compiled_.machine;
    StreamStep its;
    its.kind = KindOf(step.kind);
    its.first_condition = static_cast<std::uint32_t>(machine.conditions.size());
    its.first_arrival = static_cast<std::uint32_t>(machine.arrivals.size());
    const PlayedLatency latency = LatencyOf(program_, step, target_);
    its.busy = latency.busy;
    its.latency = latency.latency;
    its.bytes = latency.bytes;
    its.packets = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
        latency.bytes.value / target_.dma_packet_bytes.value.value, 1, kMostPackets));
    for (std::uint32_t i = 0; i < step.part_count; ++i) {
      const std::uint32_t index = step.first_part + i;
      const SyncPart& part = program_.parts[index];
      if (its.kind == StreamStepKind::kWait) {
        AddConditions(part);
      } else {
        AddArrival(task, part, index, latency.bytes);
      }
    }
    its.condition_count =
        static_cast<std::uint32_t>(machine.conditions.size()) - its.first_condition;
    its.arrival_count = static_cast<std::uint32_t>(machine.arrivals.size()) - its.first_arrival;
    return its;
  }

  void AddConditions(const SyncPart& part) {
    const bool fills = part.kind == OperationKind::kWait;
    const std::int64_t stages = system_.pipelines[part.pipeline].stages;
    const std::int64_t number = fills ? part.number : part.number - stages;
    if (number < 0) return;  // a stage that is free from the start
    const Side side = fills ? Side::kProducer : Side::kConsumer;
    std::vector<StreamCondition>& conditions = compiled_.machine.conditions;
    const std::vector<TaskId>& contributors = ContributorsOf(part.pipeline, side);
    if (!Semaphores() || contributors.empty()) {
      // N80.1 waits for the stage behind the one that it opens.
      const std::int64_t counted =
          SPILLWAY_FAULT(N80, number, fault::IsVariant(1) && fills ? number + 1 : number);
      conditions.push_back({Barrier(part.pipeline, side, counted % stages), number / stages});
      return;
    }
    for (const TaskId contributor : contributors) {
      const std::int64_t each =
          SPILLWAY_FAULT(N81, StepOf(part.pipeline, side, contributor),
                         fault::IsVariant(1) ? SumOfSteps(part.pipeline, side)
                                             : StepOf(part.pipeline, side, contributor));
      conditions.push_back({Semaphore(part.pipeline, side, contributor), (number + 1) * each});
    }
  }

  void AddArrival(TaskId task, const SyncPart& part, std::uint32_t index, Bytes bytes) {
    const Side side = part.kind == OperationKind::kCommit ? Side::kProducer : Side::kConsumer;
    const std::vector<TaskId>& contributors = ContributorsOf(part.pipeline, side);
    const std::int64_t stages = system_.pipelines[part.pipeline].stages;
    StreamArrival arrival;
    arrival.time = TimeOf(part.completion);
    arrival.tag = index;
    if (Semaphores()) {
      arrival.object = Semaphore(part.pipeline, side, task);
      arrival.number = part.number;
      arrival.step = static_cast<std::uint32_t>(StepOf(part.pipeline, side, task));
    } else {
      arrival.object = Barrier(part.pipeline, side, part.number % stages);
      arrival.number = part.number / stages;
      arrival.contributor = static_cast<std::uint32_t>(
          std::lower_bound(contributors.begin(), contributors.end(), task) - contributors.begin());
      arrival.bytes = bytes;
    }
    compiled_.machine.arrivals.push_back(arrival);
  }

  const std::vector<TaskId>& ContributorsOf(PipelineId pipeline, Side side) const {
    const Contributors& contributors = program_.contributors[pipeline];
    return side == Side::kProducer ? contributors.fill : contributors.drain;
  }

  /// What a part of that contributor adds to its semaphore.
  std::int64_t StepOf(PipelineId pipeline, Side side, TaskId contributor) const {
    const auto kind = system_.pipelines[pipeline].Kinds(side).Of(contributor);
    return kind == SideKind::kDma ? target_.dma_completion_increments.value : 1;
  }

  /// What a part of all contributors together adds, if one semaphore counts them.
  [[maybe_unused]] std::int64_t SumOfSteps(PipelineId pipeline, Side side) const {
    std::int64_t sum = 0;
    for (const TaskId contributor : ContributorsOf(pipeline, side))
      sum += StepOf(pipeline, side, contributor);
    return sum;
  }

  SyncObjectId Barrier(PipelineId pipeline, Side side, std::int64_t stage) {
    return Object({pipeline, side, stage, TaskId(), true});
  }
  SyncObjectId Semaphore(PipelineId pipeline, Side side, TaskId contributor) {
    // N81.1 has one semaphore for all contributors.
    const TaskId owner =
        SPILLWAY_FAULT(N81, contributor,
                       fault::IsVariant(1) ? ContributorsOf(pipeline, side).front() : contributor);
    return Object({pipeline, side, 0, owner, false});
  }

  SyncObjectId Object(const SyncPlace& place) {
    const auto [at, is_new] =
        objects_.emplace(std::tuple(place.pipeline, place.side, place.stage, place.contributor),
                         SyncObjectId(compiled_.places.size()));
    if (is_new) {
      compiled_.places.push_back(place);
      const std::size_t count = ContributorsOf(place.pipeline, place.side).size();
      compiled_.machine.objects.push_back(
          {place.is_barrier, place.is_barrier ? static_cast<std::uint32_t>(count) : 0});
    }
    return at->second;
  }

  const PipelineSystem& system_;
  const Program& program_;
  const Target& target_;
  CompiledReplay compiled_;
  std::map<std::tuple<PipelineId, Side, std::int64_t, TaskId>, SyncObjectId> objects_;
};

}  // namespace

CompiledReplay CompileReplay(const PipelineSystem& system, const Program& program,
                             const Target& target) {
  return Compiler(system, program, target).Compile();
}

std::string SyncPlaceName(const PipelineSystem& system, const SyncPlace& place) {
  const std::string& pipeline = system.pipelines[place.pipeline].name;
  const char* const side = place.side == Side::kProducer ? "full" : "empty";
  if (place.is_barrier) return fmt::format("{} {}[{}]", pipeline, side, place.stage);
  return fmt::format("{} {} of {}", pipeline, side, system.tasks[place.contributor].name);
}

}  // namespace spillway::task
