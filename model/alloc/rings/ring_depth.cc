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
#include "model/hw/fault.h"

namespace spillway::rings {
namespace {

/// Fills that are looked at together, as long as their overlap doesn't ask for more.
constexpr std::int64_t kStretch = 64;

/// The tensor's accesses alone. Of equal ones in a row of the same fill the first is kept: the
/// others find what it found.
struct AloneWork {
  StreamWork work;
  std::vector<std::int64_t> fill_of;               ///< of each touch
  std::vector<Interval<std::uint32_t>> instances;  ///< of each fill: from its first to its last
};

AloneWork Alone(const StreamWork& work, const FillSequence& sequence) {
  AloneWork alone;
  alone.work.streams = work.streams;
  std::map<ShapeId, ShapeId> own;  // the few shapes of this tensor, so that stretches are light
  alone.instances.resize(sequence.fills.size());
  std::set<std::tuple<std::uint32_t, ShapeId, bool>> row;
  std::int64_t row_of = -1;
  std::int64_t last_instance = -1;
  for (const FillTouch& at : sequence.touches) {
    const WorkInstance& instance = work.instances[at.instance];
    Touch touch = work.touches[at.touch];
    const auto [shape, is_new] = own.try_emplace(touch.shape, ShapeId(own.size()));
    if (is_new) alone.work.shapes.push_back(work.shapes[touch.shape]);
    touch.shape = shape->second;
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
    const auto here = static_cast<std::uint32_t>(alone.work.instances.size());
    Interval<std::uint32_t>& span = alone.instances[static_cast<std::size_t>(at.number)];
    span = {span.empty() ? here - 1 : span.begin, here};
  }
  return alone;
}

/// Fills [begin, end) of it, from their first touches to their last ones.
AloneWork Stretch(const AloneWork& all, std::int64_t begin, std::int64_t end) {
  AloneWork part;
  part.work.streams = all.work.streams;
  part.work.shapes = all.work.shapes;
  Interval<std::uint32_t> span = all.instances[static_cast<std::size_t>(begin)];
  for (std::int64_t k = begin; k < end; ++k)
    span = Hull(span, all.instances[static_cast<std::size_t>(k)]);
  for (std::uint32_t i = span.begin; i < span.end; ++i) {
    const WorkInstance& instance = all.work.instances[i];
    const std::size_t before = part.work.touches.size();
    for (std::uint32_t t = 0; t < instance.touch_count; ++t) {
      const std::uint32_t touch = instance.first_touch + t;
      if (all.fill_of[touch] < begin || all.fill_of[touch] >= end) continue;
      part.work.touches.push_back(all.work.touches[touch]);
      part.fill_of.push_back(all.fill_of[touch]);
    }
    const std::size_t count = part.work.touches.size() - before;
    if (count == 0) continue;
    part.work.instances.push_back({instance.instruction, instance.stream,
                                   static_cast<std::uint32_t>(before),
                                   static_cast<std::uint32_t>(count)});
  }
  return part;
}

/// What a stretch does, whichever its first fill is.
std::vector<std::int64_t> PatternOf(const AloneWork& part, std::int64_t begin) {
  std::vector<std::int64_t> pattern;
  for (const WorkInstance& instance : part.work.instances) {
    pattern.insert(pattern.end(), {-1, instance.stream});
    for (std::uint32_t t = 0; t < instance.touch_count; ++t) {
      const std::uint32_t touch = instance.first_touch + t;
      const Touch& what = part.work.touches[touch];
      pattern.insert(pattern.end(),
                     {part.fill_of[touch] - begin, what.shape.value, what.is_write ? 1 : 0});
    }
  }
  return pattern;
}

UnitPlan PlanStages(const Tensor& tensor, const AloneWork& alone, Interval<std::int64_t> fills,
                    std::int64_t stages) {
  UnitPlan plan;
  for (std::int64_t k = fills.begin; k < fills.end; ++k) {
    Unit unit;
    unit.name = fmt::format("{}_fill{}", tensor.name, k);
    unit.space = tensor.space == Space::kPsum ? task::MemorySpace::kPsum : task::MemorySpace::kSbuf;
    unit.size = BlockBytes(tensor);
    unit.byte = ByteOffset(0) + BlockBytes(tensor) * (k % stages);
    unit.initial = tensor.role != Role::kInternal && tensor.role != Role::kOutput;
    plan.units.push_back(std::move(unit));
  }
  for (const std::int64_t fill : alone.fill_of) {
    plan.unit_of.push_back(UnitId(static_cast<std::size_t>(fill - fills.begin)));
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
            const bool meet = Overlap(plan.Where(alone.work, r, a), plan.Where(alone.work, w, b));
            if (SPILLWAY_FAULT(N73, !meet, true)) continue;
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

/// A finding's first words: what helps against a clobber in general doesn't against a ring that is
/// too short. The parts of a fill, "ring_fill3_2", are its fill to the reader.
std::string ShortText(const task::Finding& finding) {
  constexpr std::string_view kFill = "_fill";
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::string text = finding.text.substr(0, finding.text.find(": expected"));
  std::string shortened;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, kFill.size(), kFill) != 0) {
      shortened += text[at++];
      continue;
    }
    shortened += kFill;
    at += kFill.size();
    while (at < text.size() && is_digit(text[at])) shortened += text[at++];
    if (at + 1 >= text.size() || text[at] != '_' || !is_digit(text[at + 1])) continue;
    ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
  }
  return finding.code + ": " + shortened;
}

Result<std::optional<std::string>> Judge(const Kernel& kernel, const AloneWork& alone,
                                         const Tensor& tensor, Interval<std::int64_t> fills,
                                         std::int64_t stages) {
  if (alone.work.touches.size() > kMaxDepthTouches) {
    return Fail({Kind::kLimit, "ring-limit",
                 fmt::format("tensor {}: expected at most {} accesses while its fills overlap, "
                             "found {}; fewer trips show the same",
                             tensor.name, kMaxDepthTouches, alone.work.touches.size()),
                 "", 0});
  }
  const UnitPlan plan = PlanStages(tensor, alone, fills, stages);
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
  return std::optional(ShortText(findings->front()));
}

/// Whether every event of the system happens where `pipeline` has that many stages.
Result<bool> IsLive(task::PipelineSystem system, task::PipelineId pipeline, std::int64_t stages) {
  system.pipelines[pipeline].stages = stages;
  const Result<task::SystemLayout> layout = task::LayOutSystem(system);
  if (!layout) return Fail(layout.error());
  const Result<task::Program> program = task::Unroll(system, *layout);
  if (!program) return Fail(program.error());
  const Result<task::EventGraph> graph = task::BuildEventGraph(system, *program);
  if (!graph) return Fail(graph.error());
  return task::Execute(*graph).order.size() == graph->events.size();
}

}  // namespace

