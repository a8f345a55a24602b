#include "model/alloc/task/capacities.h"

#include <fmt/format.h>

#include "model/alloc/task/codes.h"
#include "model/hw/target_generations.h"

namespace spillway::task {
namespace {

constexpr const char* kGuide = "CUDA C++ Programming Guide, compute capabilities";
constexpr const char* kArchHeader = "cutlass include/cutlass/arch/arch.h";
constexpr const char* kTmemHeader = "cutlass include/cute/arch/tmem_allocator_sm100.hpp";
constexpr const char* kNoTmem = "tcgen05 exists from compute capability 10.0 on (PTX ISA)";

std::vector<GpuCapacity> MakeGpuCapacities() {
  const auto guide = [](std::int64_t kib) {
    return Documented(Bytes(kib * 1024), std::string(kGuide));
  };
  const auto header = [](std::int64_t kib) {
    return Documented(Bytes(kib * 1024), std::string(kArchHeader));
  };
  const Sourced<Columns> none = Documented(Columns(0), kNoTmem);
  const Sourced<Columns> all = Documented(Columns(512), kTmemHeader);
  return {
      {"8.0", guide(163), none},
      {"8.6", guide(99), none},
      {"8.7", guide(163), none},
      {"8.9", guide(99), none},
      {"9.0", header(227), none},
      {"10.0", header(227), all},
      // The table of the source names no TMEM for 10.1, though the generation has it.
      {"10.1", header(227), Assumed(Columns(512), "as 10.0 and 10.3, of the same generation")},
      {"10.3", header(227), all},
      {"12.0", header(99), none},
  };
}

const Target& NeuronCore() {
  static const Target target = MakeTrn1();
  return target;
}

}  // namespace

const std::vector<GpuCapacity>& GpuCapacities() {
  static const std::vector<GpuCapacity> capacities = MakeGpuCapacities();
  return capacities;
}

Result<GpuCapacity> FindGpuCapacity(std::string_view compute_capability) {
  std::string known;
  for (const GpuCapacity& row : GpuCapacities()) {
    if (row.compute_capability == compute_capability) return row;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.compute_capability);
  }
  return Fail(
      MakeError(Code::kUnknownName, fmt::format("compute capability \"{}\": expected one of {}",
                                                compute_capability.substr(0, 60), known)));
}

const GpuCapacity& DefaultGpuCapacity() {
  static const GpuCapacity capacity = *FindGpuCapacity("10.0");
  return capacity;
}

const GpuRules& TheGpuRules() {
  static const GpuRules rules = {
      Documented(Columns(32), "PTX ISA, tcgen05.alloc"),
      Documented(Columns(512), "PTX ISA, tcgen05.alloc"),
      Documented(PartitionCount(128), "PTX ISA, tensor memory"),
      Documented(std::int64_t{65536}, "cutile-python experimental/task_scheduling"),
      Documented(std::int64_t{256}, "cutile-python experimental/task_scheduling"),
      Documented(std::int64_t{8}, "cutile-python experimental/task_scheduling"),
      Documented(std::int64_t{32}, "PTX ISA, warps"),
      Documented(std::int64_t{4}, "ts_general documentation: tasks of one 4-warp group agree"),
  };
  return rules;
}

PerSpace<Units> DefaultCapacity() {
  const GpuCapacity& gpu = DefaultGpuCapacity();
  const Target& core = NeuronCore();
  PerSpace<Units> capacity;
  capacity[MemorySpace::kSmem] = Units(gpu.smem_bytes.value.value);
  capacity[MemorySpace::kTmem] = Units(gpu.tmem_columns.value.value);
  capacity[MemorySpace::kSbuf] = Units(core.sbuf_usable_bytes.value.value);
  capacity[MemorySpace::kPsum] =
      Units(core.psum_banks.value.value * core.psum_bank_bytes.value.value);
  return capacity;
}

std::int64_t DefaultAlignment(MemorySpace space) {
  constexpr std::int64_t kSmemAlignment = 128;  // of the allocators' API, not of the hardware
  if (space == MemorySpace::kSmem) return kSmemAlignment;
  if (space == MemorySpace::kPsum) return NeuronCore().psum_bank_bytes.value.value;
  return 1;
}

PartitionCount PartitionsOf(MemorySpace space) {
  switch (space) {
    case MemorySpace::kSmem: return PartitionCount(1);
    case MemorySpace::kTmem: return TheGpuRules().tmem_lanes;
    case MemorySpace::kSbuf: return NeuronCore().sbuf_partitions;
    case MemorySpace::kPsum: return NeuronCore().psum_partitions;
  }
  return PartitionCount(0);
}

}  // namespace spillway::task
