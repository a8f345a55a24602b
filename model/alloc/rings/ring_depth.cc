#include "model/alloc/rings/ring_depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/check_task/describe_verdict.h"
#include "model/alloc/check_task/execution.h"
#include "model/alloc/rings/build_system.h"
#include "model/alloc/rings/find_waits.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"

namespace spillway::rings {
namespace {

/// The tensor's accesses alone. Of equal ones in a row of the same fill the first is kept: the
/// others find what it found.
struct AloneWork {
  StreamWork work;
  std::vector<std::int64_t> fill_of;  ///< of each touch
};

AloneWork Alone(const StreamWork& work, const FillSequence& sequence) {
  AloneWork alone;
  alone.work.streams = work.streams;
  alone.work.shapes = work.shapes;
  std::set<std::tuple<std::uint32_t, ShapeId, bool>> row;
  std::int64_t row_of = -1;
  std::int64_t last_instance = -1;
  for (const FillTouch& at : sequence.touches) {
    const WorkInstance& instance = work.instances[at.instance];
    const Touch& touch = work.touches[at.touch];
    if (row_of != at.number) row.clear();
    row_of = at.number;
    if (!row.emplace(instance.stream, touch.shape, touch.is_write).second) continue;
    if (last_instance != at.instance) {
      last_instance = at.instance;
      alone.work.instances.push_back({instance.instruction, instance.stream,
                                      static_cast<std::uint32_t>(alone.work.touches.size()), 0});
    }
    ++alone.work.instances.back().touch_count;
    alone.work.touches.push_back(touch);
    alone.fill_of.push_back(at.number);
  }
  return alone;
}

UnitPlan PlanStages(const Tensor& tensor, const AloneWork& alone, std::int64_t fills,
                    std::int64_t stages) {
  UnitPlan plan;
  for (std::int64_t k = 0; k < fills; ++k) {
    Unit unit;
    unit.name = fmt::format("{}_fill{}", tensor.name, k);
    unit.space = tensor.space == Space::kPsum ? task::MemorySpace::kPsum : task::MemorySpace::kSbuf;
    unit.size = BlockBytes(tensor);
    unit.byte = ByteOffset(0) + BlockBytes(tensor) * (k % stages);
    unit.initial = tensor.role != Role::kInternal && tensor.role != Role::kOutput;
    plan.units.push_back(std::move(unit));
  }
  for (const std::int64_t fill : alone.fill_of) {
    plan.unit_of.push_back(UnitId(static_cast<std::size_t>(fill)));
    plan.stage_of.push_back(0);
  }
  return plan;
}

/// An instance that reads one fill and writes another one on the same bytes.
std::optional<std::string> FindOnTop(const Kernel& kernel, const AloneWork& alone,
                                     const UnitPlan& plan, const Tensor& tensor) {
  for (const WorkInstance& instance : alone.work.instances) {
    const std::uint32_t end = instance.first_touch + instance.touch_count;
    for (std::uint32_t r = instance.first_touch; r < end; ++r) {
      for (std::uint32_t w = instance.first_touch; w < end; ++w) {
        if (alone.work.touches[r].is_write || !alone.work.touches[w].is_write ||
            alone.fill_of[r] == alone.fill_of[w])
          continue;
        const auto& reads = alone.work.shapes[alone.work.touches[r].shape].runs;
        const auto& writes = alone.work.shapes[alone.work.touches[w].shape].runs;
        for (std::size_t a = 0; a < reads.size(); ++a) {
          for (std::size_t b = 0; b < writes.size(); ++b) {
            if (!Overlap(plan.Where(alone.work, r, a), plan.Where(alone.work, w, b))) continue;
            return fmt::format("{} reads fill {} of {} and writes fill {} on top of it",
                               kernel.instructions[instance.instruction].op, alone.fill_of[r],
                               tensor.name, alone.fill_of[w]);
          }
        }
      }
    }
  }
  return std::nullopt;
}

std::int64_t SkewOf(const FillSequence& sequence) {
  std::int64_t skew = 0;
  const auto& fills = sequence.fills;
  for (std::size_t k = 0; k < fills.size(); ++k) {
    std::size_t next = k + 1 + static_cast<std::size_t>(skew);
    // Fills begin in their order, so that what is open together is a stretch of numbers.
    while (next < fills.size() && fills[next].first_write <= fills[k].last_touch) ++next;
    skew = std::max(skew, static_cast<std::int64_t>(next - k - 1));
  }
  return skew;
}

}  // namespace

Result<std::optional<std::string>> FindTooFewStages(const Kernel& kernel, const StreamWork& work,
                                                    const FillSequence& sequence,
                                                    std::int64_t stages) {
  const Tensor& tensor = kernel.tensors[sequence.tensor];
  const AloneWork alone = Alone(work, sequence);
  if (alone.work.touches.size() > kMaxDepthTouches) {
    return Fail({Kind::kLimit, "ring-limit",
                 fmt::format("tensor {}: expected at most {} accesses to look at, found {}; fewer "
                             "trips show the same",
                             tensor.name, kMaxDepthTouches, alone.work.touches.size()),
                 "", 0});
  }
  const UnitPlan plan =
      PlanStages(tensor, alone, static_cast<std::int64_t>(sequence.fills.size()), stages);
  if (auto on_top = FindOnTop(kernel, alone, plan, tensor)) return on_top;
  const Result<Waits> waits = FindWaits(alone.work, plan);
  if (!waits) return Fail(waits.error());
  SystemParts parts;
  parts.name = tensor.name;
  for (const task::MemorySpace space : task::kMemorySpaces)
    parts.capacity[space] = task::Units((BlockBytes(tensor) * stages).value);
  const Result<task::PipelineSystem> system = BuildSystem(alone.work, plan, *waits, parts);
  if (!system) return Fail(system.error());
  const Result<task::SystemLayout> layout = task::LayOutSystem(*system);
  if (!layout) return Fail(layout.error());
  const Result<task::Program> program = task::Unroll(*system, *layout);
  if (!program) return Fail(program.error());
  Result<task::Verdict> verdict = task::CheckSystem(*system, *program);
  if (!verdict) return Fail(verdict.error());
  // What the kernel reads before it has written it isn't the ring's fault.
  verdict->uninitialized.clear();
  const auto findings = task::DescribeVerdict(*system, *program, *verdict, 0);
  if (!findings) return Fail(findings.error());
  if (findings->empty()) return std::optional<std::string>();
  // What helps against a clobber in general doesn't against a ring that is too short.
  const std::string& text = findings->front().text;
  return std::optional(
      fmt::format("{}: {}", findings->front().code, text.substr(0, text.find(": expected"))));
}

Result<RingDepth> FindDepth(const Kernel& kernel, const StreamWork& work,
                            const FillSequence& sequence, std::optional<std::int64_t> there) {
  RingDepth depth;
  depth.skew = SkewOf(sequence);
  depth.needed = depth.skew + 1;
  while (true) {
    const auto finding = FindTooFewStages(kernel, work, sequence, depth.needed);
    if (!finding) return Fail(finding.error());
    if (!*finding) break;
    ++depth.needed;
  }
  while (depth.needed > 1) {
    auto finding = FindTooFewStages(kernel, work, sequence, depth.needed - 1);
    if (!finding) return Fail(finding.error());
    if (*finding) {
      depth.with_fewer = std::move(**finding);
      break;
    }
    --depth.needed;
  }
  if (!there) return depth;
  auto finding = FindTooFewStages(kernel, work, sequence, *there);
  if (!finding) return Fail(finding.error());
  if (*finding) depth.as_it_is = std::move(**finding);
  return depth;
}

Result<std::optional<std::int64_t>> FewestLiveStages(const task::PipelineSystem& system,
                                                     task::PipelineId pipeline) {
  task::PipelineSystem other = system;
  const std::int64_t there = system.pipelines[pipeline].stages;
  for (std::int64_t stages = 1; stages <= there; ++stages) {
    other.pipelines[pipeline].stages = stages;
    const Result<task::SystemLayout> layout = task::LayOutSystem(other);
    if (!layout) return Fail(layout.error());
    const Result<task::Program> program = task::Unroll(other, *layout);
    if (!program) return Fail(program.error());
    const Result<task::EventGraph> graph = task::BuildEventGraph(other, *program);
    if (!graph) return Fail(graph.error());
    if (task::Execute(*graph).order.size() == graph->events.size()) return std::optional(stages);
  }
  return std::optional<std::int64_t>();
}

}  // namespace spillway::rings
