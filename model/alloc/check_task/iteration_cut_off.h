// How many iterations of endless loops show everything.
#pragma once

#include <cstdint>
#include <optional>

#include "model/alloc/task/pipeline_system.h"
#include "model/hw/error.h"

namespace spillway::task {

/// Iterations that an analysis of endless loops may have. Source: ts_pipelines.md §15.
inline constexpr std::int64_t kMaxCutOff = 10'000;

/// Trips of the loops, where every task is one loop and all have the same number; else nothing.
std::optional<std::int64_t> CommonIterations(const PipelineSystem& system);

/// Iterations after which more of them show no further race, clobber or deadlock, where every task
/// is one loop: lcm of all stages + their sum + 2. A conjecture that properties test.
/// Errors: limit (kLimit) beyond kMaxCutOff: then no number of iterations proves it.
/// Source: ts_pipelines.md §8, Minimum number of iterations.
Result<std::int64_t> IterationCutOff(const PipelineSystem& system);

/// `system` with that number of trips of every task's one loop. CommonIterations is something.
PipelineSystem WithIterations(PipelineSystem system, std::int64_t trips);

}  // namespace spillway::task
