#include "model/alloc/nki/scope_sites.h"

#include "model/alloc/ir/live_intervals.h"

namespace spillway::nki {

ScopeSite ScopeSiteOf(const LinearKernel& linear, const Interval<PointId>& life) {
  const auto holds = [&](LoopId loop) {
    const LoopPoints& points = linear.loop_points[loop];
    return points.header < life.begin && life.end <= points.terminator;
  };
  std::optional<LoopId> scope = linear.loop_of[life.begin];
  while (scope && !holds(*scope)) scope = linear.kernel.loops[*scope].parent;
  const std::optional<LoopId> below = OutermostBelow(linear, life.begin, scope);
  return {scope, below ? linear.loop_points[*below].header : life.begin};
}

}  // namespace spillway::nki
