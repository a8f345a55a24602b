// Data with and without aliasing.
#pragma once

#include <vector>

#include "model/hw/target.h"
#include "sim/task/played_access.h"
#include "sim/task/replay_run.h"

namespace spillway::task {

/// The reads that saw other data in `program` than where every resource has memory of its own, by
/// index into Program::accesses. Both are played with nominal latencies. None, bit for bit, where
/// nothing races and no read gets wrong or unwritten data: then aliasing is safe. A program that
/// has such findings may differ or not, as the timing has it.
/// Errors: limit (kLimit), as ReplayProgram::Prepare.
/// Source: ts_pipelines.md §14, relation 3.
Result<std::vector<PlayedAccess>> ReadsThatAliasingChanges(const PipelineSystem& system,
                                                           const Program& program,
                                                           const Target& target);

}  // namespace spillway::task
