#include "model/alloc/nki/allocation_rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace spillway::nki {
namespace {

using enum AllocationRule;

constexpr auto kRows = std::to_array<AllocationRuleRow>({
    {kMemory, "memory", Kind::kMemorySpace, "seed 000 §8"},
    {kFunction, "function", Kind::kAllocator, "seed 000 §8.5"},
    {kBlockCount, "block-count", Kind::kLimit, "traces/schema.md, alloc-too-many-blocks"},
    {kTensorShape, "tensor-shape", Kind::kShape,
     "traces/schema.md, shape-not-positive and tensor-too-large"},
    {kPartitionCount, "partition-count", Kind::kPartitionRange,
     "isa_costs.md 4.3, err_num_partition_exceed_arch_limit"},
    {kPartitionEnd, "partition-end", Kind::kPartitionRange, "isa_costs.md 1.2"},
    {kSbufTuple, "sbuf-tuple", Kind::kShape, "seed 000 §8.2"},
    {kSbufStartPartition, "sbuf-start-partition", Kind::kStartPartition,
     "seed 000 §8.2, isa_costs.md 1.2"},
    {kSbufWindow, "sbuf-window", Kind::kOutOfRange, "seed 000 §8.2, isa_costs.md 1.1"},
    {kSbufTileEnd, "sbuf-tile-end", Kind::kOutOfRange, "isa_costs.md 1.1 and 4.3, NLA001"},
    {kSbufAlignment, "sbuf-alignment", Kind::kMisaligned, "seed 000 §8.2, isa_costs.md 1.3"},
    {kPsumTuple, "psum-tuple", Kind::kShape, "seed 000 §8.1"},
    {kPsumTileSize, "psum-tile-size", Kind::kPsumBank, "seed 000 §8.1"},
    {kPsumBank, "psum-bank", Kind::kPsumBank, "seed 000 §8.1 and §8.5, psum_bank_map"},
    {kPsumStartPartition, "psum-start-partition", Kind::kStartPartition, "seed 000 §8.1"},
    {kPsumByteAddr, "psum-byte-addr", Kind::kMisaligned, "seed 000 §8.1"},
    {kTileCounts, "tile-counts", Kind::kShape, "seed 000 §8.3, nki_surface.md"},
    {kBasePartition, "base-partition", Kind::kStartPartition, "seed 000 §8.3, isa_costs.md 4.1"},
    {kBaseAddr, "base-addr", Kind::kOutOfRange, "seed 000 §8.3"},
    {kBaseBank, "base-bank", Kind::kPsumBank, "seed 000 §8.3"},
    {kPsumParTiles, "psum-par-tiles", Kind::kShape, "seed 000 §8.3"},
    {kPsumFreeTiles, "psum-free-tiles", Kind::kShape, "seed 000 §8.3"},
    {kParTilesHeight, "par-tiles-height", Kind::kStartPartition, "isa_costs.md 4.1"},
    {kModuloRange, "modulo-range", Kind::kOutOfRange, "traces/schema.md, alloc-address-too-large"},
    {kMixedAllocation, "mixed-allocation", Kind::kMixedAllocation,
     "seed 000 §8.4, isa_costs.md 4.2"},
    {kAddressCount, "address-count", Kind::kShape, "kernel_format.md"},
    {kImplicitBias, "implicit-bias", Kind::kMixedAllocation,
     "isa_costs.md 4.3, err_bias_tensor_must_be_specified_in_allocation"},
    {kImplicitTranspose, "implicit-transpose", Kind::kMixedAllocation,
     "isa_costs.md 4.3, err_transpose_on_tensor_engine_not_allowed_in_allocated_kernel"},
    {kImplicitTemporary, "implicit-temporary", Kind::kMixedAllocation, "isa_costs.md 4.2"},
    {kDramTensor, "dram-tensor", Kind::kMemorySpace, "isa_costs.md 4.2"},
    {kInitialValue, "initial-value", Kind::kMemorySpace,
     "isa_costs.md 4.3, err_tensor_creation_on_scratchpad_with_init_value_not_supported"},
    {kUnknownTensor, "unknown-tensor", Kind::kUnknownName, "seed 000 §8"},
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

std::string TupleText(std::span<const std::int64_t> tuple) {
  return fmt::format("({}{})", fmt::join(tuple, ", "), tuple.size() == 1 ? "," : "");
}

Violation BrokenRule(AllocationRule rule, const Tensor& tensor, std::string_view what) {
  const AllocationRuleRow& row = RowOf(rule);
  Violation violation;
  violation.kind = row.kind;
  violation.tensors = {tensor.name};
  violation.space = tensor.space;
  violation.text =
      fmt::format("tensor \"{}\": {} [{}: {}]", tensor.name, what, row.name, row.source);
  return violation;
}

Violation BrokenRule(AllocationRule rule, const Tensor& tensor, std::span<const std::int64_t> block,
                     std::string_view what) {
  return BrokenRule(rule, tensor, fmt::format("block {}: {}", TupleText(block), what));
}

}  // namespace spillway::nki
