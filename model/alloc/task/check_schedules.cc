#include "model/alloc/task/check_schedules.h"

#include "model/alloc/task/schedule_parts.h"

namespace spillway::task {

std::vector<const TaskOperation*> InOrder(const TaskUse& use, int trips) {
  std::vector<const TaskOperation*> all;
  const auto add = [&](const std::vector<TaskOperation>& part) {
    for (const TaskOperation& operation : part) all.push_back(&operation);
  };
  add(use.schedule.head);
  for (int trip = 0; trip < trips; ++trip) add(use.schedule.loop);
  add(use.schedule.tail);
  return all;
}

std::vector<const StagedPipeline*> PipelinesOf(const TaskOperation& operation) {
  std::vector<const StagedPipeline*> pipelines;
  if (const auto* resource = std::get_if<const TaskResource*>(&operation.on)) {
    SPILLWAY_CHECK(*resource != nullptr, "an operation is on something");
    if (const PipelinePointer pipeline = (*resource)->pipeline())
      pipelines.push_back(pipeline.get());
    return pipelines;
  }
  const auto* const group = std::get<const PipelineGroup*>(operation.on);
  SPILLWAY_CHECK(group != nullptr, "an operation is on something");
  for (const PipelinePointer& member : group->members()) pipelines.push_back(member.get());
  return pipelines;
}

const std::string& NameOf(const TaskOperation& operation) {
  if (const auto* resource = std::get_if<const TaskResource*>(&operation.on))
    return (*resource)->name();
  return std::get<const PipelineGroup*>(operation.on)->name();
}

bool IsSync(TaskVerb verb) {
  return verb != TaskVerb::kWrite && verb != TaskVerb::kRead && verb != TaskVerb::kUse &&
         verb != TaskVerb::kAuxiliary;
}

std::vector<ScheduleFinding> CheckSchedules(std::span<const TaskUse> tasks) {
  std::vector<ScheduleFinding> findings;
  const auto add = [&](std::vector<ScheduleFinding> more) {
    for (ScheduleFinding& finding : more) findings.push_back(std::move(finding));
  };
  for (const TaskUse& use : tasks) {
    for (auto* check :
         {&CheckGroups, &CheckRoles, &CheckTries, &CheckValues, &CheckHead, &CheckLanes})
      add(check(use));
  }
  add(CheckDeclaredArrivals(tasks));
  add(CheckClusters(tasks));
  return findings;
}

}  // namespace spillway::task
