// Which events of a graph happen.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/check_task/event_graph.h"

namespace spillway::task {

/// The events that happen, in whatever order: a step that is enabled stays enabled.
struct Execution {
  std::vector<EventId> order;  ///< an order in which they can happen
  IdVector<EventId, bool> happens;
  IdVector<TaskId, std::uint32_t> steps_begun;  ///< steps whose first event happens

  friend bool operator==(const Execution&, const Execution&) = default;
};

/// Runs every event as soon as all before it have happened. The events left over are a deadlock.
/// Source: ts_pipelines.md §8, Deadlock and Why one pass is exact.
Execution Execute(const EventGraph& graph);

}  // namespace spillway::task
