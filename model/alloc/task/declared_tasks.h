// An author's declarations as one value: tasks, their allocators, the graph of their resources.
#pragma once

#include <optional>
#include <vector>

#include "model/alloc/task/barrier_allocator.h"
#include "model/alloc/task/smem_allocator.h"
#include "model/alloc/task/task_schedule.h"
#include "model/alloc/task/tmem_allocator.h"

namespace spillway::task {

/// Allocators that a kernel has; each may be absent, and outlives who uses it.
struct ManagedAllocators {
  SmemAllocator* smem = nullptr;
  TmemAllocator* tmem = nullptr;
  BarrierAllocator* barriers = nullptr;
};

/// The resources upstream of one downstream resource. Source: ts_pipelines.md §7, Dependency graph.
struct ResourceDependency {
  const TaskResource* downstream = nullptr;
  std::vector<const TaskResource*> upstream;
};

/// Everything that is declared before a kernel runs. What it points to outlives it.
struct DeclaredTasks {
  std::vector<TaskUse> tasks;
  ManagedAllocators allocators = {};
  /// Absent: the checks that need it are skipped, and no split consumer is licensed.
  std::optional<std::vector<ResourceDependency>> graph = std::nullopt;
};

}  // namespace spillway::task
