#include "model/alloc/ir/footprint.h"

#include <algorithm>

namespace spillway {
namespace {

void MergeRuns(std::vector<Interval<ByteOffset>>& runs) {
  // Most patterns step upwards, and come sorted.
  if (!std::is_sorted(runs.begin(), runs.end())) std::sort(runs.begin(), runs.end());
  std::size_t kept = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].begin <= runs[kept].end) {
      runs[kept].end = std::max(runs[kept].end, runs[i].end);
    } else {
      runs[++kept] = runs[i];
    }
  }
  if (!runs.empty()) runs.resize(kept + 1);
}

}  // namespace

DType OperandDType(const Kernel& kernel, const Operand& operand) {
  return operand.as.value_or(kernel.tensors[operand.tensor].dtype);
}

std::int64_t BlockIndex(const Tensor& tensor, const Operand& operand,
                        std::span<const std::int64_t> loop_values) {
  std::int64_t index = 0;
  for (std::size_t d = 0; d < operand.block.size() && d < tensor.blocks.size(); ++d) {
    index = index * tensor.blocks[d] + Evaluate(operand.block[d], loop_values);
  }
  return index;
}

std::vector<Interval<ByteOffset>> RunsOf(std::int64_t offset, std::span<const FreeDim> dims,
                                         Bytes element, std::size_t max_runs) {
  // Grow one contiguous run from the innermost dimension out, then repeat it over what is left.
  std::int64_t run = 1;
  std::size_t outer = dims.size();
  while (outer > 0 &&
         (dims[outer - 1].step == run || dims[outer - 1].step == 0 || dims[outer - 1].count == 1)) {
    if (dims[outer - 1].step != 0 && dims[outer - 1].count > 1) run *= dims[outer - 1].count;
    --outer;
  }
  std::vector<std::int64_t> starts = {offset};
  std::int64_t low = offset;
  std::int64_t high = offset;
  bool hull_only = false;
  for (std::size_t d = 0; d < outer; ++d) {
    const std::int64_t span = dims[d].step * (dims[d].count - 1);
    (span < 0 ? low : high) += span;
    if (dims[d].step == 0 || dims[d].count == 1) continue;
    hull_only = hull_only || starts.size() * static_cast<std::size_t>(dims[d].count) > max_runs;
    if (hull_only) continue;
    std::vector<std::int64_t> next;
    next.reserve(starts.size() * static_cast<std::size_t>(dims[d].count));
    for (const std::int64_t start : starts) {
      for (std::int64_t i = 0; i < dims[d].count; ++i) next.push_back(start + i * dims[d].step);
    }
    starts = std::move(next);
  }
  const auto bytes = [&](std::int64_t begin, std::int64_t end) {
    return Interval<ByteOffset>{ByteOffset(begin * element.value), ByteOffset(end * element.value)};
  };
  if (hull_only) return {bytes(low, high + run)};
  std::vector<Interval<ByteOffset>> runs;
  runs.reserve(starts.size());
  for (const std::int64_t start : starts) runs.push_back(bytes(start, start + run));
  MergeRuns(runs);
  return runs;
}

Footprint FootprintOf(const Kernel& kernel, const Access& access,
                      std::span<const std::int64_t> loop_values, std::size_t max_runs) {
  const Tensor& tensor = kernel.tensors[access.tensor];
  const PartitionCount partitions =
      tensor.space == Space::kDram ? PartitionCount(1) : Partitions(tensor);
  Footprint footprint{access.tensor, 0, {Partition(0), Partition(0) + partitions}, {}};
  if (access.operand == nullptr || access.whole_tensor) {
    footprint.block = tensor.blocks.empty() ? 0 : -1;
    footprint.runs = {{ByteOffset(0), ByteOffset(0) + BlockBytes(tensor)}};
    return footprint;
  }
  const Operand& operand = *access.operand;
  footprint.block = BlockIndex(tensor, operand, loop_values);
  if (tensor.space != Space::kDram) {
    const Partition start(Evaluate(operand.partition_start, loop_values));
    footprint.partitions = {start, start + PartitionCount(operand.partition_count)};
  }
  footprint.runs = RunsOf(Evaluate(operand.free_offset, loop_values), operand.free_dims,
                          ElementSize(OperandDType(kernel, operand)), max_runs);
  return footprint;
}

bool IsHullOnly(std::span<const FreeDim> dims, std::size_t max_runs) {
  std::int64_t run = 1;
  std::size_t outer = dims.size();
  while (outer > 0 &&
         (dims[outer - 1].step == run || dims[outer - 1].step == 0 || dims[outer - 1].count == 1)) {
    if (dims[outer - 1].step != 0) run *= dims[outer - 1].count;
    --outer;
  }
  std::size_t pieces = 1;
  for (std::size_t d = 0; d < outer && pieces <= max_runs; ++d) {
    if (dims[d].step != 0) pieces *= static_cast<std::size_t>(dims[d].count);
  }
  return pieces > max_runs;
}

std::int64_t ElementCount(const Operand& operand) {
  std::int64_t count = std::max<std::int64_t>(operand.partition_count, 1);
  for (const FreeDim& dim : operand.free_dims) count *= dim.count;
  return count;
}

}  // namespace spillway
