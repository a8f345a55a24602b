#include "model/alloc/check_task/execution.h"

#include <algorithm>
#include <array>

namespace spillway::task {

Execution Execute(const EventGraph& graph) {
  const std::size_t count = graph.events.size();
  Execution run{{},
                IdVector<EventId, bool>(count, false),
                IdVector<TaskId, std::uint32_t>(graph.first_of_step.size(), 0)};
  std::vector<std::uint32_t> missing(count, 0);
  // Edges by source.
  std::vector<std::uint32_t> offsets(count + 1, 0);
  for (const OrderEdge& edge : graph.edges) ++offsets[edge.source.value + 1];
  for (std::size_t i = 0; i < count; ++i) offsets[i + 1] += offsets[i];
  std::vector<EventId> targets(graph.edges.size());
  std::vector<std::uint32_t> filled(offsets.begin(), offsets.end() - 1);
  for (const OrderEdge& edge : graph.edges) {
    targets[filled[edge.source.value]++] = edge.target;
    ++missing[edge.target.value];
  }
  for (const EventId dead : graph.dead) ++missing[dead.value];

  // Program order, issue to completion, retire to retire: at most two successors.
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::array<std::uint32_t, 2>> next(count, {kNone, kNone});
  const auto follow = [&](std::uint32_t before, std::uint32_t after, std::size_t way) {
    if (before == kNone) return;
    next[before][way] = after;
    ++missing[after];
  };
  std::uint32_t last_in_order = kNone;
  std::uint32_t last_retire = kNone;
  TaskId task;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Event& event = graph.events[EventId(i)];
    if (i == 0 || event.task != task) last_in_order = last_retire = kNone;
    task = event.task;
    if (IsInTaskOrder(event.kind)) {
      follow(last_in_order, i, 0);
      last_in_order = i;
      continue;
    }
    follow(last_in_order, i, 1);  // its issue
    if (event.kind != EventKind::kRetire) continue;
    follow(last_retire, i, 0);
    last_retire = i;
  }

  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (missing[i] == 0) ready.push_back(i);
  }
  run.order.reserve(count);
  while (!ready.empty()) {
    const std::uint32_t event = ready.back();
    ready.pop_back();
    run.order.push_back(EventId(event));
    run.happens[EventId(event)] = true;
    const auto arrive = [&](std::uint32_t after) {
      if (--missing[after] == 0) ready.push_back(after);
    };
    for (const std::uint32_t after : next[event]) {
      if (after != kNone) arrive(after);
    }
    for (std::uint32_t i = offsets[event]; i < offsets[event + 1]; ++i) arrive(targets[i].value);
  }
  for (std::size_t t = 0; t < graph.first_of_step.size(); ++t) {
    const std::vector<EventId>& firsts = graph.first_of_step[TaskId(t)];
    const auto stop = std::find_if(firsts.begin(), firsts.end(),
                                   [&](EventId first) { return !run.happens[first]; });
    run.steps_begun[TaskId(t)] = static_cast<std::uint32_t>(stop - firsts.begin());
  }
  return run;
}

}  // namespace spillway::task
