// Races: accesses that share memory and that nothing orders.
#pragma once

#include <vector>

#include "model/alloc/check_task/access_groups.h"

namespace spillway::task {

/// Two accesses that can be in progress at the same time, one of them at least not a read.
struct Race {
  AccessPoint a;  ///< its names come first, or it is the earlier one of equal names
  AccessPoint b;
  MemorySpace space = MemorySpace::kSmem;
  Interval<UnitOffset> range;  ///< what the two share: of the first regions that intersect

  friend bool operator==(const Race&, const Race&) = default;
};

/// All races: for each pair of classes the first pair of occurrences, by a's number, then b's.
/// Sorted by the names of a, then b. `pairs` are the overlapping ones of `groups`.
/// Time: linear in the accesses of each pair of groups.
/// Source: ts_pipelines.md §8, Race.
std::vector<Race> FindRaces(const PipelineSystem& system, const Program& program,
                            const HappensBefore& order, const std::vector<AccessGroup>& groups,
                            const std::vector<GroupPair>& pairs);

}  // namespace spillway::task
