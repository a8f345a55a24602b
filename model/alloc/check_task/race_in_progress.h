// Engine 2's own rule for two accesses in progress. It shares no code with engine 1, so that an
// error in either rule shows as a difference.
#pragma once

#include "model/alloc/check_task/find_races.h"

namespace spillway::task {

/// Whether two accesses that are in progress in one state conflict, memory included.
/// Source: ts_pipelines.md §8, Conflict.
bool ConflictInProgress(const Program& program, const AccessPoint& a, const AccessPoint& b);

/// The race of two accesses that conflict so. Source: ts_pipelines.md §12, races.
Race RaceInProgress(const PipelineSystem& system, const Program& program, const AccessPoint& a,
                    const AccessPoint& b);

}  // namespace spillway::task
