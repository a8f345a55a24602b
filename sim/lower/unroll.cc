#include "sim/lower/unroll.h"

#include <fmt/format.h>

namespace spillway {
namespace {

// Empty iterations cost time too: a kernel may step its loops this many times per instance.
constexpr std::size_t kMaxItemsPerInstance = 8;

std::vector<std::size_t> MatchLoops(const Kernel& kernel) {
  std::vector<std::size_t> other(kernel.body.size(), 0);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < kernel.body.size(); ++i) {
    if (kernel.body[i].kind == BodyKind::kLoopBegin) open.push_back(i);
    if (kernel.body[i].kind != BodyKind::kLoopEnd) continue;
    SPILLWAY_CHECK(!open.empty() && kernel.body[open.back()].index == kernel.body[i].index,
                   "loops nest");
    other[i] = open.back();
    other[open.back()] = i;
    open.pop_back();
  }
  SPILLWAY_CHECK(open.empty(), "loops nest");
  return other;
}

// Instances of the instructions that run in every iteration: no need to count up to the limit.
double LeastInstances(const Kernel& kernel) {
  double least = 0;
  std::vector<double> times = {1};
  for (const BodyItem& item : kernel.body) {
    if (item.kind == BodyKind::kLoopBegin) {
      times.push_back(times.back() * static_cast<double>(TripCount(kernel.loops[item.loop()])));
    } else if (item.kind == BodyKind::kLoopEnd) {
      times.pop_back();
    } else if (kernel.instructions[item.instruction()].when.empty()) {
      least += times.back();
    }
  }
  return least;
}

Error TooLarge(const Kernel& kernel, std::size_t max_instances) {
  return {Kind::kLimit, "too-many-instances",
          fmt::format("{}: its loops unroll to more than {} instruction instances, or to more loop "
                      "values than fit; simulate it with "
                      "smaller trip counts",
                      kernel.name, max_instances),
          "", 0};
}

}  // namespace

Result<InstanceSequence> Unroll(const Kernel& kernel, std::size_t max_instances) {
  if (LeastInstances(kernel) > static_cast<double>(max_instances)) {
    return Fail(TooLarge(kernel, max_instances));
  }
  const std::vector<std::size_t> other = MatchLoops(kernel);
  InstanceSequence sequence;
  sequence.loop_count = kernel.loops.size();
  std::vector<std::int64_t> values(kernel.loops.size(), 0);
  bool stepped = true;
  std::size_t visited = 0;
  for (std::size_t at = 0; at < kernel.body.size(); ++at) {
    if (++visited / kMaxItemsPerInstance > max_instances)
      return Fail(TooLarge(kernel, max_instances));
    const BodyItem& item = kernel.body[at];
    if (item.kind == BodyKind::kLoopBegin) {
      const Loop& loop = kernel.loops[item.loop()];
      values[item.index] = loop.begin;
      stepped = true;
      if (TripCount(loop) == 0) at = other[at];
    } else if (item.kind == BodyKind::kLoopEnd) {
      const Loop& loop = kernel.loops[item.loop()];
      const std::int64_t next = values[item.index] + loop.step;
      if (loop.step > 0 ? next >= loop.end : next <= loop.end) continue;
      values[item.index] = next;
      stepped = true;
      at = other[at];
    } else if (Holds(kernel.instructions[item.instruction()].when, values)) {
      if (sequence.size() == max_instances) return Fail(TooLarge(kernel, max_instances));
      if (sequence.snapshots.size() + values.size() > kMaxSnapshotValues)
        return Fail(TooLarge(kernel, max_instances));
      if (stepped)
        sequence.snapshots.insert(sequence.snapshots.end(), values.begin(), values.end());
      stepped = false;
      const std::size_t snapshots =
          sequence.loop_count == 0 ? 1 : sequence.snapshots.size() / sequence.loop_count;
      sequence.instances.push_back({item.instruction(), static_cast<std::uint32_t>(snapshots - 1)});
    }
  }
  return sequence;
}

}  // namespace spillway
