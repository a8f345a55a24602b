// The array of all barriers: bucketed by arrivals, so that one pass initialises it.
#pragma once

#include <span>
#include <string>

#include "model/alloc/task/barrier_layout.h"
#include "model/hw/units.h"

namespace spillway::task {

/// Barriers that may stand apart from others in the array.
enum class BarrierClass { kV0, kV1 };

/// Barriers of one name with one number of arrivals.
struct BarrierAllocation {
  std::string name;
  BarrierCount count;         ///< at least 1
  std::int64_t arrivals = 1;  ///< at least 1
  BarrierClass layout_class = BarrierClass::kV0;
};

/// Entries that one instruction of one warp initialises, and to which each class is padded.
/// Source: ts_pipelines.md §5 (one warp, lane l takes entry chunk + l).
inline constexpr BarrierCount kBarrierChunk{32};
/// Bytes of one barrier. Source: ts_pipelines.md §7 (mbarrier: 64-bit object).
inline constexpr std::int64_t kBarrierBytes = 8;
/// Alignment of the array in SMEM. Source: ts_pipelines.md §5, set_backing.
inline constexpr Bytes kArenaAlignment{256};

/// Entries of `allocations`, class by class, ascending by arrivals, equal ones in the order given.
/// Source: ts_pipelines.md §5.
BarrierLayout PlaceBarriers(std::span<const BarrierAllocation> allocations);

}  // namespace spillway::task
