// A system of task pipelines from a kernel's streams, the memory that they name and their waits.
#pragma once

#include <string>

#include "model/alloc/rings/find_waits.h"
#include "model/alloc/rings/fold_loops.h"
#include "model/alloc/rings/stream_work.h"
#include "model/alloc/rings/unit_plan.h"
#include "model/alloc/task/pipeline_system.h"

namespace spillway::rings {

/// Resources of all units, each shape for itself: a bound on memory.
inline constexpr std::size_t kMaxShares = 4'000'000;

struct SystemParts {
  std::string name;
  task::PerSpace<task::Units> capacity;
};

/// One task a stream; an allocation for each unit and partition band at its fixed place; a resource
/// for each unit and shape, which shares with the others of its unit; a pipeline for each ring and
/// each semaphore. Barriers are semaphores, so they take no memory.
///
/// An instance is: its waits; what it acquires and waits for; its reads and writes (one operation
/// each on a thread, one for all on PE and DMA); what it releases and commits, which is part of the
/// transfer on DMA. An instance that touches nothing on chip reads a resource without memory, if a
/// transfer has to say when it is done.
/// Errors: kLimit ("ring-limit") for more shapes than kMaxShares allows.
/// Source: ts_pipelines.md §11 (form), §16.
Result<task::PipelineSystem> BuildSystem(const StreamWork& work, const UnitPlan& plan,
                                         const Waits& waits, SystemParts parts,
                                         const FoldOptions& fold = {});

}  // namespace spillway::rings
