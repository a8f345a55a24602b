// The one table of a target's rows: printing, parsing and checking all walk it.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/hw/target.h"

namespace spillway {

/// What a row may hold. The bounds keep the model's arithmetic in 64 bits and its memories small
/// enough to allocate; they say nothing about the machine.
struct RowLimits {
  std::int64_t min = 1;
  std::int64_t max = 0;
};

/// Calls visit(key, unit, limits, sourced row) for every row, in the order of the struct.
/// `TargetType` is Target or const Target; the rows come out with its constness.
template <class TargetType, class Visit>
void ForEachRow(TargetType& t, Visit visit) {
  constexpr RowLimits kPartitions{32, 128};
  constexpr RowLimits kMemory{1, std::int64_t{1} << 24};
  constexpr RowLimits kDram{1, std::int64_t{1} << 40};
  constexpr RowLimits kCount{1, 4096};
  constexpr RowLimits kClock{1'000'000, 100'000'000'000};
  constexpr RowLimits kCycles{1, 1'000'000};
  constexpr RowLimits kOptionalCycles{0, 1'000'000};
  constexpr RowLimits kTime{1, 1'000'000'000};
  constexpr RowLimits kFactor{1, 64};
  constexpr RowLimits kPercent{1, 100};
  constexpr RowLimits kSlowdown{1000, 100'000};
  constexpr RowLimits kFlag{0, 1};
  constexpr RowLimits kDelay{0, 1'000'000'000};  // a delay that a generation may not have

  visit("sbuf_partitions", "partitions", kPartitions, t.sbuf_partitions);
  visit("sbuf_physical_bytes", "bytes", kMemory, t.sbuf_physical_bytes);
  visit("sbuf_usable_bytes", "bytes", kMemory, t.sbuf_usable_bytes);
  visit("sbuf_partition_stride", "bytes", kMemory, t.sbuf_partition_stride);
  visit("sbuf_min_align", "bytes", kMemory, t.sbuf_min_align);
  visit("sbuf_granule", "bytes", kMemory, t.sbuf_granule);
  visit("psum_partitions", "partitions", kPartitions, t.psum_partitions);
  visit("psum_banks", "banks", kCount, t.psum_banks);
  visit("psum_bank_bytes", "bytes", RowLimits{1, std::int64_t{1} << 20}, t.psum_bank_bytes);
  visit("psum_min_align", "bytes", kMemory, t.psum_min_align);
  visit("psum_transpose_banks", "banks", RowLimits{0, 4096}, t.psum_transpose_banks);
  visit("pe_rows", "rows", kCount, t.pe_rows);
  visit("pe_columns", "columns", kCount, t.pe_columns);
  visit("dram_bytes", "bytes", kDram, t.dram_bytes);
  visit("dram_alignment", "bytes", kMemory, t.dram_alignment);

  visit("pe_hertz", "Hz", kClock, t.pe_hertz);
  visit("act_hertz", "Hz", kClock, t.act_hertz);
  visit("pool_hertz", "Hz", kClock, t.pool_hertz);
  visit("dve_hertz", "Hz", kClock, t.dve_hertz);
  visit("sp_hertz", "Hz", kClock, t.sp_hertz);
  visit("reference_hertz", "Hz", kClock, t.reference_hertz);

  visit("min_issue_interval", "cycles", kCycles, t.min_issue_interval);
  visit("access_start", "cycles", kCycles, t.access_start);
  visit("static_overhead", "cycles", kCycles, t.static_overhead);
  visit("gpsimd_start", "cycles", kCycles, t.gpsimd_start);
  visit("engine_channels", "partitions", kPartitions, t.engine_channels);
  visit("dynamic_address_floor", "cycles", kCycles, t.dynamic_address_floor);
  visit("wide_stride_bytes", "bytes", kMemory, t.wide_stride_bytes);
  visit("wide_stride_factor", "times", kFactor, t.wide_stride_factor);
  visit("pe_rate_percent", "%", kPercent, t.pe_rate_percent);
  visit("pe_float32_passes", "times", kFactor, t.pe_float32_passes);
  visit("pe_ramp", "ps", kDelay, t.pe_ramp);
  visit("pe_cold_percent", "%", kPercent, t.pe_cold_percent);

  visit("sbuf_shared_by_vector_and_gpsimd", "0 or 1", kFlag, t.sbuf_shared_by_vector_and_gpsimd);
  visit("psum_shared_by_vector_and_scalar", "0 or 1", kFlag, t.psum_shared_by_vector_and_scalar);
  visit("psum_bank_shared_by_vector_and_scalar", "0 or 1", kFlag,
        t.psum_bank_shared_by_vector_and_scalar);

  visit("dma_engines", "engines", kCount, t.dma_engines);
  visit("dma_queues", "queues", kCount, t.dma_queues);
  visit("dma_start_latency", "ps", kTime, t.dma_start_latency);
  visit("dma_descriptor_floor", "ps", kTime, t.dma_descriptor_floor);
  visit("dma_engine_floor", "ps", kTime, t.dma_engine_floor);
  visit("dma_descriptor_fixed", "ps", kTime, t.dma_descriptor_fixed);
  visit("dma_bytes_per_microsecond", "bytes/us", RowLimits{10, 1'000'000'000},
        t.dma_bytes_per_microsecond);
  visit("dma_strided_per_mille", "per mille", kSlowdown, t.dma_strided_per_mille);
  visit("dma_transpose_dram_per_mille", "per mille", kSlowdown, t.dma_transpose_dram_per_mille);
  visit("dma_transpose_chip_per_mille", "per mille", kSlowdown, t.dma_transpose_chip_per_mille);
  visit("dma_packet_bytes", "bytes", kMemory, t.dma_packet_bytes);
  visit("dma_generators", "generators", RowLimits{0, 8}, t.dma_generators);
  visit("dma_issue_floor", "ps", kDelay, t.dma_issue_floor);
  visit("dma_completion_increments", "increments", kCount, t.dma_completion_increments);
  visit("semaphore_latency", "ps", kTime, t.semaphore_latency);

  visit("oracle_elements_per_100_cycles", "elements", kCycles, t.oracle_elements_per_100_cycles);
  visit("oracle_dma_read_init", "model cycles", kCycles, t.oracle_dma_read_init);
  visit("oracle_dma_bytes_per_cycle", "bytes", kCycles, t.oracle_dma_bytes_per_cycle);
  visit("oracle_dma_partition_group", "partitions", RowLimits{1, 128},
        t.oracle_dma_partition_group);
  visit("oracle_element_bytes", "bytes", kCount, t.oracle_element_bytes);
  visit("oracle_sp_elements_per_100_cycles", "elements", kCycles,
        t.oracle_sp_elements_per_100_cycles);
  visit("oracle_matmul_rows_per_element", "rows", kCount, t.oracle_matmul_rows_per_element);
  visit("oracle_matmul_base", "elements", kCycles, t.oracle_matmul_base);
  visit("oracle_memset_base", "elements", kCycles, t.oracle_memset_base);
  visit("oracle_dma_byte_elements_per_cycle", "bytes", kCycles,
        t.oracle_dma_byte_elements_per_cycle);
  visit("oracle_dge_software", "model cycles", kOptionalCycles, t.oracle_dge_software);
  visit("oracle_dge_hardware", "model cycles", kOptionalCycles, t.oracle_dge_hardware);
  visit("oracle_activation_init_16", "elements", kCycles, t.oracle_activation_init_16);
  visit("oracle_activation_init_32", "elements", kCycles, t.oracle_activation_init_32);
  visit("oracle_activation_init_other", "elements", kCycles, t.oracle_activation_init_other);
}

/// The bare number of a row's value, whatever its unit.
constexpr std::int64_t& RawNumber(std::int64_t& value) { return value; }
constexpr const std::int64_t& RawNumber(const std::int64_t& value) { return value; }
template <class Tag>
constexpr std::int64_t& RawNumber(Quantity<Tag>& value) {
  return value.value;
}
template <class Tag>
constexpr const std::int64_t& RawNumber(const Quantity<Tag>& value) {
  return value.value;
}

/// What the rows owe each other, for example usable <= physical: nothing if all holds, else the
/// first relation that doesn't, with both numbers.
/// Source: derived: what the allocators and the machine rely on.
std::string BrokenRelation(const Target& target);

}  // namespace spillway
