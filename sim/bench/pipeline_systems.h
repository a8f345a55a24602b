// What the pipelines suite judges.
#pragma once

#include <cstdint>

#include "model/alloc/task/pipeline_system.h"

namespace spillway {

/// A main loop with an epilogue: transfers fill a ring of `stages`, matrix work reads it `k` times
/// and accumulates, a third task stages the result in memory that shares a place with the ring.
/// 7 k + 10 events; with two stages 29 k + 1 states. k and stages are at least 1.
/// Source: ts_pipelines.md §13, E3.
task::PipelineSystem MainLoopSystem(std::int64_t k, std::int64_t stages);

/// `pairs` producers and as many consumers with memory and a ring of two stages for each pair,
/// `iterations` each. 8 * pairs * iterations events; with two iterations 33^pairs states.
/// Source: ts_pipelines.md §13, Scaling.
task::PipelineSystem IndependentPairs(std::int64_t pairs, std::int64_t iterations);

}  // namespace spillway
