// A shortest run up to some events.
#pragma once

#include <vector>

#include "model/alloc/check_task/event_graph.h"

namespace spillway::task {

/// The events that must happen for all of `targets` to have happened, these included, in an order
/// in which they can: no run that reaches the targets has fewer. One task goes on as long as it
/// can; an event of `held` comes only where nothing else can happen. All targets can happen.
/// Source: ts_pipelines.md §9, Report.
std::vector<EventId> ScheduleEvents(const EventGraph& graph, const std::vector<EventId>& targets,
                                    const std::vector<EventId>& held);

}  // namespace spillway::task
