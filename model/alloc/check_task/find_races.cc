#include "model/alloc/check_task/find_races.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace spillway::task {
namespace {

bool EndsBefore(const HappensBefore& order, const AccessPoint& a, const AccessPoint& b) {
  return order.EndsBefore(a.what.actor.task, a.step, b.what.actor.task, b.step);
}

/// Whether both accesses conflict where they share memory: of different actors, or of two transfers
/// of one actor; at least one of them not a read. Source: ts_pipelines.md §8, Conflict.
bool Conflict(const AccessPoint& a, const AccessPoint& b) {
  if (a.what.access == AccessKind::kRead && b.what.access == AccessKind::kRead) return false;
  return a.what.actor != b.what.actor || (a.what.actor.kind == SideKind::kDma && a.step != b.step);
}

/// The first pair that nothing orders, by a's number, then b's.
std::optional<std::pair<AccessPoint, AccessPoint>> FirstPair(const HappensBefore& order,
                                                             const AccessGroup& as,
                                                             const AccessGroup& bs) {
  std::size_t begin = 0;  // of the b that aren't over before a begins
  std::size_t end = 0;    // of the b that begin only after a is over
  for (const AccessPoint& a : as.points) {
    while (begin < bs.points.size() && EndsBefore(order, bs.points[begin], a)) ++begin;
    end = std::max(end, begin);
    while (end < bs.points.size() && !EndsBefore(order, a, bs.points[end])) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      if (Conflict(a, bs.points[i])) return std::pair(a, bs.points[i]);
    }
  }
  return std::nullopt;
}

/// The race of two accesses that conflict, with its names in order and what they share.
Race MakeRace(const PipelineSystem& system, const Program& program, const AccessPoint& a,
              const AccessPoint& b) {
  const auto key = [&](const AccessPoint& point) {
    return std::pair(NamesOf(system, point.what), point.occurrence);
  };
  const bool ordered = key(a) <= key(b);
  Race race{ordered ? a : b, ordered ? b : a, MemorySpace::kSmem, {}};
  for (const Footprint& first : program.footprints[race.a.what.resource][race.a.slot]) {
    for (const Footprint& second : program.footprints[race.b.what.resource][race.b.slot]) {
      if (!Overlap(first, second)) continue;
      race.space = first.space;
      race.range = Intersect(first.range, second.range);
      return race;
    }
  }
  SPILLWAY_CHECK(false, "accesses that share memory");
}

}  // namespace

std::vector<Race> FindRaces(const PipelineSystem& system, const Program& program,
                            const HappensBefore& order, const std::vector<AccessGroup>& groups,
                            const std::vector<GroupPair>& pairs) {
  std::map<std::pair<std::array<std::string, 3>, std::array<std::string, 3>>, Race> found;
  for (const GroupPair& pair : pairs) {
    const AccessGroup* a = &groups[pair.first];
    const AccessGroup* b = &groups[pair.second];
    if (!Conflict(a->points.front(), b->points.back()) &&
        !Conflict(a->points.back(), b->points.front()))
      continue;
    auto names = std::pair(NamesOf(system, a->what), NamesOf(system, b->what));
    if (names.second < names.first) {
      std::swap(a, b);
      std::swap(names.first, names.second);
    }
    const auto keep = [&](const AccessGroup& as, const AccessGroup& bs) {
      const auto first = FirstPair(order, as, bs);
      if (!first) return;
      const Race race = MakeRace(system, program, first->first, first->second);
      const auto [at, is_new] = found.emplace(names, race);
      if (!is_new && std::pair(race.a.occurrence, race.b.occurrence) <
                         std::pair(at->second.a.occurrence, at->second.b.occurrence))
        at->second = race;
    };
    keep(*a, *b);
    if (a != b && a->what == b->what) keep(*b, *a);  // the earlier one may be in either
  }
  std::vector<Race> races;
  for (const auto& [names, race] : found) races.push_back(race);
  return races;
}

}  // namespace spillway::task
