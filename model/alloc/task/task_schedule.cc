#include "model/alloc/task/task_schedule.h"

#include <algorithm>
#include <array>

#include "model/alloc/task/named_words.h"

namespace spillway::task {
namespace {

constexpr std::array<std::string_view, 10> kVerbs = {"try-acquire", "acquire",  "write", "commit",
                                                     "try-wait",    "wait",     "read",  "release",
                                                     "use",         "auxiliary"};

}  // namespace

std::string_view TaskVerbName(TaskVerb verb) { return WordOf(kVerbs, verb); }

std::optional<Side> SideOf(TaskVerb verb) {
  switch (verb) {
    case TaskVerb::kTryAcquire:
    case TaskVerb::kAcquire:
    case TaskVerb::kWrite:
    case TaskVerb::kCommit: return Side::kProducer;
    case TaskVerb::kTryWait:
    case TaskVerb::kWait:
    case TaskVerb::kRead:
    case TaskVerb::kRelease: return Side::kConsumer;
    case TaskVerb::kUse:
    case TaskVerb::kAuxiliary: break;
  }
  return std::nullopt;
}

std::vector<const TaskResource*> ResourcesOf(const TaskUse& use) {
  std::vector<const TaskResource*> all;
  const auto add = [&](const TaskResource* resource) {
    if (std::find(all.begin(), all.end(), resource) == all.end()) all.push_back(resource);
  };
  for (const auto* list : {&use.resources, &use.sources, &use.destinations}) {
    for (const TaskResource* const resource : *list) add(resource);
  }
  for (const auto* part : {&use.schedule.head, &use.schedule.loop, &use.schedule.tail}) {
    for (const TaskOperation& operation : *part) {
      if (const auto* resource = std::get_if<const TaskResource*>(&operation.on)) add(*resource);
    }
  }
  return all;
}

}  // namespace spillway::task
