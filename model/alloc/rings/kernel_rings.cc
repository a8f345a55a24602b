#include "model/alloc/rings/kernel_rings.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/alloc/check_task/iteration_cut_off.h"
#include "model/alloc/rings/build_system.h"
#include "model/alloc/rings/find_ring.h"
#include "model/alloc/task/capacities.h"

namespace spillway::rings {
namespace {

SystemParts PartsFor(const Kernel& kernel, const Target& target) {
  SystemParts parts;
  parts.name = kernel.name;
  parts.capacity = task::DefaultCapacity();
  parts.capacity[task::MemorySpace::kSbuf] = task::Units(target.sbuf_usable_bytes.value.value);
  parts.capacity[task::MemorySpace::kPsum] =
      task::Units((target.psum_bank_bytes.value * UsablePsumBanks(target).value).value);
  return parts;
}

/// Operations after unrolling, up to a little over `most`.
std::int64_t UnrolledUpTo(const std::vector<task::Operation>& operations, std::int64_t most) {
  std::int64_t count = 0;
  for (const task::Operation& operation : operations) {
    if (operation.kind != task::OperationKind::kLoop) {
      ++count;
    } else {
      const std::int64_t once = UnrolledUpTo(operation.body, most);
      count += std::min(most + 1, once * std::min(operation.trips, most + 1));
    }
    if (count > most) return most + 1;
  }
  return count;
}

bool IsLarge(const task::PipelineSystem& system) {
  std::int64_t count = 0;
  for (const task::Task& task : system.tasks)
    count += UnrolledUpTo(task.operations, kMaxWholeOperations);
  return count > kMaxWholeOperations;
}

/// Trips that show everything the rings can do, and after how many they are where they began.
std::optional<FoldOptions> CutOff(const task::PipelineSystem& system, std::size_t rings) {
  task::PipelineSystem alone;
  FoldOptions options;
  for (std::size_t p = 0; p < rings; ++p)
    alone.pipelines.push_back(system.pipelines[task::PipelineId(p)]);
  const Result<std::int64_t> cut_off = task::IterationCutOff(alone);
  if (!cut_off) return std::nullopt;
  for (const task::Pipeline& pipeline : alone.pipelines)
    options.turn = std::lcm(options.turn, pipeline.stages);
  options.max_trips = *cut_off;
  return options;
}

}  // namespace

Result<KernelRings> DeriveRings(const Kernel& kernel, const Placement& placement,
                                const Target& target) {
  Result<StreamWork> work = CollectWork(kernel);
  if (!work) return Fail(std::move(work.error()));
  if (auto unplaced = FindUnplaced(kernel, placement, *work)) return Fail(std::move(*unplaced));
  KernelRings result;
  result.work = std::move(*work);
  std::vector<Ring> rings;
  for (FillSequence& fills : AllFills(kernel, result.work)) {
    if (kernel.tensors[fills.tensor].space == Space::kDram) continue;
    TensorRing row;
    row.tensor = fills.tensor;
    row.fills = static_cast<std::int64_t>(fills.fills.size());
    row.places = PlacesOf(placement, fills);
    Result<Ring> ring = FindRing(kernel, placement, result.work, fills);
    if (ring) {
      row.pipeline = task::PipelineId(rings.size());
      rings.push_back(std::move(*ring));
    } else {
      row.refusal = std::move(ring.error());
    }
    result.tensors.push_back(std::move(row));
    result.fills.push_back(std::move(fills));
  }
  const std::size_t ring_count = rings.size();
  const UnitPlan plan = PlanUnits(kernel, placement, result.work, std::move(rings));
  const Result<Waits> waits = FindWaits(result.work, plan);
  if (!waits) return Fail(waits.error());
  Result<task::PipelineSystem> system =
      BuildSystem(result.work, plan, *waits, PartsFor(kernel, target));
  if (!system) return Fail(std::move(system.error()));
  result.system = std::move(*system);
  result.semaphores = static_cast<std::int64_t>(result.system.pipelines.size() - ring_count);
  if (!IsLarge(result.system)) return result;
  if (const auto fold = CutOff(result.system, ring_count)) {
    Result<task::PipelineSystem> cut =
        BuildSystem(result.work, plan, *waits, PartsFor(kernel, target), *fold);
    if (!cut) return Fail(std::move(cut.error()));
    result.cut = std::move(*cut);
  }
  return result;
}

Result<task::PipelineSystem> PlacementSystem(const Kernel& kernel, const Placement& placement,
                                             const Target& target, const WaitOptions& options) {
  const Result<StreamWork> work = CollectWork(kernel);
  if (!work) return Fail(work.error());
  if (auto unplaced = FindUnplaced(kernel, placement, *work)) return Fail(std::move(*unplaced));
  const UnitPlan plan = PlanUnits(kernel, placement, *work, {});
  const Result<Waits> waits = FindWaits(*work, plan, options);
  if (!waits) return Fail(waits.error());
  return BuildSystem(*work, plan, *waits, PartsFor(kernel, target));
}

Result<task::PipelineSystem> PlacementSystem(const Kernel& kernel, const Placement& placement,
                                             const Target& target, const StreamWork& work,
                                             const Waits& waits) {
  if (auto unplaced = FindUnplaced(kernel, placement, work)) return Fail(std::move(*unplaced));
  return BuildSystem(work, PlanUnits(kernel, placement, work, {}), waits, PartsFor(kernel, target));
}

}  // namespace spillway::rings
