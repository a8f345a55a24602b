// Trainium and Inferentia 2: NeuronCore-v2.
// Documents: aws-neuron-sdk 2.32 (arch, DMA guides), 2.26.1 (ISA costs, allocation guide).
#include "model/hw/target_generations.h"

namespace spillway {
namespace {

constexpr const char* kArch = "trainium_inferentia2_arch.rst";
constexpr const char* kUsable =
    "nkipy HardwareConstants.h and KLR Trace.lean: (192 - 16) * 1024, not 180 KiB";
constexpr const char* kMinAlign = "KLR Trace.lean kernelEnv";
constexpr const char* kAddressMap = "neuronx-cc 2.24 address map (hwm_and_geometry §1)";
constexpr const char* kIsa = "nki.isa 2.26.1 (isa_costs §3.3)";
constexpr const char* kDmaOverview = "nki-dma-overview.rst";
constexpr const char* kDmaBandwidth = "nki-dma-bandwidth-guide.rst";
constexpr const char* kDmaCurve = "nki-dma-intro-1.jpg, read off the chart (isa_costs §3.4)";
constexpr const char* kOracle = "neuronx-cc 2.24 oracle (hwm_and_geometry §2)";
constexpr const char* kActivationInit =
    "the start of an access, as for any operation: a separate one is known for trn3 only";

constexpr const char* kIsaPe = "nki.isa 2.26.1: nc_matmul, float32 (isa_costs §3.1)";
constexpr const char* kArchShared =
    "trainium_inferentia2_arch.rst, trainium2_arch.rst: concurrent access (isa_costs §2)";

}  // namespace

Target MakeTrn1() {
  Target t;
  t.name = "trn1";
  t.aliases = {"sunda", "trainium", "inf2", "gen2"};
  t.architecture_level = 20;

  t.sbuf_partitions = Documented(PartitionCount(128), kArch);
  t.sbuf_physical_bytes = Documented(Bytes(196608), kArch);
  t.sbuf_usable_bytes = Documented(Bytes(180224), kUsable);
  t.sbuf_partition_stride = Derived(Bytes(262144), kAddressMap);
  t.sbuf_min_align = Documented(Bytes(1), kMinAlign);
  t.sbuf_granule = Documented(Bytes(8), "neuronx-cc 2.24 SBUF colourer (seed 003 §2)");
  t.psum_partitions = Documented(PartitionCount(128), kArch);
  t.psum_banks = Documented(BankCount(8), kArch);
  t.psum_bank_bytes = Documented(Bytes(2048), kArch);
  t.psum_min_align = Documented(Bytes(4), kMinAlign);
  t.psum_transpose_banks = Documented(
      BankCount(0),
      "nki.language.tile_size: bank 7 is kept only where DMA transposes run on the PE array");
  t.pe_rows = Documented<std::int64_t>(128, kArch);
  t.pe_columns = Documented<std::int64_t>(128, kArch);
  t.dram_bytes =
      Derived(Bytes(17179869184), "32 GiB per chip / 2 cores, trainium_inferentia2_arch.rst");
  t.dram_alignment = Assumed(Bytes(64), "a cache line; no public figure");

  t.pe_hertz = Documented<std::int64_t>(2'800'000'000, kArch);
  t.act_hertz = Documented<std::int64_t>(1'400'000'000, kArch);
  t.pool_hertz = Documented<std::int64_t>(1'400'000'000, kArch);
  t.dve_hertz = Documented<std::int64_t>(1'120'000'000, kArch);
  t.sp_hertz = Derived<std::int64_t>(1'120'000'000, "SP divisor 112 of the neuronx-cc 2.24 oracle");
  t.reference_hertz = Derived<std::int64_t>(
      1'120'000'000, "choice: the Vector clock, in which isa_costs §3.5 converts");

  t.min_issue_interval = Documented(Cycles(64), kIsa);
  t.access_start = Documented(Cycles(60), "trainium_inferentia2_arch.rst: about 60, partly hidden");
  t.static_overhead = Documented(Cycles(100), "trainium_inferentia2_arch.rst, nki_perf_guide.rst");
  t.gpsimd_start = Documented(Cycles(150), kIsa);
  t.engine_channels =
      Documented(PartitionCount(128), "Pool and Activation channels (hwm_and_geometry §1)");
  t.dynamic_address_floor = Documented(Cycles(600), kIsa);
  t.wide_stride_bytes =
      Documented(Bytes(16), "trainium_inferentia2_arch.rst: innermost strides above 16 B");
  t.wide_stride_factor =
      Documented<std::int64_t>(2, "trainium_inferentia2_arch.rst: half the bandwidth");
  t.pe_rate_percent = Assumed<std::int64_t>(98, "measured on trn2");
  t.pe_float32_passes = Documented<std::int64_t>(4, kIsaPe);
  t.pe_ramp =
      Derived(Picoseconds(0), "the throttle is described for later generations (isa_costs §3.2)");
  t.pe_cold_percent = Derived<std::int64_t>(100, "no throttle");

  t.sbuf_shared_by_vector_and_gpsimd = Documented<std::int64_t>(1, kArchShared);
  t.psum_shared_by_vector_and_scalar = Documented<std::int64_t>(1, kArchShared);
  t.psum_bank_shared_by_vector_and_scalar = Documented<std::int64_t>(0, kArchShared);

  t.dma_engines = Documented<std::int64_t>(16, kDmaOverview);
  t.dma_queues = Documented<std::int64_t>(16, kDmaOverview);
  t.dma_start_latency = Documented(Picoseconds(1'300'000), kDmaBandwidth);
  t.dma_descriptor_floor = Derived(Picoseconds(105'000), kDmaCurve);
  t.dma_engine_floor = Assumed(Picoseconds(75'000), "measured on trn2");
  t.dma_descriptor_fixed = Derived(Picoseconds(6'000), kDmaCurve);
  t.dma_bytes_per_microsecond = Documented<std::int64_t>(17'000, kDmaBandwidth);
  t.dma_strided_per_mille =
      Assumed<std::int64_t>(1500, "isa_costs §3.4: 1.2 to 1.5 times for strided elements");
  t.dma_transpose_dram_per_mille =
      Assumed<std::int64_t>(1111, "trn2's figure; the generation has no DMA transpose of its own");
  t.dma_transpose_chip_per_mille =
      Assumed<std::int64_t>(2000, "trn2's figure; the generation has no DMA transpose of its own");
  t.dma_packet_bytes = Documented(Bytes(4096), "compute-comm-overlap.rst: default packet");
  t.dma_generators = Documented<std::int64_t>(0, "nki-dge.rst: from trn2 on; static rings here");
  t.dma_issue_floor =
      Derived(Picoseconds(0),
              "static descriptor rings; this generation has no descriptor generator (nki-dge.rst)");
  t.dma_completion_increments = Documented<std::int64_t>(16, kDmaOverview);
  t.semaphore_latency = Assumed(Picoseconds(30'000),
                                "no public figure; what a dependent chain (189 ns, "
                                "nki_perf_guide.rst) leaves beyond 64 + 60 + 100 cycles");

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
