// Inferentia: the half-width part, 64 wide everywhere but in SBUF. Little of its timing is public,
// so most rates are trn1's, as assumptions.
#include "model/hw/target_generations.h"

namespace spillway {
namespace {

constexpr const char* kGeometry = "neuronx-cc 2.24 geometry table (hwm_and_geometry §1)";
constexpr const char* kMinAlign = "trn1's (KLR Trace.lean)";
constexpr const char* kTrn1Clock = "trn1's clock: none is public";
constexpr const char* kTrn1Cost = "trn1's cost (isa_costs §3.3): none is public";
constexpr const char* kTrn1Dma = "trn1's DMA (isa_costs §1.1, §3.4): none is public";
constexpr const char* kOracle = "neuronx-cc 2.24 oracle, shared with trn1 (hwm_and_geometry §2)";
constexpr const char* kActivationInit =
    "the start of an access, as for any operation: a separate one is known for trn3 only";

constexpr const char* kIsaPe = "nki.isa 2.26.1: nc_matmul, float32 (isa_costs §3.1)";
constexpr const char* kArchShared =
    "trainium_inferentia2_arch.rst, trainium2_arch.rst: concurrent access (isa_costs §2)";

}  // namespace

Target MakeInf1() {
  Target t;
  t.name = "inf1";
  t.aliases = {"tonga", "inferentia", "gen1"};
  t.architecture_level = 10;

  t.sbuf_partitions = Documented(PartitionCount(128), kGeometry);
  t.sbuf_physical_bytes = Documented(Bytes(98304), kGeometry);
  t.sbuf_usable_bytes =
      Derived(Bytes(81920), "96 KiB - 16 KiB reserved at the top (hwm_and_geometry §1)");
  t.sbuf_partition_stride = Documented(Bytes(131072), kGeometry);
  t.sbuf_min_align = Assumed(Bytes(1), kMinAlign);
  t.sbuf_granule = Documented(Bytes(8), "neuronx-cc 2.24 SBUF colourer (seed 003 §2)");
  t.psum_partitions = Documented(PartitionCount(64), kGeometry);
  t.psum_banks = Documented(BankCount(4), kGeometry);
  t.psum_bank_bytes = Documented(Bytes(2048), kGeometry);
  t.psum_min_align = Assumed(Bytes(4), kMinAlign);
  t.psum_transpose_banks = Assumed(
      BankCount(0),
      "nki.language.tile_size: bank 7 is kept only where DMA transposes run on the PE array");
  t.pe_rows = Documented<std::int64_t>(128, kGeometry);
  t.pe_columns = Documented<std::int64_t>(64, kGeometry);
  t.dram_bytes = Documented(Bytes(17179869184), kGeometry);
  t.dram_alignment = Assumed(Bytes(64), "a cache line; no public figure");

  t.pe_hertz = Assumed<std::int64_t>(2'800'000'000, kTrn1Clock);
  t.act_hertz = Assumed<std::int64_t>(1'400'000'000, kTrn1Clock);
  t.pool_hertz = Assumed<std::int64_t>(1'400'000'000, kTrn1Clock);
  t.dve_hertz = Assumed<std::int64_t>(1'120'000'000, kTrn1Clock);
  t.sp_hertz = Assumed<std::int64_t>(1'120'000'000, kTrn1Clock);
  t.reference_hertz = Assumed<std::int64_t>(1'120'000'000, "choice: the Vector clock, trn1's");

  t.min_issue_interval = Assumed(Cycles(64), kTrn1Cost);
  t.access_start = Assumed(Cycles(60), kTrn1Cost);
  t.static_overhead = Assumed(Cycles(100), kTrn1Cost);
  t.gpsimd_start = Assumed(Cycles(150), kTrn1Cost);
  t.engine_channels =
      Documented(PartitionCount(64), "Pool and Activation channels (hwm_and_geometry §1)");
  t.dynamic_address_floor = Assumed(Cycles(600), kTrn1Cost);
  t.wide_stride_bytes =
      Assumed(Bytes(16), "trainium_inferentia2_arch.rst: innermost strides above 16 B");
  t.wide_stride_factor =
      Assumed<std::int64_t>(2, "trainium_inferentia2_arch.rst: half the bandwidth");
  t.pe_rate_percent = Assumed<std::int64_t>(98, "measured on trn2");
  t.pe_float32_passes = Assumed<std::int64_t>(4, kIsaPe);
  t.pe_ramp =
      Assumed(Picoseconds(0), "the throttle is described for later generations (isa_costs §3.2)");
  t.pe_cold_percent = Assumed<std::int64_t>(100, "no throttle");

  t.sbuf_shared_by_vector_and_gpsimd = Assumed<std::int64_t>(1, kArchShared);
  t.psum_shared_by_vector_and_scalar = Assumed<std::int64_t>(1, kArchShared);
  t.psum_bank_shared_by_vector_and_scalar = Assumed<std::int64_t>(0, kArchShared);

  t.dma_engines = Assumed<std::int64_t>(16, kTrn1Dma);
  t.dma_queues = Assumed<std::int64_t>(16, kTrn1Dma);
  t.dma_start_latency = Assumed(Picoseconds(1'300'000), kTrn1Dma);
  t.dma_descriptor_floor = Assumed(Picoseconds(105'000), kTrn1Dma);
  t.dma_engine_floor = Assumed(Picoseconds(75'000), "measured on trn2");
  t.dma_descriptor_fixed = Assumed(Picoseconds(6'000), kTrn1Dma);
  t.dma_bytes_per_microsecond = Assumed<std::int64_t>(17'000, kTrn1Dma);
  t.dma_strided_per_mille =
      Assumed<std::int64_t>(1500, "isa_costs §3.4: 1.2 to 1.5 times for strided elements");
  t.dma_transpose_dram_per_mille =
      Assumed<std::int64_t>(1111, "trn2's figure; the generation has no DMA transpose of its own");
  t.dma_transpose_chip_per_mille =
      Assumed<std::int64_t>(2000, "trn2's figure; the generation has no DMA transpose of its own");
  t.dma_packet_bytes = Assumed(Bytes(4096), "compute-comm-overlap.rst: default packet");
  t.dma_generators = Assumed<std::int64_t>(0, "nki-dge.rst: from trn2 on; static rings here");
  t.dma_issue_floor = Assumed(Picoseconds(0), "static descriptor rings, as on trn1");
  t.dma_completion_increments = Assumed<std::int64_t>(16, kTrn1Dma);
  t.semaphore_latency = Assumed(Picoseconds(30'000), "trn1's, itself an assumption");

  t.oracle_elements_per_100_cycles = Documented<std::int64_t>(140, kOracle);
  t.oracle_dma_read_init = Documented(Cycles(1300), kOracle);
  t.oracle_dma_bytes_per_cycle = Documented(Bytes(17), kOracle);
  t.oracle_dma_partition_group = Documented(PartitionCount(16), kOracle);
  t.oracle_element_bytes = Derived(Bytes(4), "float32 inside every engine (isa_costs §7.2)");
  t.oracle_sp_elements_per_100_cycles = Documented<std::int64_t>(112, kOracle);
  t.oracle_matmul_rows_per_element = Documented<std::int64_t>(2, kOracle);
  t.oracle_matmul_base = Documented<std::int64_t>(200, kOracle);
  t.oracle_memset_base = Documented<std::int64_t>(50, kOracle);
  t.oracle_dma_byte_elements_per_cycle = Documented(Bytes(272), kOracle);
  t.oracle_dge_software = Documented(Cycles(500), kOracle);
  t.oracle_dge_hardware = Documented(Cycles(0), kOracle);
  t.oracle_activation_init_16 = Derived<std::int64_t>(60, kActivationInit);
  t.oracle_activation_init_32 = Derived<std::int64_t>(60, kActivationInit);
  t.oracle_activation_init_other = Derived<std::int64_t>(60, kActivationInit);
  return t;
}

}  // namespace spillway
