// The layout of a pipeline file's allocations.
#pragma once

#include "model/alloc/task/system_layout.h"
#include "model/hw/error.h"

namespace spillway::task {

/// Offsets of all allocations of `system` and of its barriers, and what each space needs.
/// Errors: layout.alignment, layout.mixed, layout.size, the alias.* codes, capacity (kCapacity).
/// Source: ts_pipelines.md §2 (algorithm), §11 (barriers follow the data, fixed allocations).
Result<SystemLayout> LayOutSystem(const PipelineSystem& system);

}  // namespace spillway::task
