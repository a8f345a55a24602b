#include "model/alloc/check_task/state_machine.h"

#include <algorithm>
#include <utility>

namespace spillway::task {
namespace {

bool IsAsynchronous(OperationKind kind) {
  return kind == OperationKind::kDma || kind == OperationKind::kMatrix;
}

}  // namespace

StateMachine::StateMachine(const PipelineSystem& system, const Program& program)
    : system_(system), program_(program), places_(PlacesOf(program)) {}

MachineState StateMachine::Start() const { return MachineState(4 * places_.tasks.size(), 0); }

bool StateMachine::TaskState::IsDone(std::uint32_t transfer) const {
  return transfer < done || std::binary_search(more.begin(), more.end(), transfer);
}

std::vector<StateMachine::TaskState> StateMachine::Parse(const MachineState& state) const {
  std::vector<TaskState> tasks;
  std::size_t at = 0;
  for (std::size_t t = 0; t < places_.tasks.size(); ++t) {
    tasks.push_back(
        {state[at], state[at + 1], state[at + 2], std::span(state).subspan(at + 4, state[at + 3])});
    at += 4 + state[at + 3];
  }
  return tasks;
}

StateMachine::Looked StateMachine::IsComplete(const std::vector<TaskState>& tasks,
                                              PipelineId pipeline, Side side,
                                              std::int64_t number) const {
  const bool fill = side == Side::kProducer;
  const Contributors& contributors = program_.contributors[pipeline];
  const std::vector<TaskId>& who = fill ? contributors.fill : contributors.drain;
  const auto& parts = fill ? places_.fills[pipeline] : places_.drains[pipeline];
  const auto is_over = [&](std::size_t i) {
    if (number >= static_cast<std::int64_t>(parts[i].size())) return false;
    const PartPlace& place = parts[i][static_cast<std::size_t>(number)];
    const TaskState& task = tasks[who[i].value];
    if (task.events < place.event) return false;
    if (place.completion == SideKind::kMatrix && task.retired < place.matrix) return false;
    return place.completion != SideKind::kDma || task.IsDone(place.transfer);
  };
  Looked looked{!who.empty(), 1};
  for (std::size_t i = 0; i < who.size() && looked.holds; ++i, ++looked.looks)
    looked.holds = is_over(i);
  return looked;
}

StateMachine::Looked StateMachine::CanRun(const std::vector<TaskState>& tasks,
                                          const Step& step) const {
  Looked all;
  const auto needs = [&](const SyncPart& part, Side side, std::int64_t number) {
    const Looked one = IsComplete(tasks, part.pipeline, side, number);
    all = {one.holds, all.looks + one.looks};
  };
  for (const SyncPart& part : program_.PartsOf(step)) {
    const std::int64_t stages = system_.pipelines[part.pipeline].stages;
    if (part.kind == OperationKind::kWait) needs(part, Side::kProducer, part.number);
    if (part.kind == OperationKind::kAcquire && part.number >= stages)
      needs(part, Side::kConsumer, part.number - stages);
    if (!all.holds) break;
  }
  return all;
}

Moves StateMachine::MovesIn(const MachineState& state) const {
  Moves moves;
  const std::vector<TaskState> tasks = Parse(state);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const TaskPlaces& places = places_.tasks[TaskId(t)];
    const TaskState& at = tasks[t];
    std::uint32_t begun = static_cast<std::uint32_t>(places.first_event.size());
    if (at.events < places.step_of_event.size()) {
      const std::uint32_t step = places.step_of_event[at.events];
      const Step& its = program_.steps[TaskId(t)][step];
      const bool begins = places.first_event[step] == at.events;
      begun = begins ? step : step + 1;
      const Looked can_run = CanRun(tasks, its);
      moves.looks += can_run.looks;
      if (can_run.holds)
        moves.list.push_back({MoveKind::kTask, TaskId(t), step, begins && its.access_count > 0});
    }
    const auto issued = [&](const std::vector<std::uint32_t>& steps) {
      return static_cast<std::uint32_t>(std::lower_bound(steps.begin(), steps.end(), begun) -
                                        steps.begin());
    };
    if (at.retired < issued(places.matrix_steps))
      moves.list.push_back({MoveKind::kRetire, TaskId(t), places.matrix_steps[at.retired], false});
    for (std::uint32_t i = at.done; i < issued(places.transfer_steps); ++i) {
      if (!at.IsDone(i))
        moves.list.push_back({MoveKind::kDone, TaskId(t), places.transfer_steps[i], false});
    }
  }
  return moves;
}

MachineState StateMachine::After(const MachineState& state, const Move& move) const {
  MachineState next = state;
  std::size_t at = 0;
  for (std::uint32_t t = 0; t < move.task.value; ++t) at += 4 + state[at + 3];
  if (move.kind == MoveKind::kTask) ++next[at];
  if (move.kind == MoveKind::kRetire) ++next[at + 1];
  if (move.kind != MoveKind::kDone) return next;
  const auto first = next.begin() + static_cast<std::ptrdiff_t>(at) + 4;
  const auto last = first + next[at + 3];
  const std::uint32_t transfer = places_.tasks[move.task].transfer_before[move.step];
  next.insert(std::lower_bound(first, last, transfer), transfer);
  ++next[at + 3];
  // Closes gaps, so that equal sets are equal states.
  std::size_t close = 0;
  while (close < next[at + 3] && next[at + 4 + close] == next[at + 2] + close) ++close;
  next[at + 2] += static_cast<std::uint32_t>(close);
  next[at + 3] -= static_cast<std::uint32_t>(close);
  const auto gap = next.begin() + static_cast<std::ptrdiff_t>(at) + 4;
  next.erase(gap, gap + static_cast<std::ptrdiff_t>(close));
  return next;
}

std::vector<std::pair<TaskId, std::uint32_t>> StateMachine::InProgress(
    const MachineState& state) const {
  std::vector<std::pair<TaskId, std::uint32_t>> steps;
  const std::vector<TaskState> tasks = Parse(state);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const TaskId task(t);
    const TaskPlaces& places = places_.tasks[task];
    const TaskState& at = tasks[t];
    std::uint32_t begun = static_cast<std::uint32_t>(places.first_event.size());
    if (at.events < places.step_of_event.size()) {
      const std::uint32_t step = places.step_of_event[at.events];
      const bool begins = places.first_event[step] == at.events;
      begun = begins ? step : step + 1;
      if (!begins && !IsAsynchronous(program_.steps[task][step].kind))
        steps.emplace_back(task, step);
    }
    for (std::size_t i = at.retired;
         i < places.matrix_steps.size() && places.matrix_steps[i] < begun; ++i)
      steps.emplace_back(task, places.matrix_steps[i]);
    for (std::uint32_t i = at.done;
         i < places.transfer_steps.size() && places.transfer_steps[i] < begun; ++i) {
      if (!at.IsDone(i)) steps.emplace_back(task, places.transfer_steps[i]);
    }
  }
  return steps;
}

std::vector<std::pair<TaskId, std::uint32_t>> StateMachine::Unfinished(
    const MachineState& state) const {
  std::vector<std::pair<TaskId, std::uint32_t>> steps;
  const std::vector<TaskState> tasks = Parse(state);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const TaskPlaces& places = places_.tasks[TaskId(t)];
    if (tasks[t].events < places.step_of_event.size())
      steps.emplace_back(TaskId(t), places.step_of_event[tasks[t].events]);
  }
  return steps;
}

}  // namespace spillway::task
