#include "model/alloc/check_task/race_in_progress.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace spillway::task {
namespace {

/// "Of different actors, or of two different transfers of one dma actor": a matrix unit and a task
/// are each in order with themselves.
bool AreOfTwo(const AccessPoint& a, const AccessPoint& b) {
  const bool one_task = a.what.actor.task == b.what.actor.task;
  const bool one_actor = one_task && a.what.actor.kind == b.what.actor.kind;
  if (!one_actor) return true;
  const bool one_operation = a.step == b.step;
  return a.what.actor.kind == SideKind::kDma && !one_operation;
}

/// "At least one of them not a read": a use writes.
bool IsWritten(const AccessPoint& a, const AccessPoint& b) {
  const auto writes = [](const AccessPoint& point) {
    return point.what.access == AccessKind::kWrite || point.what.access == AccessKind::kUse;
  };
  return writes(a) || writes(b);
}

/// Where two rectangles of one space intersect; nothing: they don't.
std::optional<Interval<UnitOffset>> Shared(const Footprint& a, const Footprint& b) {
  if (a.space != b.space) return std::nullopt;
  const std::int64_t begin = std::max(a.range.begin.value, b.range.begin.value);
  const std::int64_t end = std::min(a.range.end.value, b.range.end.value);
  const std::int64_t first =
      std::max<std::int64_t>(a.partitions.begin.value, b.partitions.begin.value);
  const std::int64_t last = std::min<std::int64_t>(a.partitions.end.value, b.partitions.end.value);
  if (begin >= end || first >= last) return std::nullopt;
  return Interval<UnitOffset>{UnitOffset(begin), UnitOffset(end)};
}

/// The space and the units that two accesses share: of the first regions that intersect, in file
/// order of the first access and then of the second one; nothing: they share none.
std::optional<std::pair<MemorySpace, Interval<UnitOffset>>> FirstShared(const Program& program,
                                                                        const AccessPoint& first,
                                                                        const AccessPoint& second) {
  for (const Footprint& one : program.footprints[first.what.resource][first.slot]) {
    for (const Footprint& other : program.footprints[second.what.resource][second.slot]) {
      if (const auto range = Shared(one, other)) return std::pair(one.space, *range);
    }
  }
  return std::nullopt;
}

/// Actor, access, resource and number: what tells which access is named first.
std::pair<std::array<std::string, 3>, std::int64_t> RankOf(const PipelineSystem& system,
                                                           const AccessPoint& point) {
  return {NamesOf(system, point.what), point.occurrence};
}

}  // namespace

bool ConflictInProgress(const Program& program, const AccessPoint& a, const AccessPoint& b) {
  return AreOfTwo(a, b) && IsWritten(a, b) && FirstShared(program, a, b).has_value();
}

Race RaceInProgress(const PipelineSystem& system, const Program& program, const AccessPoint& a,
                    const AccessPoint& b) {
  const bool is_swapped = RankOf(system, b) < RankOf(system, a);
  const AccessPoint& first = is_swapped ? b : a;
  const AccessPoint& second = is_swapped ? a : b;
  const auto shared = FirstShared(program, first, second);
  SPILLWAY_CHECK(shared.has_value(), "accesses that conflict share memory");
  return {first, second, shared->first, shared->second};
}

}  // namespace spillway::task
