// What must hold of declared tasks before they run: groups, roles, probes, values, arrivals,
// strides, clusters.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/alloc/task/codes.h"
#include "model/alloc/task/task_schedule.h"

namespace spillway::task {

struct ScheduleFinding {
  Code code = Code::kLifecycle;
  bool is_warning = false;
  std::string text;  ///< names and numbers, expected and found, what helps

  friend bool operator==(const ScheduleFinding&, const ScheduleFinding&) = default;
};

/// All findings, each once for a task, operation and pipeline: resource.no-pipeline,
/// group.shared-side, group.operation, role.producer, role.consumer, order.try, value.unwritten,
/// value.direction, schedule.head-and-loop (a warning), pipeline.interleaving, pipeline.arrivals,
/// cluster.mismatch. Tasks without operations are only asked for their clusters.
/// Source: ts_pipelines.md §7, Interleaving, Groups and Structural checks.
std::vector<ScheduleFinding> CheckSchedules(std::span<const TaskUse> tasks);

}  // namespace spillway::task
