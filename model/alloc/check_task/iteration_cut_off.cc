#include "model/alloc/check_task/iteration_cut_off.h"

#include <fmt/format.h>

#include <numeric>

#include "model/alloc/task/codes.h"

namespace spillway::task {

std::optional<std::int64_t> CommonIterations(const PipelineSystem& system) {
  std::optional<std::int64_t> trips;
  for (const Task& task : system.tasks) {
    if (task.operations.size() != 1) return std::nullopt;
    const Operation& loop = task.operations.front();
    if (loop.kind != OperationKind::kLoop || loop.trips != trips.value_or(loop.trips))
      return std::nullopt;
    trips = loop.trips;
  }
  return trips;
}

Result<std::int64_t> IterationCutOff(const PipelineSystem& system) {
  std::int64_t turn = 1;  // iterations until all rings are where they began
  std::int64_t stages = 0;
  for (const Pipeline& pipeline : system.pipelines) {
    if (turn <= kMaxCutOff) turn = std::lcm(turn, pipeline.stages);
    stages += pipeline.stages;
  }
  const std::int64_t cut_off = turn + stages + 2;
  if (cut_off <= kMaxCutOff) return cut_off;
  return Fail(MakeError(
      Code::kLimit,
      fmt::format("pipelines: expected stages whose rings meet within {} iterations, found at "
                  "least {}; stages with common factors meet sooner",
                  kMaxCutOff, cut_off)));
}

PipelineSystem WithIterations(PipelineSystem system, std::int64_t trips) {
  SPILLWAY_CHECK(CommonIterations(system).has_value(), "each task is one loop");
  for (Task& task : system.tasks) task.operations.front().trips = trips;
  return system;
}

}  // namespace spillway::task
