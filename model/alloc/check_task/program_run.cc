#include "model/alloc/check_task/program_run.h"

#include <algorithm>

#include "model/hw/error.h"

namespace spillway::task {

ProgramRun::ProgramRun(const PipelineSystem& system, const Program& program)
    : system_(system), program_(program), places_(PlacesOf(program)) {
  for (const TaskPlaces& places : places_.tasks) {
    TaskRun run;
    run.is_done.resize(places.transfer_steps.size(), false);
    runs_.push_back(std::move(run));
  }
}

bool ProgramRun::IsComplete(PipelineId pipeline, Side side, std::int64_t number) const {
  const bool fill = side == Side::kProducer;
  const Contributors& contributors = program_.contributors[pipeline];
  const std::vector<TaskId>& who = fill ? contributors.fill : contributors.drain;
  const auto& parts = fill ? places_.fills[pipeline] : places_.drains[pipeline];
  for (std::size_t i = 0; i < who.size(); ++i) {
    if (number >= static_cast<std::int64_t>(parts[i].size())) return false;
    const PartPlace& place = parts[i][static_cast<std::size_t>(number)];
    const TaskRun& run = runs_[who[i]];
    if (run.events < place.event) return false;
    if (place.completion == SideKind::kMatrix && run.retired < place.matrix) return false;
    if (place.completion == SideKind::kDma && !run.is_done[place.transfer]) return false;
  }
  return !who.empty();
}

bool ProgramRun::CanRun(const Step& step) const {
  for (const SyncPart& part : program_.PartsOf(step)) {
    if (part.kind == OperationKind::kWait &&
        !IsComplete(part.pipeline, Side::kProducer, part.number))
      return false;
    const std::int64_t stages = system_.pipelines[part.pipeline].stages;
    if (part.kind == OperationKind::kAcquire && part.number >= stages &&
        !IsComplete(part.pipeline, Side::kConsumer, part.number - stages))
      return false;
  }
  return true;
}

std::uint32_t ProgramRun::BegunSteps(TaskId task) const {
  const TaskPlaces& places = places_.tasks[task];
  const std::uint32_t events = runs_[task].events;
  if (events == places.step_of_event.size())
    return static_cast<std::uint32_t>(places.first_event.size());
  const std::uint32_t step = places.step_of_event[events];
  return places.first_event[step] == events ? step : step + 1;
}

std::uint32_t ProgramRun::Issued(const std::vector<std::uint32_t>& before,
                                 const std::vector<std::uint32_t>& steps, std::uint32_t begun) {
  return begun < before.size() ? before[begun] : static_cast<std::uint32_t>(steps.size());
}

bool ProgramRun::CanHappen(const Event& event) const {
  const TaskPlaces& places = places_.tasks[event.task];
  const TaskRun& run = runs_[event.task];
  const std::uint32_t first = places.first_event[event.step];
  switch (event.kind) {
    case EventKind::kRetire:
      return run.events > first && run.retired == places.matrix_before[event.step];
    case EventKind::kDone:
      return run.events > first && !run.is_done[places.transfer_before[event.step]];
    case EventKind::kEnd: return run.events == first + 1;
    default: break;
  }
  return run.events == first && CanRun(program_.steps[event.task][event.step]);
}

void ProgramRun::Happen(const Event& event) {
  SPILLWAY_CHECK(CanHappen(event), "each event of a run can happen");
  TaskRun& run = runs_[event.task];
  if (IsInTaskOrder(event.kind)) ++run.events;
  if (event.kind == EventKind::kRetire) ++run.retired;
  if (event.kind != EventKind::kDone) return;
  ++run.done;
  run.is_done[places_.tasks[event.task].transfer_before[event.step]] = true;
  while (run.done_in_a_row < run.is_done.size() && run.is_done[run.done_in_a_row])
    ++run.done_in_a_row;
}

bool ProgramRun::IsInProgress(TaskId task, std::uint32_t step) const {
  const TaskPlaces& places = places_.tasks[task];
  const TaskRun& run = runs_[task];
  const std::uint32_t first = places.first_event[step];
  if (run.events <= first) return false;
  switch (program_.steps[task][step].kind) {
    case OperationKind::kMatrix: return run.retired <= places.matrix_before[step];
    case OperationKind::kDma: return !run.is_done[places.transfer_before[step]];
    case OperationKind::kAccess: return run.events == first + 1;
    default: return false;
  }
}

std::size_t ProgramRun::CountInProgress() const {
  std::size_t count = 0;
  for (std::size_t t = 0; t < runs_.size(); ++t) {
    const TaskPlaces& places = places_.tasks[TaskId(t)];
    const TaskRun& run = runs_[TaskId(t)];
    const std::uint32_t begun = BegunSteps(TaskId(t));
    if (begun > 0 && program_.steps[TaskId(t)][begun - 1].kind == OperationKind::kAccess &&
        IsInProgress(TaskId(t), begun - 1))
      ++count;
    count += Issued(places.matrix_before, places.matrix_steps, begun) - run.retired;
    count += Issued(places.transfer_before, places.transfer_steps, begun) - run.done;
  }
  return count;
}

std::vector<std::pair<TaskId, std::uint32_t>> ProgramRun::InProgress(std::size_t most) const {
  std::vector<std::pair<TaskId, std::uint32_t>> steps;
  for (std::size_t t = 0; t < runs_.size() && steps.size() < most; ++t) {
    const TaskId task(t);
    const TaskPlaces& places = places_.tasks[task];
    const TaskRun& run = runs_[task];
    const std::uint32_t begun = BegunSteps(task);
    if (begun > 0 && program_.steps[task][begun - 1].kind == OperationKind::kAccess &&
        IsInProgress(task, begun - 1))
      steps.emplace_back(task, begun - 1);
    const std::uint32_t matrix = Issued(places.matrix_before, places.matrix_steps, begun);
    for (std::uint32_t i = run.retired; i < matrix && steps.size() < most; ++i)
      steps.emplace_back(task, places.matrix_steps[i]);
    const std::uint32_t transfers = Issued(places.transfer_before, places.transfer_steps, begun);
    std::uint32_t left = transfers - run.done;
    for (std::uint32_t i = run.done_in_a_row; left > 0 && steps.size() < most; ++i) {
      if (run.is_done[i]) continue;
      --left;
      steps.emplace_back(task, places.transfer_steps[i]);
    }
  }
  return steps;
}

}  // namespace spillway::task
