// One generation of the hardware: every number with its source and how sure it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/hw/error.h"
#include "model/hw/units.h"

namespace spillway {

enum class Confidence { kDocumented, kDerived, kAssumed };
std::string_view ConfidenceName(Confidence confidence);

/// A number of the machine, where it comes from and how far to trust it.
template <class T>
struct Sourced {
  T value{};
  std::string source;
  Confidence confidence = Confidence::kAssumed;

  operator const T&() const { return value; }  // NOLINT: a sourced number reads as its number
  friend bool operator==(const Sourced&, const Sourced&) = default;
};

/// Geometry, clocks and rates of one NeuronCore.
/// Source: one file per generation, target_<name>.cc; `spillway targets` prints every row.
struct Target {
  std::string name;                  ///< "trn2"
  std::vector<std::string> aliases;  ///< code names, "cayman", "gen3"
  int architecture_level = 0;        ///< 10, 20, 30, 40

  // Geometry
  Sourced<PartitionCount> sbuf_partitions;
  Sourced<Bytes> sbuf_physical_bytes;    ///< per partition
  Sourced<Bytes> sbuf_usable_bytes;      ///< per partition; what allocators may use: [0, this)
  Sourced<Bytes> sbuf_partition_stride;  ///< in the address map
  Sourced<Bytes> sbuf_min_align;         ///< smallest legal alignment of a hand-placed tile
  Sourced<Bytes> sbuf_granule;           ///< the colourer's own alignment
  Sourced<PartitionCount> psum_partitions;
  Sourced<BankCount> psum_banks;
  Sourced<Bytes> psum_bank_bytes;  ///< per partition and bank
  Sourced<Bytes> psum_min_align;
  Sourced<BankCount> psum_transpose_banks;  ///< last banks, kept for transposes by the PE array
  Sourced<std::int64_t> pe_rows;
  Sourced<std::int64_t> pe_columns;
  Sourced<Bytes> dram_bytes;      ///< per core
  Sourced<Bytes> dram_alignment;  ///< of tensors that the lowering places

  // Clocks, in hertz
  Sourced<std::int64_t> pe_hertz;
  Sourced<std::int64_t> act_hertz;
  Sourced<std::int64_t> pool_hertz;
  Sourced<std::int64_t> dve_hertz;
  Sourced<std::int64_t> sp_hertz;
  Sourced<std::int64_t> reference_hertz;  ///< the clock in which reports count cycles

  // Instruction costs, in cycles of the engine
  Sourced<Cycles> min_issue_interval;  ///< MIN_II
  Sourced<Cycles> access_start;        ///< until the first element; hidden by what runs before
  Sourced<Cycles> static_overhead;     ///< from the last element until dependents see the result
  Sourced<Cycles> gpsimd_start;        ///< of a GpSimd program
  Sourced<PartitionCount> engine_channels;   ///< of Scalar, Vector and GpSimd
  Sourced<Cycles> dynamic_address_floor;     ///< of an instruction with a dynamic address
  Sourced<Bytes> wide_stride_bytes;          ///< innermost strides above this are wide
  Sourced<std::int64_t> wide_stride_factor;  ///< on the elements of an access with a wide stride
  Sourced<std::int64_t> pe_rate_percent;     ///< of a column a cycle that the PE array sustains
  Sourced<std::int64_t> pe_float32_passes;   ///< of the PE array over float32 columns
  Sourced<Picoseconds> pe_ramp;           ///< busy time from the cold rate to the full one; 0: none
  Sourced<std::int64_t> pe_cold_percent;  ///< of the full rate, after idling

  // Engines that take turns: 1 if they do
  Sourced<std::int64_t> sbuf_shared_by_vector_and_gpsimd;
  Sourced<std::int64_t> psum_shared_by_vector_and_scalar;
  Sourced<std::int64_t> psum_bank_shared_by_vector_and_scalar;

