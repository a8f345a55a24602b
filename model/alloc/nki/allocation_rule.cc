#include "model/alloc/nki/allocation_rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace spillway::nki {
namespace {

using enum AllocationRule;

constexpr auto kRows = std::to_array<AllocationRuleRow>({
    {kMemory, "memory", Kind::kMemorySpace,
     "an SBUF function for SBUF tensors, a PSUM function for PSUM tensors", "seed 000 §8", ""},
    {kFunction, "function", Kind::kAllocator,
     "a custom function is there and returns for every block", "seed 000 §8.5", ""},
    {kBlockCount, "block-count", Kind::kLimit, "at most 2^18 blocks",
     "traces/schema.md, alloc-too-many-blocks", ""},
    {kTensorShape, "tensor-shape", Kind::kShape,
     "dimensions of at least 1, and tiles of at most 2^40 bytes a partition",
     "traces/schema.md, shape-not-positive and tensor-too-large", ""},
    {kPartitionCount, "partition-count", Kind::kPartitionRange,
     "a tile has between one partition and all of them", "isa_costs.md 4.3",
     "err_num_partition_exceed_arch_limit"},
    {kPartitionEnd, "partition-end", Kind::kPartitionRange,
     "start_partition + pdim_size stays within the memory", "isa_costs.md 1.2", ""},
    {kSbufTuple, "sbuf-tuple", Kind::kShape,
     "an SBUF function returns (start_partition, byte_addr)", "seed 000 §8.2", ""},
    {kSbufStartPartition, "sbuf-start-partition", Kind::kStartPartition,
     "tiles of up to 32 partitions start at 0, 32, 64 or 96, those of up to 64 at 0 or 64, higher "
     "ones at 0",
     "seed 000 §8.2, isa_costs.md 1.2", ""},
    {kSbufWindow, "sbuf-window", Kind::kOutOfRange,
     "byte_addr lies within the usable bytes of a partition", "seed 000 §8.2, isa_costs.md 1.1",
     ""},
    {kSbufTileEnd, "sbuf-tile-end", Kind::kOutOfRange, "byte_addr + fdim_size stays within them",
     "isa_costs.md 1.1 and 4.3", "NLA001"},
    {kSbufAlignment, "sbuf-alignment", Kind::kMisaligned,
     "byte_addr is a multiple of the target's smallest alignment",
     "seed 000 §8.2, isa_costs.md 1.3", ""},
    {kPsumTuple, "psum-tuple", Kind::kShape,
     "a PSUM function returns (bank_id, start_partition, byte_addr)", "seed 000 §8.1", ""},
    {kPsumTileSize, "psum-tile-size", Kind::kPsumBank, "fdim_size is at most one bank",
     "seed 000 §8.1", ""},
    {kPsumBank, "psum-bank", Kind::kPsumBank, "bank_id is one of the target's banks",
     "seed 000 §8.1 and §8.5, psum_bank_map", ""},
    {kPsumStartPartition, "psum-start-partition", Kind::kStartPartition,
     "start_partition is 0 in PSUM", "seed 000 §8.1", ""},
    {kPsumByteAddr, "psum-byte-addr", Kind::kMisaligned,
     "byte_addr is 0 in PSUM: a tile starts at its bank", "seed 000 §8.1", ""},
    {kTileCounts, "tile-counts", Kind::kShape,
     "num_…_tiles is () or has one count a block dimension, each at least 1",
     "seed 000 §8.3, nki_surface.md", ""},
    {kBasePartition, "base-partition", Kind::kStartPartition, "base_partition is 0",
     "seed 000 §8.3, isa_costs.md 4.1", ""},
    {kBaseAddr, "base-addr", Kind::kOutOfRange, "base_addr isn't negative, and 0 in PSUM",
     "seed 000 §8.3", ""},
    {kBaseBank, "base-bank", Kind::kPsumBank, "base_bank isn't negative, and SBUF has none",
     "seed 000 §8.3", ""},
    {kPsumParTiles, "psum-par-tiles", Kind::kShape, "num_par_tiles in PSUM is () or all 1",
     "seed 000 §8.3", ""},
    {kPsumFreeTiles, "psum-free-tiles", Kind::kShape, "num_free_tiles in PSUM is () or all 1",
     "seed 000 §8.3", ""},
    {kParTilesHeight, "par-tiles-height", Kind::kStartPartition,
     "num_par_tiles is for tiles of fewer than half of all partitions", "isa_costs.md 4.1", ""},
    {kModuloRange, "modulo-range", Kind::kOutOfRange, "a law's addresses are at most 2^40",
     "traces/schema.md, alloc-address-too-large", ""},
    {kMixedAllocation, "mixed-allocation", Kind::kMixedAllocation,
     "all on-chip tensors have places, or none; of each memory by itself with --mixing-per-space",
     "seed 000 §8.4, isa_costs.md 4.2", ""},
    {kAddressCount, "address-count", Kind::kShape, "one address a block", "kernel_format.md", ""},
    {kImplicitBias, "implicit-bias", Kind::kMixedAllocation, "an activation names its bias tensor",
     "isa_costs.md 4.3", "err_bias_tensor_must_be_specified_in_allocation"},
    {kImplicitTranspose, "implicit-transpose", Kind::kMixedAllocation,
     "no transpose on the Tensor engine that needs an identity of the compiler's",
     "isa_costs.md 4.3", "err_transpose_on_tensor_engine_not_allowed_in_allocated_kernel"},
    {kImplicitTemporary, "implicit-temporary", Kind::kMixedAllocation,
     "no operation with temporaries of its own", "isa_costs.md 4.2", ""},
    {kDramTensor, "dram-tensor", Kind::kMemorySpace,
     "DRAM tensors are inputs, outputs, constants or homes of spill code", "isa_costs.md 4.2", ""},
    {kInitialValue, "initial-value", Kind::kMemorySpace,
     "no on-chip tensor is created with initial values", "isa_costs.md 4.3",
     "err_tensor_creation_on_scratchpad_with_init_value_not_supported"},
    {kUnknownTensor, "unknown-tensor", Kind::kUnknownName,
     "functions belong to tensors that the kernel has", "seed 000 §8", ""},
});

constexpr bool RowsAreInOrder() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].rule) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder(), "a rule's row stands at its number");

}  // namespace

std::span<const AllocationRuleRow> AllocationRules() { return kRows; }

const AllocationRuleRow& RowOf(AllocationRule rule) {
  return kRows.at(static_cast<std::size_t>(rule));
}

std::string WhereToRead(const AllocationRuleRow& row) {
  return fmt::format("[docs/nki.md: {}{}{}]", row.name, row.nki_error.empty() ? "" : ", NKI's ",
                     row.nki_error);
}

std::string TupleText(std::span<const std::int64_t> tuple) {
  return fmt::format("({}{})", fmt::join(tuple, ", "), tuple.size() == 1 ? "," : "");
}

Violation BrokenRule(AllocationRule rule, const Tensor& tensor, std::string_view what) {
  const AllocationRuleRow& row = RowOf(rule);
  Violation violation;
  violation.kind = row.kind;
  violation.tensors = {tensor.name};
  violation.space = tensor.space;
  violation.text = fmt::format("tensor \"{}\": {} {}", tensor.name, what, WhereToRead(row));
  return violation;
}

Violation BrokenRule(AllocationRule rule, const Tensor& tensor, std::span<const std::int64_t> block,
                     std::string_view what) {
  return BrokenRule(rule, tensor, fmt::format("block {}: {}", TupleText(block), what));
}

}  // namespace spillway::nki
