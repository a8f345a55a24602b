// Random systems of task pipelines: a few tasks, rings and iterations over little memory.
#pragma once

#include "model/alloc/task/pipeline_system.h"

namespace spillway::task {

struct RandomSystemOptions {
  int max_tasks = 3;
  int max_pipelines = 3;
  int max_stages = 3;
  int max_iterations = 3;
  bool equal_iterations = false;  ///< of all tasks; else a task may differ now and then
  bool disjoint = false;          ///< every resource has memory of its own
  bool one_contributor = false;   ///< of each side of each pipeline
};

/// Draws a system of RapidCheck's, which can be laid out and unrolled: all kinds of sides, several
/// contributors, releases before and after the last use, work by another kind of actor than the
/// side declares, memory that overlaps at random, scratch memory without a pipeline. Every task is
/// one loop. Source: ts_pipelines.md §14.
PipelineSystem RandomSystem(const RandomSystemOptions& options = {});

/// A whole number in [from, below), drawn evenly.
std::int64_t Draw(std::int64_t from, std::int64_t below);

}  // namespace spillway::task
