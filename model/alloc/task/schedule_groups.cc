// Which operations are a group's and which its members', and who may do them.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "model/alloc/task/schedule_parts.h"

namespace spillway::task {
namespace {

/// The blocking operation that a try asks for.
TaskVerb WithoutTry(TaskVerb verb) {
  if (verb == TaskVerb::kTryAcquire) return TaskVerb::kAcquire;
  return verb == TaskVerb::kTryWait ? TaskVerb::kWait : verb;
}

/// Source: ts_pipelines.md §7, the table of groups.
bool IsShared(GroupMode mode, TaskVerb verb) {
  switch (mode) {
    case GroupMode::kMerge: return verb == TaskVerb::kRelease;
    case GroupMode::kFork: return verb == TaskVerb::kCommit;
    case GroupMode::kFusedMerge: return verb == TaskVerb::kWait || verb == TaskVerb::kRelease;
  }
  return false;
}

std::string SharedOf(GroupMode mode) {
  switch (mode) {
    case GroupMode::kMerge: return "release";
    case GroupMode::kFork: return "commit";
    case GroupMode::kFusedMerge: return "wait and release";
  }
  return "";
}

bool Has(const std::vector<const TaskResource*>& list, const TaskResource* resource) {
  return std::find(list.begin(), list.end(), resource) != list.end();
}

/// The task's resources that an operation is on.
std::vector<const TaskResource*> Touched(const TaskUse& use, const TaskOperation& operation) {
  if (const auto* resource = std::get_if<const TaskResource*>(&operation.on)) return {*resource};
  std::vector<const TaskResource*> touched;
  for (const StagedPipeline* const member : PipelinesOf(operation)) {
    for (const TaskResource* const resource : ResourcesOf(use)) {
      if (resource->pipeline().get() == member) touched.push_back(resource);
    }
  }
  return touched;
}

}  // namespace

std::vector<ScheduleFinding> CheckGroups(const TaskUse& use) {
  std::vector<ScheduleFinding> findings;
  std::set<std::pair<TaskVerb, std::string>> seen;
  for (const TaskOperation* const operation : InOrder(use, 1)) {
    const TaskVerb verb = WithoutTry(operation->verb);
    if (verb == TaskVerb::kAuxiliary) continue;
    const auto report = [&](Code code, const std::string& text) {
      if (!seen.emplace(operation->verb, NameOf(*operation)).second) return;
      findings.push_back({code, false,
                          fmt::format("task {}: {} of {}: {}", use.task,
                                      TaskVerbName(operation->verb), NameOf(*operation), text)});
    };
    if (const auto* group = std::get_if<const PipelineGroup*>(&operation->on)) {
      if (IsShared((*group)->mode(), verb)) continue;
      report(Code::kGroupOperation,
             fmt::format("expected {} of a {} group, whose other operations are its members', "
                         "found {}",
                         SharedOf((*group)->mode()), GroupModeName((*group)->mode()),
                         TaskVerbName(operation->verb)));
      continue;
    }
    if (!IsSync(operation->verb)) continue;
    const std::vector<const StagedPipeline*> pipelines = PipelinesOf(*operation);
    if (pipelines.empty()) {
      report(Code::kResourceNoPipeline, "expected a resource with a pipeline, found none");
      continue;
    }
    const StagedPipeline& pipeline = *pipelines.front();
    if (pipeline.group().empty() || !IsShared(pipeline.group_mode(), verb)) continue;
    report(Code::kGroupSharedSide,
           fmt::format("expected it once, on the {} group {} that pipeline {} is a member of, "
                       "found it on the member",
                       GroupModeName(pipeline.group_mode()), pipeline.group(), pipeline.name()));
  }
  return findings;
}

std::vector<ScheduleFinding> CheckRoles(const TaskUse& use) {
  std::vector<ScheduleFinding> findings;
  if (use.sources.empty() && use.destinations.empty()) return findings;
  std::set<std::pair<TaskVerb, const TaskResource*>> seen;
  for (const TaskOperation* const operation : InOrder(use, 1)) {
    const std::optional<Side> side = SideOf(operation->verb);
    if (!side) continue;
    const bool produces = *side == Side::kProducer;
    for (const TaskResource* const resource : Touched(use, *operation)) {
      if (Has(produces ? use.destinations : use.sources, resource)) continue;
      if (!seen.emplace(operation->verb, resource).second) continue;
      const bool other = Has(produces ? use.sources : use.destinations, resource);
      findings.push_back(
          {produces ? Code::kRoleProducer : Code::kRoleConsumer, false,
           fmt::format("task {}: {} of {}: expected a {} of the task, found {}; list it as one or "
                       "leave the {} operation to another task",
                       use.task, TaskVerbName(operation->verb), resource->name(),
                       produces ? "destination" : "source",
                       !other     ? "neither a source nor a destination"
                       : produces ? "a source"
                                  : "a destination",
                       SideName(*side))});
    }
  }
  return findings;
}

}  // namespace spillway::task
