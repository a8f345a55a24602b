// From trees of operations to the steps that run.
#pragma once

#include "model/alloc/task/program.h"
#include "model/alloc/task/system_layout.h"
#include "model/hw/error.h"

namespace spillway::task {

/// Operations of all tasks that a program may have after unrolling. Source: ts_pipelines.md §15.
inline constexpr std::int64_t kMaxUnrolledOperations = 1'000'000;
/// Accesses of all these operations, since one transfer may name every resource; and pipelines that
/// they acquire, commit, wait for or release. Bounds on memory.
inline constexpr std::int64_t kMaxUnrolledAccesses = 4'000'000;
inline constexpr std::int64_t kMaxUnrolledParts = 4'000'000;
/// Regions of all resources, each stage for itself, that a program may have: a bound on memory.
inline constexpr std::int64_t kMaxFootprints = 1'000'000;

/// What the tasks of `system` execute, with its memory placed as `layout` says.
/// Errors: access.no-slot; pipeline.kind (a commit or release in a form that the side's kind
/// forbids, or by a task that the side's kinds don't name); limit (kLimit).
/// Source: ts_pipelines.md §8.
Result<Program> Unroll(const PipelineSystem& system, const SystemLayout& layout);

}  // namespace spillway::task
