#include "sim/task/actor_clocks.h"

#include <algorithm>

namespace spillway::task {

std::size_t ActorClocks::SideOf(OperationKind kind) {
  return kind == OperationKind::kCommit || kind == OperationKind::kWait ? 0 : 1;
}

ActorClocks::ActorClocks(const PipelineSystem& system, const Program& program)
    : system_(system),
      program_(program),
      components_(2 * program.steps.size()),
      retired_(program.steps.size(), 0),
      rings_(program.contributors.size()) {
  for (std::size_t p = 0; p < rings_.size(); ++p) {
    const Contributors& contributors = program.contributors[PipelineId(p)];
    rings_[PipelineId(p)][0].contributors = contributors.fill.size();
    rings_[PipelineId(p)][1].contributors = contributors.drain.size();
  }
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    const TaskId task(t);
    std::vector<std::uint32_t> ends;
    std::uint32_t events = 0;
    std::uint32_t retires = 0;
    for (const Step& step : program.steps[task]) {
      events += step.kind == OperationKind::kAccess ? 2 : 1;
      ends.push_back(step.kind == OperationKind::kMatrix ? ++retires : events);
      for (const SyncPart& part : program.PartsOf(step)) {
        Ring& ring = RingOf(part);
        const std::int64_t awaited = AwaitedBy(part);
        const bool waits =
            part.kind == OperationKind::kWait || part.kind == OperationKind::kAcquire;
        const std::int64_t number = waits ? awaited : part.number;
        if (number < 0) continue;
        if (ring.phases.size() <= static_cast<std::size_t>(number))
          ring.phases.resize(static_cast<std::size_t>(number) + 1);
        if (waits) ++ring.phases[static_cast<std::size_t>(number)].waiters;
        if (step.kind == OperationKind::kDma &&
            (ring.components.empty() || ring.components.back().first != task))
          ring.components.emplace_back(task, static_cast<std::uint32_t>(components_++));
      }
    }
    ends_.push_back(std::move(ends));
  }
  clocks_ = IdVector<TaskId, Clock>(program.steps.size(), Clock(components_, 0));
}

