#include "model/alloc/check/placed_operand.h"

#include <algorithm>

#include "model/alloc/ir/footprint.h"

namespace spillway::check {
namespace {

Runs Shifted(Runs runs, std::int64_t by) {
  for (Interval<ByteOffset>& run : runs) run = {run.begin + Bytes(by), run.end + Bytes(by)};
  return runs;
}

}  // namespace

Runs PatternOf(const Kernel& kernel, const Operand& operand) {
  return RunsOf(0, operand.free_dims, ElementSize(OperandDType(kernel, operand)), kMaxPatternRuns);
}

PlacedMemory::PlacedMemory(const Kernel& kernel, const Placement& placement) : kernel_(&kernel) {
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    Entry entry;
    if (t < placement.addresses.size()) entry.blocks = placement.addresses[TensorId(t)];
    entry.linear = tensor.space == Space::kDram;
    entry.block_count = BlockCount(tensor);
    entry.block_bytes = BlockBytes(tensor).value;
    entry.store = tensor.space == Space::kSbuf   ? kSbufStore
                  : tensor.space == Space::kPsum ? kPsumStore
                                                 : kDramStore;
    const bool is_internal = tensor.role == Role::kInternal;
    if (entry.linear && !is_internal) entry.blocks.clear();
    if (entry.blocks.empty() && tensor.space != Space::kSbuf)
      entry.store = kFirstTensorStore + static_cast<StoreId>(t);
    entry.has_place = entry.store >= kFirstTensorStore ||
                      static_cast<std::int64_t>(entry.blocks.size()) >= entry.block_count;
    tensors_.push_back(std::move(entry));
  }
}

std::optional<Start> PlacedMemory::BlockStart(TensorId tensor, std::int64_t block) const {
  const Entry& entry = tensors_[tensor.value];
  if (block < 0 || block >= entry.block_count) return std::nullopt;
  Start start{entry.store, entry.linear, 0, 0};
  if (entry.blocks.empty()) {
    start.byte = block * entry.block_bytes;
    return start;
  }
  const Address& address = entry.blocks[static_cast<std::size_t>(block)];
  if (!entry.linear) start.partition = address.partition.value;
  start.byte = address.byte.value;
  return start;
}

std::optional<Start> PlacedMemory::StartOf(const Operand& operand,
                                           std::span<const std::int64_t> loop_values) const {
  const Tensor& tensor = kernel_->tensors[operand.tensor];
  std::optional<Start> start = BlockStart(operand.tensor, BlockIndex(tensor, operand, loop_values));
  if (!start) return start;
  if (!start->linear) start->partition += Evaluate(operand.partition_start, loop_values);
  start->byte += Evaluate(operand.free_offset, loop_values) *
                 ElementSize(OperandDType(*kernel_, operand)).value;
  return start;
}

StoreRegion PlacedMemory::RegionOf(const Operand& operand, const Runs& pattern,
                                   const Start& start) const {
  StoreRegion region{start.store, start.linear, {Partition(0), Partition(1)}, {}};
  if (!start.linear) {
    region.partitions = {Partition(start.partition),
                         Partition(start.partition + operand.partition_count)};
  }
  region.runs = Shifted(pattern, start.byte);
  return region;
}

Touched TouchedBy(const Kernel& kernel, const Operand& operand, const Runs& pattern,
                  std::span<const std::int64_t> loop_values) {
  const Tensor& tensor = kernel.tensors[operand.tensor];
  Interval<Partition> partitions{Partition(0), Partition(1)};
  if (tensor.space != Space::kDram) {
    const Partition first(Evaluate(operand.partition_start, loop_values));
    partitions = {first, first + PartitionCount(operand.partition_count)};
  }
  const std::int64_t element = ElementSize(OperandDType(kernel, operand)).value;
  const std::int64_t offset = Evaluate(operand.free_offset, loop_values) * element;
  return {BlockIndex(tensor, operand, loop_values), PlaneSet(partitions, Shifted(pattern, offset))};
}

bool DependsOnLoops(const Operand& operand) {
  return !operand.partition_start.IsConstant() || !operand.free_offset.IsConstant() ||
         std::any_of(operand.block.begin(), operand.block.end(),
                     [](const AffineExpr& index) { return !index.IsConstant(); });
}

}  // namespace spillway::check
