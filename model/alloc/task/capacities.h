// How much of each memory there is, with the source of each number.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/alloc/task/memory_space.h"
#include "model/alloc/task/spaces.h"
#include "model/hw/error.h"
#include "model/hw/target.h"
#include "model/hw/units.h"

namespace spillway::task {

/// One generation of GPUs as far as task pipelines ask.
struct GpuCapacity {
  std::string_view compute_capability;  ///< "9.0"
  Sourced<Bytes> smem_bytes;            ///< of one CTA
  Sourced<Columns> tmem_columns;        ///< 0: no TMEM
};

/// Every compute capability once, ascending. Source: ts_pipelines.md §6.
const std::vector<GpuCapacity>& GpuCapacities();
/// Errors: unknown-name, with the capabilities to choose from.
Result<GpuCapacity> FindGpuCapacity(std::string_view compute_capability);
/// What allocators compare with where their author names no capacity: that of compute capability
/// 10.0. Another one's is a row of FindGpuCapacity. Source: ts_pipelines.md §6, Defaults.
const GpuCapacity& DefaultGpuCapacity();
/// The choice of an author that nothing is compared.
inline constexpr std::nullopt_t kUnlimited = std::nullopt;

/// What the allocation of TMEM and of registers obeys. Source: ts_pipelines.md §6.
struct GpuRules {
  Sourced<Columns> smallest_tmem_request;
  Sourced<Columns> largest_tmem_request;
  Sourced<PartitionCount> tmem_lanes;
  Sourced<std::int64_t> registers;         ///< of one SM
  Sourced<std::int64_t> thread_registers;  ///< most of one thread
  Sourced<std::int64_t> register_granule;  ///< of one thread
  Sourced<std::int64_t> warp_threads;
  Sourced<std::int64_t> warp_group;  ///< warps that share one number of registers a thread
};
const GpuRules& TheGpuRules();

/// Capacity of each space where a file names none: compute capability 10.0, and the SBUF and PSUM
/// of one partition of `trn1`. Source: ts_pipelines.md §6 and §11.
PerSpace<Units> DefaultCapacity();
/// Alignment where an allocation names none: 128 B of SMEM, one PSUM bank, else 1.
/// Source: ts_pipelines.md §1 and §11.
std::int64_t DefaultAlignment(MemorySpace space);
/// Partitions of a space, lanes of TMEM; 1 for SMEM, which has none.
PartitionCount PartitionsOf(MemorySpace space);

}  // namespace spillway::task
