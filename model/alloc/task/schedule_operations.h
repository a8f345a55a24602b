// One part of a declared schedule as operations of a system.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/alloc/task/pipeline_system.h"
#include "model/alloc/task/task_schedule.h"
#include "model/hw/error.h"

namespace spillway::task {

/// The ids that a system gives to what operations point to.
struct SystemIds {
  std::function<ResourceId(const TaskResource&)> resource;
  std::function<PipelineId(const StagedPipeline&)> pipeline;
};

/// The operations of `part`, the head, loop or tail of `task`, as SystemOfTasks describes them.
/// `system` has its pipelines and resources.
/// Errors: resource.no-pipeline, group.operation, pipeline.kind, race.
Result<std::vector<Operation>> OperationsOf(const PipelineSystem& system, const SystemIds& ids,
                                            const std::string& task,
                                            const std::vector<TaskOperation>& part);

}  // namespace spillway::task