Result<std::optional<std::string>> FindTooFewStages(const Kernel& kernel, const StreamWork& work,
                                                    const FillSequence& sequence,
                                                    std::int64_t stages) {
  const Tensor& tensor = kernel.tensors[sequence.tensor];
  const AloneWork alone = Alone(work, sequence);
  const auto fills = static_cast<std::int64_t>(sequence.fills.size());
  // Two fills are open together only if they are at most `reach` - 1 apart.
  const std::int64_t reach = SkewOf(sequence) + 1;
  const std::int64_t length = std::max(kStretch, 4 * reach);
  std::set<std::vector<std::int64_t>> seen;
  for (std::int64_t begin = 0; begin < fills; begin += length - reach) {
    const Interval<std::int64_t> stretch{begin, std::min(fills, begin + length)};
    const AloneWork part = Stretch(alone, stretch.begin, stretch.end);
    if (seen.insert(PatternOf(part, begin)).second) {
      auto finding = Judge(kernel, part, tensor, stretch, stages);
      if (!finding || *finding) return finding;
    }
    if (stretch.end == fills) break;
  }
  return std::optional<std::string>();
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
  const std::int64_t there = system.pipelines[pipeline].stages;
  const Result<bool> as_it_is = IsLive(system, pipeline, there);
  if (!as_it_is) return Fail(as_it_is.error());
  if (!*as_it_is) return std::optional<std::int64_t>();
  // More stages never stop a system, so the live ones are a suffix.
  std::int64_t stops = 0;
  std::int64_t lives = there;
  while (lives - stops > 1) {
    const std::int64_t middle = stops + (lives - stops) / 2;
    const Result<bool> is_live = IsLive(system, pipeline, middle);
    if (!is_live) return Fail(is_live.error());
    (*is_live ? lives : stops) = middle;
  }
  return std::optional(lives);
}

}  // namespace spillway::rings
