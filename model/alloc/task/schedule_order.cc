// In which order a task probes, opens and hands values on.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/alloc/task/schedule_parts.h"

namespace spillway::task {
namespace {

const void* ObjectOf(const TaskOperation& operation) {
  if (const auto* resource = std::get_if<const TaskResource*>(&operation.on)) {
    const PipelinePointer pipeline = (*resource)->pipeline();
    return pipeline.get();
  }
  return std::get<const PipelineGroup*>(operation.on);
}

bool Writes(const std::vector<TaskOperation>& part, const TaskResource* resource) {
  return std::any_of(part.begin(), part.end(), [&](const TaskOperation& operation) {
    const auto* on = std::get_if<const TaskResource*>(&operation.on);
    return operation.verb == TaskVerb::kWrite && on != nullptr && *on == resource;
  });
}

}  // namespace

std::vector<ScheduleFinding> CheckTries(const TaskUse& use) {
  std::vector<ScheduleFinding> findings;
  std::set<std::pair<const void*, TaskVerb>> tried;
  std::set<std::pair<const void*, TaskVerb>> reported;
  // Twice through the loop: a try at its end is for the next iteration.
  for (const TaskOperation* const operation : InOrder(use, 2)) {
    const std::vector<const StagedPipeline*> pipelines = PipelinesOf(*operation);
    if (pipelines.empty() || !pipelines.front()->options().supports_probes) continue;
    const void* const object = ObjectOf(*operation);
    switch (operation->verb) {
      case TaskVerb::kTryAcquire: tried.emplace(object, TaskVerb::kAcquire); break;
      case TaskVerb::kTryWait: tried.emplace(object, TaskVerb::kWait); break;
      case TaskVerb::kAcquire:
      case TaskVerb::kWait: {
        if (tried.erase({object, operation->verb}) > 0) break;
        if (!reported.emplace(object, operation->verb).second) break;
        findings.push_back(
            {Code::kOrderTry, false,
             fmt::format("task {}: {} of {}: expected a try-{} since the {} before it, found none; "
                         "pipeline {} supports probes",
                         use.task, TaskVerbName(operation->verb), NameOf(*operation),
                         TaskVerbName(operation->verb), TaskVerbName(operation->verb),
                         pipelines.front()->name())});
        break;
      }
      default: break;
    }
  }
  return findings;
}

std::vector<ScheduleFinding> CheckValues(const TaskUse& use) {
  std::vector<ScheduleFinding> findings;
  std::set<std::string> given;
  std::set<std::pair<Code, std::string>> reported;
  // Once through the loop: what its first iteration lacks, later ones can't mend.
  for (const TaskOperation* const operation : InOrder(use, 1)) {
    if (operation->verb == TaskVerb::kAuxiliary) continue;
    const auto report = [&](Code code, const std::string& value, std::string_view text) {
      if (!reported.emplace(code, value).second) return;
      findings.push_back(
          {code, false,
           fmt::format("task {}: {} of {}: value {}: {}", use.task, TaskVerbName(operation->verb),
                       NameOf(*operation), value, text)});
    };
    // Scratch work stands between both: it may take and give.
    for (const std::string& value : operation->takes) {
      if (operation->verb != TaskVerb::kWrite && operation->verb != TaskVerb::kUse) {
        report(Code::kValueDirection, value,
               "expected to be taken by work of a producer, since values flow from what a task "
               "consumes to what it produces");
      }
      if (!given.contains(value)) {
        report(Code::kValueUnwritten, value,
               "expected work of the task before it that gives it, found none");
      }
    }
    for (const std::string& value : operation->gives) {
      if (operation->verb != TaskVerb::kRead && operation->verb != TaskVerb::kUse) {
        report(Code::kValueDirection, value,
               "expected to be given by work of a consumer, since values flow from what a task "
               "consumes to what it produces");
      }
      given.insert(value);
    }
  }
  return findings;
}

std::vector<ScheduleFinding> CheckHead(const TaskUse& use) {
  std::vector<ScheduleFinding> findings;
  for (const TaskResource* const resource : ResourcesOf(use)) {
    if (!resource->pipeline() || !Writes(use.schedule.head, resource) ||
        !Writes(use.schedule.loop, resource))
      continue;
    findings.push_back(
        {Code::kHeadAndLoop, true,
         fmt::format("task {}: write of {}: expected in the head or in the loop, found in both; "
                     "work that addresses data by the iteration does the first one twice",
                     use.task, resource->name())});
  }
  return findings;
}

}  // namespace spillway::task
