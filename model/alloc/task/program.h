// A system unrolled: every operation that the tasks execute, in order, with its numbers. The common
// value from which event graphs, explorations and replays are built.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/alloc/task/pipeline_system.h"
#include "model/hw/interval.h"

namespace spillway::task {

/// What a resource's access touches in one space.
struct Footprint {
  MemorySpace space = MemorySpace::kSmem;
  Interval<UnitOffset> range;      ///< from the base of the space's block
  Interval<Partition> partitions;  ///< [0, 1) in SMEM

  friend bool operator==(const Footprint&, const Footprint&) = default;
};

/// Whether the two share memory.
constexpr bool Overlap(const Footprint& a, const Footprint& b) {
  return a.space == b.space && spillway::Overlap(a.range, b.range) &&
         spillway::Overlap(a.partitions, b.partitions);
}

/// An acquire, commit, wait or release of one pipeline: the task's own number `number` of that kind
/// on that pipeline, from 0.
struct SyncPart {
  OperationKind kind = OperationKind::kAcquire;  ///< kAcquire, kCommit, kWait or kRelease
  PipelineId pipeline;
  std::int64_t number = 0;
  /// Of a commit or release: when this part of the fill or drain completes.
  SideKind completion = SideKind::kThread;

  friend bool operator==(const SyncPart&, const SyncPart&) = default;
};

/// One access of a step.
struct StepAccess {
  AccessKind kind = AccessKind::kRead;
  ResourceId resource;
  std::uint32_t slot = 0;       ///< index into Program::footprints[resource]
  std::int64_t occurrence = 0;  ///< of [actor, access, resource], in program order, from 0

  friend bool operator==(const StepAccess&, const StepAccess&) = default;
};

/// One executed operation, never a loop. acquire, commit, wait and release are one event each; a
/// synchronous access is two (begin, end); dma and matrix are two (issue in the task's order,
/// completion outside of it).
struct Step {
  OperationKind kind = OperationKind::kAccess;
  std::uint32_t first_part = 0;  ///< PartsOf: what it acquires, commits, waits for or releases
  std::uint32_t part_count = 0;  ///< of a transfer: its commits, then its releases
  std::uint32_t first_access = 0;
  std::uint32_t access_count = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

/// The tasks that ever contribute to the fills (commit) and drains (release) of a pipeline.
struct Contributors {
  std::vector<TaskId> fill;   ///< ascending
  std::vector<TaskId> drain;  ///< ascending
  friend bool operator==(const Contributors&, const Contributors&) = default;
};

/// What the tasks execute. Source: ts_pipelines.md §8 (events, slot of an access, deadlock).
struct Program {
  IdVector<TaskId, std::vector<Step>> steps;
  std::vector<SyncPart> parts;
  std::vector<StepAccess> accesses;
  IdVector<PipelineId, Contributors> contributors;
  /// By slot number; one entry where the resource has no slot number. In file order of the regions.
  IdVector<ResourceId, std::vector<std::vector<Footprint>>> footprints;

  std::span<const SyncPart> PartsOf(const Step& step) const {
    return std::span(parts).subspan(step.first_part, step.part_count);
  }
  std::span<const StepAccess> AccessesOf(const Step& step) const {
    return std::span(accesses).subspan(step.first_access, step.access_count);
  }
  std::span<const Footprint> FootprintsOf(const StepAccess& access) const {
    return footprints[access.resource][access.slot];
  }
};

/// Events of a step: 1 for acquire, commit, wait and release, else 2.
constexpr std::int64_t EventCount(OperationKind kind) {
  return kind == OperationKind::kAccess || kind == OperationKind::kDma ||
                 kind == OperationKind::kMatrix
             ? 2
             : 1;
}
/// Events of all steps, executed or not.
std::int64_t EventCount(const Program& program);

/// Who makes the accesses of `step` in `task`.
constexpr Actor ActorOf(TaskId task, const Step& step) {
  switch (step.kind) {
    case OperationKind::kDma: return {task, SideKind::kDma};
    case OperationKind::kMatrix: return {task, SideKind::kMatrix};
    default: return {task, SideKind::kThread};
  }
}

}  // namespace spillway::task
