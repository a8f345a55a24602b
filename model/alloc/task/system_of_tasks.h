// From what an author declares in C++ to the system that the checks and the replay start from.
#pragma once

#include <cstdint>
#include <string>

#include "model/alloc/task/declared_tasks.h"
#include "model/alloc/task/pipeline_system.h"
#include "model/hw/error.h"

namespace spillway::task {

struct SystemOfTasksOptions {
  std::string name = "declared";
  std::int64_t iterations = 1;  ///< of loops whose schedule names none
};

/// The system of `declared`: every allocation fixed where its allocator put it, barriers in SMEM
/// included, so that members of alias groups lie over each other; pipelines, resources and the
/// graph as declared; for each task its head, its loop and its tail.
/// A write, read or use is an access of whom `TaskOperation::by` says. Adjacent reads and then
/// writes of the matrix unit are one piece of its work. A commit (release) of a dma side completes
/// the transfers before it, in the same part of the schedule, that write (read) its pipelines'
/// resources: where it needs several of them, as a group's does, they stand next to each other and
/// are one transfer; several writes of one resource are parts of it. An operation on a group is one
/// event for all members. A dma write that takes a value from the dma read next to it is one
/// transfer with it. Tries and auxiliary work are left out. Storage is `none`, since the barriers
/// are allocations already. Errors: layout.missing; resource.unregistered (a region that no
/// allocator of `declared` placed); requirement-not-cached; region.stages; duplicate-name (two
/// resources, tasks or pipelines); pipeline.interleaving (strides other than 1, which a system
/// hasn't); resource.no-pipeline and group.operation (operations on what hasn't them);
/// pipeline.kind (a commit or release of a dma side without its transfers; a use by another than
/// the task); race (transfers that one commit completes touch the same memory through two
/// resources, or one to read and one to write); limit (fewer than 0 iterations). Source:
/// ts_pipelines.md §7 and §11.
Result<PipelineSystem> SystemOfTasks(const DeclaredTasks& declared,
                                     const SystemOfTasksOptions& options = {});

}  // namespace spillway::task
