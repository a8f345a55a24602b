// What tasks do, as the author of a kernel declares it to the task manager: roles, operations on
// resources and on pipeline groups, and the values that work hands on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/alloc/task/pipeline_group.h"
#include "model/alloc/task/task_resource.h"

namespace spillway::task {

/// Operations of the two sides. The tries are probes without effect; work of a producer writes,
/// that of a consumer reads; a use is scratch work of the task itself, which writes and then reads
/// back what it wrote; auxiliary work touches no data and no check sees it.
/// Source: ts_pipelines.md §7, Operations; §8, Events.
enum class TaskVerb {
  kTryAcquire,
  kAcquire,
  kWrite,
  kCommit,
  kTryWait,
  kWait,
  kRead,
  kRelease,
  kUse,
  kAuxiliary
};
/// "try-acquire", "acquire", "write", …
std::string_view TaskVerbName(TaskVerb verb);
/// Nothing: scratch and auxiliary work, which have no side.
std::optional<Side> SideOf(TaskVerb verb);

/// One operation, on a resource and its pipeline, or the one that a group's members share. What it
/// points to outlives it.
struct TaskOperation {
  TaskVerb verb = TaskVerb::kAuxiliary;
  std::variant<const TaskResource*, const PipelineGroup*> on;
  std::vector<std::string> takes;  ///< values that work gets from work before it in its task
  std::vector<std::string> gives;  ///< values that work hands on
  /// Of a commit of kind dma: what one warp's transfer brings to one CTA.
  Bytes bytes_per_warp;
  /// Who does a write or a read; nothing: whom the pipeline's side names, and the task itself where
  /// there is no pipeline. A use is always the task's own.
  std::optional<SideKind> by = std::nullopt;
};

/// Head, main loop and tail of a task, once, for each iteration, once.
struct TaskSchedule {
  std::vector<TaskOperation> head;
  std::vector<TaskOperation> loop;
  std::vector<TaskOperation> tail;
  /// Of the loop; nothing: known at run time alone.
  std::optional<std::int64_t> iterations = std::nullopt;
};

/// A task and the resources that it uses.
struct TaskUse {
  std::string task;
  std::vector<const TaskResource*> resources;
  /// Resources that it only consumes or only produces; both empty: it declares no roles.
  std::vector<const TaskResource*> sources = {};
  std::vector<const TaskResource*> destinations = {};
  std::int64_t warps = 1;
  std::int64_t ctas = 1;  ///< for whose transfers it is the leader
  TaskSchedule schedule = {};
};

/// Every resource that a task names, each once, in the order in which it names them.
std::vector<const TaskResource*> ResourcesOf(const TaskUse& use);

}  // namespace spillway::task
