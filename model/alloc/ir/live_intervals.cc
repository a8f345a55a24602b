#include "model/alloc/ir/live_intervals.h"

#include <algorithm>

#include "model/alloc/ir/exposure.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

Interval<PointId> PointsOf(const LinearKernel& linear, LoopId loop) {
  const LoopPoints& points = linear.loop_points[loop];
  return {points.header, PointId(points.terminator.value + 1)};
}

std::size_t Depth(const LinearKernel& linear, std::optional<LoopId> loop) {
  std::size_t depth = 0;
  for (; loop; loop = linear.kernel.loops[*loop].parent) ++depth;
  return depth;
}

std::optional<LoopId> CommonOf(const LinearKernel& linear, std::optional<LoopId> a,
                               std::optional<LoopId> b) {
  std::size_t depth_a = Depth(linear, a);
  std::size_t depth_b = Depth(linear, b);
  while (a != b) {
    if (depth_a >= depth_b) {
      a = linear.kernel.loops[*a].parent;
      --depth_a;
    } else {
      b = linear.kernel.loops[*b].parent;
      --depth_b;
    }
  }
  return a;
}

}  // namespace

std::optional<LoopId> CommonLoop(const LinearKernel& linear,
                                 std::span<const PointAccess> accesses) {
  if (accesses.empty()) return std::nullopt;
  std::optional<LoopId> common = linear.loop_of[accesses.front().point];
  for (const PointAccess& access : accesses) {
    if (!common) break;
    common = CommonOf(linear, common, linear.loop_of[access.point]);
  }
  return common;
}

std::optional<LoopId> OutermostBelow(const LinearKernel& linear, PointId point,
                                     std::optional<LoopId> level) {
  std::optional<LoopId> found;
  for (std::optional<LoopId> loop = linear.loop_of[point]; loop && loop != level;
       loop = linear.kernel.loops[*loop].parent) {
    found = loop;
  }
  return found;
}

std::optional<Interval<PointId>> LiveIntervalOf(const LinearKernel& linear,
                                                std::span<const PointAccess> accesses) {
  if (accesses.empty()) return std::nullopt;
  const TensorId tensor = linear.accesses[accesses.front().point][accesses.front().access].tensor;
  const Role role = linear.kernel.tensors[tensor].role;
  // What the kernel is given or leaves behind is defined, or used, outside of all loops.
  const std::optional<LoopId> common =
      role == Role::kInternal ? CommonLoop(linear, accesses) : std::nullopt;
  std::optional<Interval<PointId>> life;
  for (const PointAccess& access : accesses) {
    const std::optional<LoopId> deeper = OutermostBelow(linear, access.point, common);
    const Interval<PointId> part =
        deeper ? PointsOf(linear, SPILLWAY_FAULT(A2, *deeper, *linear.loop_of[access.point]))
               : Interval<PointId>{access.point, PointId(access.point.value + 1)};
    life = life ? Hull(*life, part) : part;
  }
  // Exposed in an inner loop means exposed in those around it that hold the same accesses, unless a
  // predicate saves it; the outermost is the safe answer.
  for (std::optional<LoopId> loop = common; loop; loop = linear.kernel.loops[*loop].parent) {
    if (ExposureOf(linear, accesses, loop).exposed.empty()) break;
    life = SPILLWAY_FAULT(A1, Hull(*life, PointsOf(linear, *loop)), *life);
  }
  if (role == Role::kInput || role == Role::kConstant) life->begin = PointId(0);
  if (role == Role::kOutput) life->end = PointId(linear.point_count());
  life->end =
      SPILLWAY_FAULT(A3, life->end, PointId(std::max(life->begin.value + 1, life->end.value - 1)));
  life->begin = SPILLWAY_FAULT(A4, life->begin,
                               PointId(std::min(life->begin.value + 1, life->end.value - 1)));
  const bool is_forgotten = SPILLWAY_FAULT(
      A5, false, std::all_of(accesses.begin(), accesses.end(), [](const PointAccess& access) {
        return access.is_write;
      }));
  if (is_forgotten) life = Interval<PointId>{};
  return life;
}

IdVector<TensorId, std::optional<Interval<PointId>>> LiveIntervals(const LinearKernel& linear) {
  IdVector<TensorId, std::optional<Interval<PointId>>> lives(linear.kernel.tensors.size());
  for (std::size_t i = 0; i < lives.size(); ++i) {
    lives[TensorId(i)] = LiveIntervalOf(linear, linear.accesses_of[TensorId(i)]);
  }
  return lives;
}

}  // namespace spillway
