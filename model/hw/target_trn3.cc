// Trainium 3: NeuronCore-v4. Beyond geometry, clocks and DMA rates its timing is taken from
// NeuronCore-v3, since nothing newer is public.
#include "model/hw/target_generations.h"

namespace spillway {
namespace {

constexpr const char* kArch = "trainium3_arch.rst";
constexpr const char* kUsable =
    "nkipy HardwareConstants.h and KLR Trace.lean: 256 KiB - 16384 (DMA scratch) - 8 (reserved)";
constexpr const char* kMinAlign = "KLR Trace.lean kernelEnv";
constexpr const char* kAddressMap = "neuronx-cc 2.24 address map (hwm_and_geometry §1)";
constexpr const char* kIsa = "nki.isa 2.26.1 for earlier generations (isa_costs §3.3, §8)";
constexpr const char* kDmaOverview = "nki-dma-overview.rst";
constexpr const char* kDmaBandwidth = "nki-dma-bandwidth-guide.rst";
constexpr const char* kDmaCurve = "trn2's chart, nki-dma-intro-1.jpg (isa_costs §3.4)";
constexpr const char* kOracle = "neuronx-cc 2.24 oracle (hwm_and_geometry §2)";
constexpr const char* kEarlierDge = "trn2's, in the same model cycles: none is known for this one";

constexpr const char* kIsaPe = "nki.isa 2.26.1: nc_matmul, float32 (isa_costs §3.1)";
constexpr const char* kArchShared =
    "trainium_inferentia2_arch.rst, trainium2_arch.rst: concurrent access (isa_costs §2)";

}  // namespace

Target MakeTrn3() {
  Target t;
  t.name = "trn3";
  t.aliases = {"core_v4", "gen4"};
  t.architecture_level = 40;

  t.sbuf_partitions = Documented(PartitionCount(128), kArch);
  t.sbuf_physical_bytes = Derived(Bytes(262144), "32 MiB / 128 partitions, trainium3_arch.rst");
  t.sbuf_usable_bytes = Documented(Bytes(245752), kUsable);
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
      Derived(Bytes(38654705664),
              "144 GiB per chip / 4 logical cores of two NeuronCores (hwm_and_geometry §1)");
  t.dram_alignment = Assumed(Bytes(64), "a cache line; no public figure");

  t.pe_hertz = Documented<std::int64_t>(2'400'000'000, kArch);
  t.act_hertz = Documented<std::int64_t>(1'200'000'000, kArch);
  t.pool_hertz = Documented<std::int64_t>(1'200'000'000, kArch);
  t.dve_hertz = Documented<std::int64_t>(1'200'000'000, kArch);
  t.sp_hertz = Derived<std::int64_t>(1'200'000'000, "SP divisor 120 of the neuronx-cc 2.24 oracle");
  t.reference_hertz = Derived<std::int64_t>(
      1'200'000'000, "choice: the Vector clock, in which isa_costs §3.5 converts");

  t.min_issue_interval = Derived(Cycles(64), kIsa);
  t.access_start = Derived(Cycles(60), "NeuronCore-v2's figure (trainium_inferentia2_arch.rst)");
  t.static_overhead = Documented(Cycles(100), "nki_perf_guide.rst");
  t.gpsimd_start = Derived(Cycles(150), kIsa);
  t.engine_channels =
      Documented(PartitionCount(128), "Pool and Activation channels (hwm_and_geometry §1)");
  t.dynamic_address_floor = Derived(Cycles(600), kIsa);
  t.wide_stride_bytes =
      Derived(Bytes(16), "trainium_inferentia2_arch.rst: innermost strides above 16 B");
  t.wide_stride_factor = Derived<std::int64_t>(1, "stated for NeuronCore-v2 alone (isa_costs §2)");
  t.pe_rate_percent = Assumed<std::int64_t>(98, "measured on trn2");
  t.pe_float32_passes = Documented<std::int64_t>(4, kIsaPe);
  t.pe_ramp =
      Documented(Picoseconds(3'000'000), "neuron-explorer glossary: full rate in about 3 us");
  t.pe_cold_percent =
      Documented<std::int64_t>(50, "neuron-explorer glossary: starts near half the peak");

  t.sbuf_shared_by_vector_and_gpsimd = Documented<std::int64_t>(0, kArchShared);
  t.psum_shared_by_vector_and_scalar = Documented<std::int64_t>(0, kArchShared);
  t.psum_bank_shared_by_vector_and_scalar = Documented<std::int64_t>(1, kArchShared);

  t.dma_engines = Documented<std::int64_t>(16, kDmaOverview);
  t.dma_queues = Documented<std::int64_t>(16, kDmaOverview);
  t.dma_start_latency = Documented(Picoseconds(1'300'000), kDmaBandwidth);
  t.dma_descriptor_floor = Assumed(Picoseconds(105'000), kDmaCurve);
  t.dma_engine_floor = Assumed(Picoseconds(75'000), "measured on trn2");
  t.dma_descriptor_fixed = Assumed(Picoseconds(6'000), kDmaCurve);
  t.dma_bytes_per_microsecond = Documented<std::int64_t>(33'000, kDmaBandwidth);
  t.dma_strided_per_mille =
      Assumed<std::int64_t>(1500, "isa_costs §3.4: 1.2 to 1.5 times for strided elements");
  t.dma_transpose_dram_per_mille =
      Documented<std::int64_t>(1111, "trainium2_arch.rst: up to 90% of the DMA rate");
  t.dma_transpose_chip_per_mille =
      Documented<std::int64_t>(2000, "trainium2_arch.rst: 50% of the DMA rate");
  t.dma_packet_bytes = Documented(Bytes(4096), "compute-comm-overlap.rst: default packet");
  t.dma_generators = Documented<std::int64_t>(2, "trainium2_arch.rst: two per core");
  t.dma_issue_floor =
      Derived(Picoseconds(600'000), "trn2's figure, the same generators (nki-dge.rst)");
  t.dma_completion_increments = Documented<std::int64_t>(16, kDmaOverview);
  t.semaphore_latency = Assumed(Picoseconds(30'000),
                                "no public figure; what a dependent chain (189 ns, "
                                "nki_perf_guide.rst) leaves beyond 64 + 60 + 100 cycles");

  t.oracle_elements_per_100_cycles = Documented<std::int64_t>(120, kOracle);
  t.oracle_dma_read_init = Documented(Cycles(1300), kOracle);
  t.oracle_dma_bytes_per_cycle = Derived(
      Bytes(33), "the practical rate, since the oracle's divisor is known for earlier ones only");
  t.oracle_dma_partition_group = Documented(PartitionCount(16), kOracle);
  t.oracle_element_bytes = Derived(Bytes(4), "float32 inside every engine (isa_costs §7.2)");
  t.oracle_sp_elements_per_100_cycles = Documented<std::int64_t>(120, kOracle);
  t.oracle_matmul_rows_per_element = Documented<std::int64_t>(2, kOracle);
  t.oracle_matmul_base = Documented<std::int64_t>(200, kOracle);
  t.oracle_memset_base = Documented<std::int64_t>(50, kOracle);
  t.oracle_dma_byte_elements_per_cycle =
      Derived(Bytes(528), "16 engines at the practical rate, as the earlier divisors are");
  t.oracle_dge_software = Derived(Cycles(583), kEarlierDge);
  t.oracle_dge_hardware = Derived(Cycles(416), kEarlierDge);
  t.oracle_activation_init_16 = Documented<std::int64_t>(222, kOracle);
  t.oracle_activation_init_32 = Documented<std::int64_t>(172, kOracle);
  t.oracle_activation_init_other = Documented<std::int64_t>(100, kOracle);
  return t;
}

}  // namespace spillway