void ActorClocks::JoinInto(Clock& clock, const Clock& other) {
  if (clock.empty()) {
    clock = other;
    return;
  }
  for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

void ActorClocks::Begin(TaskId task, std::uint32_t step) {
  const Step& its = program_.steps[task][step];
  Clock& clock = clocks_[task];
  ++clock[task.value];
  bool defers = its.kind == OperationKind::kDma && its.part_count > 0;
  for (const SyncPart& part : program_.PartsOf(its)) {
    if (part.kind == OperationKind::kWait || part.kind == OperationKind::kAcquire) Wait(task, part);
    defers = defers || part.completion == SideKind::kMatrix;
  }
  if (defers) deferred_[{task, step}] = {clock, its.part_count};
}

std::int64_t ActorClocks::AwaitedBy(const SyncPart& part) const {
  return part.kind == OperationKind::kAcquire
             ? part.number - system_.pipelines[part.pipeline].stages
             : part.number;
}

void ActorClocks::Wait(TaskId task, const SyncPart& part) {
  const std::int64_t number = AwaitedBy(part);
  if (number < 0) return;
  Ring& ring = RingOf(part);
  ring.waits[task].push_back(clocks_[task][task.value]);
  const auto at = static_cast<std::size_t>(number);
  Phase& phase = ring.phases[at];
  if (ring.contributors == 0 || phase.arrived < ring.contributors)
    missing_.push_back({part, number});
  if (!phase.clock.empty()) JoinInto(clocks_[task], phase.clock);
  if (--phase.waiters == 0) phase.clock = {};
  const auto next = at + static_cast<std::size_t>(system_.pipelines[part.pipeline].stages);
  if (next < ring.phases.size() && ring.phases[next].arrived >= ring.contributors)
    MarkLag(part.pipeline, SideOf(part.kind), task, number);
}

void ActorClocks::End(TaskId task, std::uint32_t step) {
  switch (program_.steps[task][step].kind) {
    case OperationKind::kAccess: ++clocks_[task][task.value]; break;
    case OperationKind::kMatrix: ++retired_[task]; break;
    default: break;
  }
}

void ActorClocks::MarkTransfer(Clock& clock, TaskId task, std::uint32_t step) const {
  for (const SyncPart& part : program_.PartsOf(program_.steps[task][step])) {
    for (const auto& [owner, component] : rings_[part.pipeline][SideOf(part.kind)].components) {
      if (owner == task)
        clock[component] = std::max(clock[component], static_cast<std::uint32_t>(part.number + 1));
    }
  }
}

void ActorClocks::Arrive(TaskId task, std::uint32_t step, std::uint32_t part_index,
                         SideKind carrier) {
  const SyncPart& part = program_.parts[part_index];
  Ring& ring = RingOf(part);
  Phase& phase = ring.phases[static_cast<std::size_t>(part.number)];
  ++phase.arrived;
  const auto deferred = deferred_.find({task, step});
  if (deferred == deferred_.end()) {
    JoinInto(phase.clock, clocks_[task]);
  } else {
    Clock clock = deferred->second.clock;
    if (carrier == SideKind::kMatrix) {
      std::uint32_t& unit = clock[program_.steps.size() + task.value];
      unit = std::max(unit, retired_[task]);
    }
    if (carrier == SideKind::kDma) MarkTransfer(clock, task, step);
    JoinInto(phase.clock, clock);
    if (--deferred->second.left == 0) deferred_.erase(deferred);
  }
  if (phase.arrived != ring.contributors) return;
  LookForLag(part, part.number);
  if (phase.waiters == 0) phase.clock = {};
}

// The phase two before is over for who waits for it only if this phase's contributors know of that
// wait.
void ActorClocks::LookForLag(const SyncPart& part, std::int64_t number) {
  const std::int64_t before = number - system_.pipelines[part.pipeline].stages;
  if (before < 0) return;
  const Ring& ring = RingOf(part);
  const Clock& clock = ring.phases[static_cast<std::size_t>(number)].clock;
  for (const auto& [task, positions] : ring.waits) {
    const auto at = static_cast<std::size_t>(before);
    if (at < positions.size() && clock[task.value] < positions[at])
      MarkLag(part.pipeline, SideOf(part.kind), task, before);
  }
}

void ActorClocks::MarkLag(PipelineId pipeline, std::size_t side, TaskId task, std::int64_t number) {
  const auto [at, is_new] = lagging_.emplace(std::tuple(pipeline, side, task), number);
  if (!is_new) at->second = std::min(at->second, number);
}

std::vector<LaggingWait> ActorClocks::Lagging() const {
  std::vector<LaggingWait> lagging;
  for (const auto& [where, number] : lagging_) {
    const auto& [pipeline, side, task] = where;
    lagging.push_back({pipeline, side == 0 ? Side::kProducer : Side::kConsumer, task, number});
  }
  return lagging;
}

bool ActorClocks::IsOver(TaskId task, TaskId other, std::uint32_t step) const {
  const Clock& clock = clocks_[task];
  const Step& its = program_.steps[other][step];
  switch (its.kind) {
    case OperationKind::kAccess: return clock[other.value] >= ends_[other][step];
    case OperationKind::kMatrix:
      return clock[program_.steps.size() + other.value] >= ends_[other][step];
    default: break;
  }
  for (const SyncPart& part : program_.PartsOf(its)) {
    for (const auto& [owner, component] : rings_[part.pipeline][SideOf(part.kind)].components) {
      if (owner == other && clock[component] >= static_cast<std::uint32_t>(part.number + 1))
        return true;
    }
  }
  return false;
}

}  // namespace spillway::task
