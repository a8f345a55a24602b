#include "model/alloc/nki/tile_footprint.h"

namespace spillway::nki {
namespace {

constexpr std::size_t kMaxRuns = 4096;

}  // namespace

Rectangle RectangleOfRun(const TileTouch& touch, std::size_t run, const Address& at) {
  const PartitionCount rows = at.partition - Partition(0);
  const Bytes bytes = at.byte - ByteOffset(0) + touch.shift;
  const Interval<ByteOffset>& range = (*touch.runs)[run];
  return {{touch.partitions.begin + rows, touch.partitions.end + rows},
          {range.begin + bytes, range.end + bytes}};
}

std::optional<Rectangle> FirstShared(const TileTouch& a, const Address& at_a, const TileTouch& b,
                                     const Address& at_b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.runs->size() && j < b.runs->size()) {
    const Rectangle first = RectangleOfRun(a, i, at_a);
    const Rectangle second = RectangleOfRun(b, j, at_b);
    if (!Overlap(first.partitions, second.partitions)) return std::nullopt;
    if (Overlap(first.bytes, second.bytes)) {
      return Rectangle{Intersect(first.partitions, second.partitions),
                       Intersect(first.bytes, second.bytes)};
    }
    ++(first.bytes.end <= second.bytes.begin ? i : j);
  }
  return std::nullopt;
}

TileFootprints::TileFootprints(const Kernel& kernel, const Instruction& instruction)
    : kernel_(&kernel) {
  for (const Access& access : AccessesOf(instruction)) {
    const Tensor& tensor = kernel.tensors[access.tensor];
    if (tensor.space == Space::kDram) continue;
    Pattern pattern{access, {}, true, Bytes(0)};
    if (access.operand == nullptr || access.whole_tensor) {
      pattern.is_exact = false;
      pattern.runs = {{ByteOffset(0), ByteOffset(0) + BlockBytes(tensor)}};
    } else {
      pattern.element = ElementSize(OperandDType(kernel, *access.operand));
      pattern.runs = RunsOf(0, access.operand->free_dims, pattern.element, kMaxRuns);
      pattern.is_exact = !IsHullOnly(access.operand->free_dims, kMaxRuns);
    }
    patterns_.push_back(std::move(pattern));
  }
}

void TileFootprints::Append(std::span<const std::int64_t> loop_values,
                            std::vector<TileTouch>& touches) const {
  for (const Pattern& pattern : patterns_) {
    const Tensor& tensor = kernel_->tensors[pattern.access.tensor];
    TileTouch touch;
    touch.tensor = pattern.access.tensor;
    touch.is_write = pattern.access.is_write;
    touch.is_exact = pattern.is_exact;
    touch.runs = &pattern.runs;
    if (pattern.element == Bytes(0)) {
      touch.block = tensor.blocks.empty() ? 0 : -1;
      touch.partitions = {Partition(0), Partition(0) + spillway::Partitions(tensor)};
    } else {
      const Operand& operand = *pattern.access.operand;
      touch.block = BlockIndex(tensor, operand, loop_values);
      const Partition start(Evaluate(operand.partition_start, loop_values));
      touch.partitions = {start, start + PartitionCount(operand.partition_count)};
      touch.shift = pattern.element * Evaluate(operand.free_offset, loop_values);
      // What reaches outside its tensor is the reader's to refuse.
      if (touch.block < 0) continue;
    }
    touches.push_back(touch);
  }
}

}  // namespace spillway::nki
