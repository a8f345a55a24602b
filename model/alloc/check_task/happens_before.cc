#include "model/alloc/check_task/happens_before.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/alloc/task/codes.h"

namespace spillway::task {
namespace {

std::size_t SideIndex(OperationKind kind) { return kind == OperationKind::kCommit ? 0 : 1; }

}  // namespace

HappensBefore::HappensBefore(const Program& program, const EventGraph& graph)
    : program_(&program),
      graph_(&graph),
      execution_(Execute(graph)),
      transfer_components_(program.contributors.size()),
      components_(2 * program.steps.size()),
      position_(graph.events.size(), 0),
      retire_number_(graph.events.size(), 0),
      clock_of_(graph.events.size(), 0) {
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    for (const Step& step : program.steps[TaskId(t)]) {
      if (step.kind != OperationKind::kDma) continue;
      for (const SyncPart& part : program.PartsOf(step)) {
        auto& known = transfer_components_[part.pipeline][SideIndex(part.kind)];
        if (known.empty() || known.back().first != TaskId(t))
          known.emplace_back(TaskId(t), static_cast<Component>(components_++));
      }
    }
  }
}

template <class Visit>
bool HappensBefore::AnyMark(TaskId task, std::uint32_t step, const Visit& visit) const {
  const Step& its = program_->steps[task][step];
  const EventId first = graph_->Begin(task, step);
  if (its.kind == OperationKind::kMatrix) {
    const auto unit = static_cast<Component>(program_->steps.size() + task.value);
    return visit(unit, retire_number_[first]);
  }
  if (its.kind != OperationKind::kDma)
    return visit(task.value, position_[graph_->End(*program_, task, step)]);
  for (const SyncPart& part : program_->PartsOf(its)) {
    const auto& known = transfer_components_[part.pipeline][SideIndex(part.kind)];
    const auto own = std::lower_bound(known.begin(), known.end(), std::pair(task, Component{0}));
    if (own == known.end() || own->first != task) continue;
    if (visit(own->second, static_cast<std::uint32_t>(part.number + 1))) return true;
  }
  return false;
}

void HappensBefore::Join(TaskId task, EventId source) {
  std::vector<std::uint32_t>& clock = now_[task];
  const Event& event = graph_->events[source];
  const std::vector<std::uint32_t>& other = clocks_[clock_of_[source]];
  for (std::size_t i = 0; i < components_; ++i) clock[i] = std::max(clock[i], other[i]);
  clock[event.task.value] = std::max(clock[event.task.value], position_[source]);
  if (IsInTaskOrder(event.kind)) return;
  AnyMark(event.task, event.step, [&](Component component, std::uint32_t value) {
    clock[component] = std::max(clock[component], value);
    return false;
  });
}

Result<void> HappensBefore::Run() {
  const std::size_t tasks = program_->steps.size();
  if (components_ > 0 && graph_->edges.size() > kMaxJoinedNumbers / components_) {
    return Fail(MakeError(
        Code::kLimit,
        fmt::format("tasks: expected at most {} numbers of clocks to join, found {} components at "
                    "{} edges between commits and waits, releases and acquires; fewer transfers "
                    "that commit many pipelines, or fewer iterations, would fit",
                    kMaxJoinedNumbers, components_, graph_->edges.size())));
  }
  now_ = IdVector<TaskId, std::vector<std::uint32_t>>(tasks,
                                                      std::vector<std::uint32_t>(components_, 0));
  clocks_.emplace_back(components_, 0);
  IdVector<TaskId, std::uint32_t> clock(tasks, 0);
  IdVector<TaskId, std::uint32_t> position(tasks, 0);
  IdVector<TaskId, std::uint32_t> retires(tasks, 0);
  // Numbers that don't depend on the order of execution.
  for (std::size_t i = 0; i < graph_->events.size(); ++i) {
    const Event& event = graph_->events[EventId(i)];
    if (IsInTaskOrder(event.kind)) ++position[event.task];
    position_[EventId(i)] = position[event.task];
    if (event.kind == EventKind::kRetire) {
      retire_number_[EventId(i)] = ++retires[event.task];
      retire_number_[graph_->Begin(event.task, event.step)] = retires[event.task];
    }
  }
  for (const EventId id : execution_.order) {
    const Event& event = graph_->events[id];
    if (!IsInTaskOrder(event.kind)) {
      clock_of_[id] = clock_of_[graph_->Begin(event.task, event.step)];
      continue;
    }
    const auto [from, to] =
        event.kind == EventKind::kSync
            ? std::equal_range(
                  graph_->edges.begin(), graph_->edges.end(), OrderEdge{{}, id},
                  [](const OrderEdge& a, const OrderEdge& b) { return a.target < b.target; })
            : std::pair(graph_->edges.end(), graph_->edges.end());
    if (from != to) {
      for (auto edge = from; edge != to; ++edge) Join(event.task, edge->source);
      now_[event.task][event.task.value] = position_[id];
      if ((clocks_.size() + 1) * components_ > kMaxClockNumbers) {
        return Fail(MakeError(
            Code::kLimit,
            fmt::format("tasks: expected clocks of at most {} numbers, found {} components and "
                        "more than {} waits; fewer tasks or iterations would fit",
                        kMaxClockNumbers, components_, clocks_.size())));
      }
      clocks_.push_back(now_[event.task]);
      clock[event.task] = static_cast<std::uint32_t>(clocks_.size() - 1);
    }
    clock_of_[id] = clock[event.task];
  }
  now_ = {};
  return {};
}

Result<HappensBefore> HappensBefore::Build(const Program& program, const EventGraph& graph) {
  HappensBefore built(program, graph);
  if (Result<void> run = built.Run(); !run) return Fail(std::move(run.error()));
  return built;
}

bool HappensBefore::EndsBefore(TaskId a_task, std::uint32_t a, TaskId b_task,
                               std::uint32_t b) const {
  const EventId begin = graph_->Begin(b_task, b);
  const std::vector<std::uint32_t>& clock = clocks_[clock_of_[begin]];
  return AnyMark(a_task, a, [&](Component component, std::uint32_t value) {
    return (component == b_task.value ? position_[begin] : clock[component]) >= value;
  });
}

}  // namespace spillway::task
