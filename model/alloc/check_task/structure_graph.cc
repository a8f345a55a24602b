// What the dependency graph asks of the tasks.
#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/check_task/structure_parts.h"

namespace spillway::task {
namespace {

constexpr bool Writes(AccessKind kind) { return kind != AccessKind::kRead; }
constexpr bool Reads(AccessKind kind) { return kind != AccessKind::kWrite; }

/// What a task does with each resource, by its accesses and by the resource's pipeline.
struct Part {
  bool consumes = false;
  bool produces = false;
  bool thread_consumes = false;  ///< with the task's own instructions
};

IdVector<ResourceId, Part> PartsOf(const PipelineSystem& system, const Program& program,
                                   const IdVector<PipelineId, SyncCounts>& counts, TaskId task) {
  IdVector<ResourceId, Part> parts(system.resources.size());
  for (const Step& step : program.steps[task]) {
    for (const StepAccess& access : program.AccessesOf(step)) {
      parts[access.resource].consumes |= Reads(access.kind);
      parts[access.resource].produces |= Writes(access.kind);
    }
  }
  for (std::size_t r = 0; r < system.resources.size(); ++r) {
    const std::optional<PipelineId> ring = system.resources[ResourceId(r)].pipeline;
    if (!ring) continue;
    Part& part = parts[ResourceId(r)];
    // On a pipelined resource the sides say who consumes and who produces.
    const SyncCounts& its = counts[*ring];
    part.consumes |= its.waits + its.releases > 0;
    part.produces |= its.acquires + its.commits > 0;
    part.thread_consumes = its.waits + its.releases > 0 &&
                           system.pipelines[*ring].consumer.Of(task) == SideKind::kThread;
  }
  return parts;
}

}  // namespace

std::vector<StructureFinding> CheckGraph(const PipelineSystem& system, const Program& program) {
  std::vector<StructureFinding> findings;
  if (!system.graph) return findings;
  const auto counts = CountSyncs(system, program);
  std::vector<IdVector<ResourceId, Part>> tasks;
  for (std::size_t t = 0; t < program.steps.size(); ++t)
    tasks.push_back(PartsOf(system, program, counts[TaskId(t)], TaskId(t)));
  const auto any = [&](auto&& holds) { return std::any_of(tasks.begin(), tasks.end(), holds); };
  for (const Dependency& dependency : *system.graph) {
    const ResourceId down = dependency.downstream;
    const std::string& name = system.resources[down].name;
    for (const ResourceId up : dependency.upstream) {
      if (up != down) {
        if (any([&](const auto& task) { return task[up].consumes && task[down].produces; }))
          continue;
        findings.push_back(
            {StructureCode::kEdgeUnbacked,
             fmt::format("graph {} <- {}: expected a task that consumes {} and "
                         "produces {}, found none",
                         name, system.resources[up].name, system.resources[up].name, name)});
        continue;
      }
      // A ping-pong buffer: two tasks hand it to each other.
      const bool is_backed =
          system.resources[down].pipeline.has_value() &&
          any([&](const auto& task) { return task[down].produces && !task[down].consumes; }) &&
          any([&](const auto& task) { return task[down].thread_consumes && !task[down].produces; });
      if (is_backed) continue;
      findings.push_back(
          {StructureCode::kEdgeUnbacked,
           fmt::format("graph {} <- {}: expected a pipeline, a task that produces {} and another "
                       "one that consumes it with its own instructions, found {}",
                       name, name, name,
                       system.resources[down].pipeline ? "no such two tasks" : "no pipeline")});
    }
  }
  return findings;
}

}  // namespace spillway::task
