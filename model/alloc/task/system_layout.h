// Where the allocations of a system lie, its barriers included: what the layout returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/task/barrier_layout.h"
#include "model/alloc/task/pipeline_system.h"

namespace spillway::task {

/// Storage of barriers in SMEM: "<pipeline>.barriers" or "arena.barriers".
struct BarrierStoragePlace {
  std::string name;
  UnitOffset offset;
  Units size;
  friend bool operator==(const BarrierStoragePlace&, const BarrierStoragePlace&) = default;
};

/// Offsets of all allocations and what each space needs.
struct SystemLayout {
  IdVector<AllocationId, UnitOffset> offsets;  ///< of the allocation's first unit
  std::vector<BarrierStoragePlace> barriers;   ///< in SMEM, in file order of the pipelines
  PerSpace<std::optional<Units>> totals;       ///< absent: nothing lies in that space
  Units barrier_bytes;                         ///< of all `barriers`
  std::optional<BarrierLayout> arena;          ///< where the system's barriers are coalesced

  friend bool operator==(const SystemLayout&, const SystemLayout&) = default;
};

}  // namespace spillway::task
