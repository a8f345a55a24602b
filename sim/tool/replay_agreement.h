// Whether the replay of a pipeline file saw what the static engines say.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "sim/task/replay_system.h"

namespace spillway {

/// Every contradiction, one a line, with names; empty: they agree. The same races and the same
/// blocked tasks; without a race the same reads of wrong and of unwritten data, with one no others
/// than of accesses that race. A contradiction is a fault of an engine, not of the file.
/// Source: ts_pipelines.md §14, relation 2; §8, Why one pass is exact.
std::vector<std::string> ReplayContradictions(const task::PipelineSystem& system,
                                              const task::Verdict& verdict,
                                              const task::Replay& replay);

}  // namespace spillway
