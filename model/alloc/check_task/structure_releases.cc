// Whether a task keeps a slot until the asynchronous work that reads it is issued.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/alloc/check_task/structure_parts.h"

namespace spillway::task {
namespace {

/// Steps of a task in which something happens, ascending.
struct Steps {
  std::vector<std::size_t> waits;     ///< on the upstream pipeline
  std::vector<std::size_t> releases;  ///< of it
  std::vector<std::size_t> writes;    ///< asynchronous ones of the downstream resource
};

Steps Collect(const Program& program, TaskId task, PipelineId upstream, ResourceId downstream) {
  Steps found;
  const std::vector<Step>& steps = program.steps[task];
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const SyncPart& part : program.PartsOf(steps[i])) {
      if (part.pipeline != upstream) continue;
      if (part.kind == OperationKind::kWait) found.waits.push_back(i);
      if (part.kind == OperationKind::kRelease) found.releases.push_back(i);
    }
    if (ActorOf(task, steps[i]).kind == SideKind::kThread) continue;
    const auto accesses = program.AccessesOf(steps[i]);
    if (std::any_of(accesses.begin(), accesses.end(), [&](const StepAccess& access) {
          return access.resource == downstream && access.kind != AccessKind::kRead;
        }))
      found.writes.push_back(i);
  }
  return found;
}

/// The number of the first release without such a write between its wait and itself.
std::optional<std::size_t> FirstEarly(const Steps& steps) {
  for (std::size_t j = 0; j < steps.releases.size(); ++j) {
    std::size_t from = 0;
    if (!steps.waits.empty()) {
      if (j >= steps.waits.size()) return std::nullopt;  // unopened: another finding
      from = steps.waits[j];
    }
    // A transfer that releases is work of its own before the release.
    const auto write = std::lower_bound(steps.writes.begin(), steps.writes.end(), from);
    if (write == steps.writes.end() || *write > steps.releases[j]) return j;
  }
  return std::nullopt;
}

}  // namespace

std::vector<StructureFinding> CheckEarlyReleases(const PipelineSystem& system,
                                                 const Program& program) {
  std::vector<StructureFinding> findings;
  if (!system.graph) return findings;
  const auto counts = CountSyncs(system, program);
  for (const Dependency& dependency : *system.graph) {
    const Resource& down = system.resources[dependency.downstream];
    for (const ResourceId upstream : dependency.upstream) {
      const Resource& up = system.resources[upstream];
      if (!up.pipeline) continue;
      for (std::size_t t = 0; t < program.steps.size(); ++t) {
        const TaskId task(t);
        if (counts[task][*up.pipeline].releases == 0) continue;
        if (down.pipeline &&
            system.pipelines[*down.pipeline].producer.Of(task) == SideKind::kThread)
          continue;
        const Steps steps = Collect(program, task, *up.pipeline, dependency.downstream);
        if (steps.writes.empty()) continue;
        const std::optional<std::size_t> early = FirstEarly(steps);
        if (!early) continue;
        findings.push_back(
            {StructureCode::kEarlyRelease,
             fmt::format(
                 "task {}: release #{} of pipeline {}: expected work that writes {} issued "
                 "{} it, found none; release {} behind the work that reads it",
                 system.tasks[task].name, *early, system.pipelines[*up.pipeline].name, down.name,
                 steps.waits.empty() ? "before" : fmt::format("between wait #{} and", *early),
                 up.name)});
      }
    }
  }
  return findings;
}

}  // namespace spillway::task
