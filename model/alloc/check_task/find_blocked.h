// Deadlocks: what each unfinished task waits for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/alloc/check_task/execution.h"

namespace spillway::task {

/// A task that never ends.
struct BlockedTask {
  TaskId task;
  std::uint32_t step = 0;  ///< its first operation that never happens
  std::string name;        ///< "A:wait q"; names joined by +
  std::string text;        ///< with its numbers, and what it waits for

  friend bool operator==(const BlockedTask&, const BlockedTask&) = default;
};

/// The frontier: each unfinished task, in file order. Empty: no deadlock.
/// Source: ts_pipelines.md §8, Deadlock.
std::vector<BlockedTask> FindBlocked(const PipelineSystem& system, const Program& program,
                                     const Execution& execution);

}  // namespace spillway::task
