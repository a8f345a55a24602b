// The parts of the checks of declared tasks, and what they share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/alloc/task/check_schedules.h"

namespace spillway::task {

/// The operations of a task in order, the main loop as often as `trips` says.
std::vector<const TaskOperation*> InOrder(const TaskUse& use, int trips);

/// The pipelines that an operation is on: its resource's, or all members of its group. Empty where
/// the resource has none.
std::vector<const StagedPipeline*> PipelinesOf(const TaskOperation& operation);

/// The resource's or the group's name.
const std::string& NameOf(const TaskOperation& operation);

/// Whether the verb is one of a pipeline: neither work of any sort nor auxiliary.
bool IsSync(TaskVerb verb);

/// group.shared-side, group.operation, resource.no-pipeline.
std::vector<ScheduleFinding> CheckGroups(const TaskUse& use);
/// role.producer, role.consumer.
std::vector<ScheduleFinding> CheckRoles(const TaskUse& use);
/// order.try.
std::vector<ScheduleFinding> CheckTries(const TaskUse& use);
/// value.unwritten, value.direction.
std::vector<ScheduleFinding> CheckValues(const TaskUse& use);
/// schedule.head-and-loop.
std::vector<ScheduleFinding> CheckHead(const TaskUse& use);
/// pipeline.interleaving: unequal strides whose operations are one task's.
std::vector<ScheduleFinding> CheckLanes(const TaskUse& use);
/// pipeline.arrivals, of all tasks together.
std::vector<ScheduleFinding> CheckDeclaredArrivals(std::span<const TaskUse> tasks);
/// cluster.mismatch, of all tasks together.
std::vector<ScheduleFinding> CheckClusters(std::span<const TaskUse> tasks);

}  // namespace spillway::task
