// A program without aliasing, to compare data with.
#pragma once

#include "model/alloc/task/program.h"

namespace spillway::task {

/// `program` with memory of its own for every resource, however large that gets: no two share any,
/// but those that are declared to (`shares`), which keep their places relative to each other, and
/// the stages of one resource.
/// Source: ts_pipelines.md §14, relation 3.
Program GiveOwnMemory(const PipelineSystem& system, const Program& program);

}  // namespace spillway::task
