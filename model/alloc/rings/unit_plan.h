// Which piece of memory every access of a kernel names: a block of a tensor, or a ring.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/ir/placement.h"
#include "model/alloc/rings/find_ring.h"
#include "model/alloc/rings/stream_work.h"
#include "model/alloc/task/memory_space.h"

namespace spillway::rings {

using UnitId = Id<struct UnitIdTag>;

/// Memory under one name: what is read through it was written through it.
struct Unit {
  std::string name;
  /// Nothing: DRAM, which orders accesses and is no memory of a pipeline system.
  std::optional<task::MemorySpace> space;
  std::uint32_t memory = 0;  ///< units of equal numbers share bytes; others never do
  Partition partition;
  ByteOffset byte;  ///< of stage 0
  Bytes size;       ///< of a stage
  Bytes stride;     ///< from a stage to the next one
  bool initial = false;
  std::optional<Ring> ring;  ///< nothing: one stage without a pipeline
};

struct UnitPlan {
  IdVector<UnitId, Unit> units;
  std::vector<UnitId> unit_of;         ///< of each touch
  std::vector<std::int64_t> stage_of;  ///< of each touch

  /// Rectangle of run `run` of `touch`, in its memory.
  Rectangle Where(const StreamWork& work, std::size_t touch, std::size_t run) const;
};

/// Every block of every tensor a unit of its own, at its place; tensors of `rings` one unit each.
/// Every on-chip tensor that `work` touches must have a place.
/// Source: ts_pipelines.md §16, Use for the allocators.
UnitPlan PlanUnits(const Kernel& kernel, const Placement& placement, const StreamWork& work,
                   std::vector<Ring> rings);

/// Nothing, or the first tensor that `work` touches on chip and that has no place: kOutOfRange
/// ("ring-not-placed").
std::optional<Error> FindUnplaced(const Kernel& kernel, const Placement& placement,
                                  const StreamWork& work);

}  // namespace spillway::rings
