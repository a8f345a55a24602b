// Whether a task keeps a slot until the asynchronous work that reads it is issued.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/alloc/check_task/structure_parts.h"

namespace spillway::task {
namespace {

/// Findings in words; the others are counted: a bound on memory, since each task may break each
/// edge of the graph.
constexpr std::size_t kMaxEarlyReleases = 10'000;

using StepIndex = std::uint32_t;

/// Steps of one task in which something happens, all ascending: found in one walk, since a graph
/// may have as many edges as a task has steps.
struct TaskSteps {
  IdVector<PipelineId, std::vector<StepIndex>> waits;
  IdVector<PipelineId, std::vector<StepIndex>> releases;
  /// By transfers and matrix work that the task issues. For look-up only.
  std::unordered_map<ResourceId, std::vector<StepIndex>> asynchronous_writes;
};

TaskSteps StepsOf(const PipelineSystem& system, const Program& program, TaskId task) {
  const std::size_t pipelines = system.pipelines.size();
  TaskSteps found{IdVector<PipelineId, std::vector<StepIndex>>(pipelines),
                  IdVector<PipelineId, std::vector<StepIndex>>(pipelines),
                  {}};
  const std::vector<Step>& steps = program.steps[task];
  for (StepIndex i = 0; i < steps.size(); ++i) {
    for (const SyncPart& part : program.PartsOf(steps[i])) {
      if (part.kind == OperationKind::kWait) found.waits[part.pipeline].push_back(i);
      if (part.kind == OperationKind::kRelease) found.releases[part.pipeline].push_back(i);
    }
    if (ActorOf(task, steps[i]).kind == SideKind::kThread) continue;
    for (const StepAccess& access : program.AccessesOf(steps[i])) {
      if (access.kind == AccessKind::kRead) continue;
      std::vector<StepIndex>& writes = found.asynchronous_writes[access.resource];
      if (writes.empty() || writes.back() != i) writes.push_back(i);
    }
  }
  return found;
}

/// The first of `steps` from number `from` on that isn't before `bound`: in strides that double, so
/// that a walk takes no longer than the list is, and a jump no longer than a search.
std::size_t SkipTo(const std::vector<StepIndex>& steps, std::size_t from, StepIndex bound) {
  std::size_t width = 1;
  while (from + width < steps.size() && steps[from + width] < bound) {
    from += width;
    width *= 2;
  }
  const auto end =
      steps.begin() + static_cast<std::ptrdiff_t>(std::min(steps.size(), from + width + 1));
  const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(std::min(steps.size(), from));
  return static_cast<std::size_t>(std::lower_bound(begin, end, bound) - steps.begin());
}

/// The number of the first release without such a write between its wait and itself.
std::optional<std::size_t> FirstEarly(const std::vector<StepIndex>& waits,
                                      const std::vector<StepIndex>& releases,
                                      const std::vector<StepIndex>& writes) {
  // Without waits each release looks back to the start, so the first one decides.
  if (waits.empty()) return writes.front() > releases.front() ? std::optional(0UL) : std::nullopt;
  std::size_t write = 0;
  // Releases beyond the waits are unopened: another finding.
  for (std::size_t j = 0; j < std::min(waits.size(), releases.size());) {
    write = SkipTo(writes, write, waits[j]);
    // A transfer that releases is work of its own before the release.
    if (write == writes.size() || writes[write] > releases[j]) return j;
    // What was waited for before this write is released behind it, too.
    j = SkipTo(waits, j, writes[write] + 1);
  }
  return std::nullopt;
}

}  // namespace

std::vector<StructureFinding> CheckEarlyReleases(const PipelineSystem& system,
                                                 const Program& program) {
  std::vector<StructureFinding> findings;
  std::int64_t untold = 0;
  if (!system.graph) return findings;
  IdVector<TaskId, TaskSteps> tasks;
  for (std::size_t t = 0; t < program.steps.size(); ++t)
    tasks.push_back(StepsOf(system, program, TaskId(t)));
  for (const Dependency& dependency : *system.graph) {
    const Resource& down = system.resources[dependency.downstream];
    for (const ResourceId upstream : dependency.upstream) {
      const Resource& up = system.resources[upstream];
      if (!up.pipeline) continue;
      for (std::size_t t = 0; t < program.steps.size(); ++t) {
        const TaskId task(t);
        const std::vector<StepIndex>& releases = tasks[task].releases[*up.pipeline];
        if (releases.empty()) continue;
        const auto writes = tasks[task].asynchronous_writes.find(dependency.downstream);
        if (writes == tasks[task].asynchronous_writes.end()) continue;
        if (down.pipeline &&
            system.pipelines[*down.pipeline].producer.Of(task) == SideKind::kThread)
          continue;
        const std::vector<StepIndex>& waits = tasks[task].waits[*up.pipeline];
        const std::optional<std::size_t> early = FirstEarly(waits, releases, writes->second);
        if (!early) continue;
        if (findings.size() == kMaxEarlyReleases) {
          ++untold;
          continue;
        }
        findings.push_back(
            {StructureCode::kEarlyRelease,
             fmt::format(
                 "task {}: release #{} of pipeline {}: expected work that writes {} issued "
                 "{} it, found none; release {} behind the work that reads it",
                 system.tasks[task].name, *early, system.pipelines[*up.pipeline].name, down.name,
                 waits.empty() ? "before" : fmt::format("between wait #{} and", *early), up.name)});
      }
    }
  }
  if (untold > 0) {
    findings.push_back({StructureCode::kEarlyRelease,
                        fmt::format("graph: {} more releases like the {} before, on other edges",
                                    untold, kMaxEarlyReleases)});
  }
  return findings;
}

}  // namespace spillway::task
