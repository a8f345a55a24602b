#include "model/alloc/check_task/access_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/alloc/task/codes.h"
#include "model/hw/fault.h"

namespace spillway::task {
namespace {

/// What a step completes: sides of pipelines.
std::vector<std::pair<OperationKind, PipelineId>> Completed(const Program& program,
                                                            const Step& step) {
  std::vector<std::pair<OperationKind, PipelineId>> sides;
  for (const SyncPart& part : program.PartsOf(step)) sides.emplace_back(part.kind, part.pipeline);
  std::sort(sides.begin(), sides.end());
  return sides;
}

struct Place {
  Footprint footprint;
  std::uint32_t group = 0;
};

}  // namespace

std::vector<AccessGroup> GroupAccesses(const Program& program, const Execution& execution) {
  // By number, so that an access isn't compared by all the sides that its step completes.
  std::map<std::vector<std::pair<OperationKind, PipelineId>>, std::uint32_t> numbers;
  IdVector<TaskId, std::vector<const std::uint32_t*>> completed_by(program.steps.size());
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    for (std::uint32_t i = 0; i < execution.steps_begun[TaskId(t)]; ++i) {
      const Step& step = program.steps[TaskId(t)][i];
      const std::uint32_t* number = nullptr;
      if (step.access_count > 0) number = &numbers[Completed(program, step)];
      completed_by[TaskId(t)].push_back(number);
    }
  }
  std::uint32_t next = 0;
  for (auto& [sides, number] : numbers) number = next++;
  using Key = std::tuple<AccessClass, std::uint32_t, std::uint32_t>;
  std::map<Key, AccessGroup> groups;
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    const TaskId task(t);
    for (std::uint32_t i = 0; i < execution.steps_begun[task]; ++i) {
      const Step& step = program.steps[task][i];
      if (step.access_count == 0) continue;
      const std::uint32_t completed = *completed_by[task][i];
      for (const StepAccess& access : program.AccessesOf(step)) {
        const AccessClass what{ActorOf(task, step), access.kind, access.resource};
        AccessGroup& group = groups[Key{what, access.slot, completed}];
        group.what = what;
        group.slot = access.slot;
        group.points.push_back({what, access.occurrence, i, access.slot});
      }
    }
  }
  std::vector<AccessGroup> list;
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

Result<std::vector<GroupPair>> OverlappingGroups(const Program& program,
                                                 const std::vector<AccessGroup>& groups) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const Footprint& footprint : groups[i].Footprints(program))
      places.push_back({footprint, static_cast<std::uint32_t>(i)});
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::pair(a.footprint.space, a.footprint.range.begin) <
           std::pair(b.footprint.space, b.footprint.range.begin);
  });
  std::vector<GroupPair> pairs;
  std::vector<const Place*> open;
  std::size_t looks = 0;
  for (const Place& place : places) {
    // What ended stays away: places come by their begin.
    std::erase_if(open, [&](const Place* earlier) {
      return earlier->footprint.space != place.footprint.space ||
             earlier->footprint.range.end <= place.footprint.range.begin;
    });
    open.push_back(&place);
    looks += open.size();
    if (looks > kMaxGroupLooks || pairs.size() > kMaxGroupPairs) {
      return Fail(MakeError(Code::kLimit,
                            fmt::format("tasks: expected at most {} pairs of accesses that share "
                                        "memory, found more; fewer resources over one place would "
                                        "show the same",
                                        kMaxGroupPairs)));
    }
    for (const Place* earlier : open) {
      if (SPILLWAY_FAULT(D14, false,
                         fault::IsVariant(0) && groups[earlier->group].what.resource !=
                                                    groups[place.group].what.resource))
        continue;
      if (Overlap(earlier->footprint, place.footprint))
        pairs.push_back(
            {std::min(earlier->group, place.group), std::max(earlier->group, place.group)});
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::size_t paired = 0;
  // A transfer is over for who knows one of its parts, and may have a thousand.
  const auto looks_of = [&](const AccessGroup& group) {
    const Step& step = program.steps[group.what.actor.task][group.points.front().step];
    return group.points.size() *
           (step.kind == OperationKind::kDma ? std::size_t{1} + step.part_count : 1);
  };
  for (const GroupPair& pair : pairs)
    paired += looks_of(groups[pair.first]) + looks_of(groups[pair.second]);
  if (paired > kMaxPairedAccesses) {
    return Fail(MakeError(Code::kLimit,
                          fmt::format("tasks: expected at most {} accesses to compare among those "
                                      "that share memory, found {}; fewer iterations or resources "
                                      "over one place would show the same",
                                      kMaxPairedAccesses, paired)));
  }
  return pairs;
}

}  // namespace spillway::task