  // DMA
  Sourced<std::int64_t> dma_engines;
  Sourced<std::int64_t> dma_queues;
  Sourced<Picoseconds> dma_start_latency;     ///< trigger to first byte, pipelined
  Sourced<Picoseconds> dma_descriptor_floor;  ///< between descriptors of one queue on one engine
  Sourced<Picoseconds> dma_engine_floor;      ///< between descriptors of any queues on one engine
  Sourced<Picoseconds> dma_descriptor_fixed;  ///< added to the payload time of each descriptor
  Sourced<std::int64_t> dma_bytes_per_microsecond;  ///< payload rate per engine
  Sourced<std::int64_t> dma_strided_per_mille;  ///< payload time of strided elements to contiguous
  Sourced<std::int64_t> dma_transpose_dram_per_mille;  ///< of a transpose with a DRAM side
  Sourced<std::int64_t> dma_transpose_chip_per_mille;  ///< of a transpose from SBUF to SBUF
  Sourced<Bytes> dma_packet_bytes;       ///< of a descriptor where no partition rows divide it
  Sourced<std::int64_t> dma_generators;  ///< of descriptors, which queues share; 0: static rings
  Sourced<Picoseconds> dma_issue_floor;  ///< between two transfers of one generator
  Sourced<std::int64_t> dma_completion_increments;  ///< semaphore increments per transfer
  Sourced<Picoseconds> semaphore_latency;           ///< engine to engine

  // Constants of the compiler's closed-form oracle, whose model cycle is one nanosecond
  Sourced<std::int64_t> oracle_elements_per_100_cycles;  ///< the divisor f of the data engines
  Sourced<Cycles> oracle_dma_read_init;                  ///< fixed part of a DMA, in model cycles
  Sourced<Bytes> oracle_dma_bytes_per_cycle;             ///< DIV: one DMA engine in a model cycle
  Sourced<PartitionCount> oracle_dma_partition_group;    ///< partitions that one DMA step serves
  Sourced<Bytes> oracle_element_bytes;  ///< element size where only bytes are known
  Sourced<std::int64_t> oracle_sp_elements_per_100_cycles;  ///< the divisor f of SP
  Sourced<std::int64_t> oracle_matmul_rows_per_element;     ///< contraction rows in one step
  Sourced<std::int64_t> oracle_matmul_base;                 ///< steps that every product takes
  Sourced<std::int64_t> oracle_memset_base;                 ///< elements that every memset takes
  Sourced<Bytes> oracle_dma_byte_elements_per_cycle;        ///< DIV8: 1-byte elements, all engines
  Sourced<Cycles> oracle_dge_software;  ///< descriptors made by software, in model cycles
  Sourced<Cycles> oracle_dge_hardware;  ///< made by hardware; 0: there is no generator
  Sourced<std::int64_t> oracle_activation_init_16;     ///< start of an activation of 16-bit data
  Sourced<std::int64_t> oracle_activation_init_32;     ///< of 32-bit data, in elements
  Sourced<std::int64_t> oracle_activation_init_other;  ///< of anything else

  friend bool operator==(const Target&, const Target&) = default;
};

/// inf1, trn1, trn2, trn3: in order of generation.
const std::vector<Target>& BuiltInTargets();

/// The built-in target of that name or alias (in any case), else the target in the JSON file of
/// that path.
/// Errors: kUnknownName (lists the known ones), kFile, and those of ParseTargetJson.
Result<Target> FindTarget(const std::string& name_or_path);

/// A target from JSON: {"name": …, "base": "trn2", "rows": {"sbuf_usable_bytes": {"value": …,
/// "source": …, "confidence": "documented"}}}; rows that are absent come from the base.
/// Errors: kSyntax, kUnknownName, kDuplicateName, kLimit; each names the key, what was expected
/// and found. `file` only names the text in messages.
Result<Target> ParseTargetJson(std::string_view text, const std::string& file);

/// Every row as (key, value, unit, source, confidence), in the order of the struct.
struct TargetRow {
  std::string key;
  std::int64_t value = 0;
  std::string unit;
  std::string source;
  Confidence confidence = Confidence::kAssumed;
};
std::vector<TargetRow> Rows(const Target& target);

/// PSUM banks that tensors may take: all but those kept for transposes, which are the last.
BankCount UsablePsumBanks(const Target& target);

/// Legal start partitions for a tensor of `n` partitions: {0}, {0, 64} or {0, 32, 64, 96}; none
/// for n < 1 or n > 128.
/// Source: trainium_inferentia2_arch, partition rules; the same on all generations.
std::vector<Partition> LegalStartPartitions(PartitionCount n);

}  // namespace spillway
