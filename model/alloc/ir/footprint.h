// The bytes that an operand touches once the loops have values.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/kernel.h"
#include "model/hw/interval.h"

namespace spillway {

/// One block, some partitions and, in each of them, the same byte runs (ascending, disjoint, not
/// touching). For DRAM: partition range [0, 1), runs relative to the start of the block.
struct Footprint {
  TensorId tensor;
  std::int64_t block = 0;  ///< row-major over the tensor's blocks; -1: any block
  Interval<Partition> partitions;
  std::vector<Interval<ByteOffset>> runs;

  friend bool operator==(const Footprint&, const Footprint&) = default;
};

/// Element type in which the operand's pattern counts.
DType OperandDType(const Kernel& kernel, const Operand& operand);

/// Row-major block index; 0 for a tensor without blocks.
std::int64_t BlockIndex(const Tensor& tensor, const Operand& operand,
                        std::span<const std::int64_t> loop_values);

/// Byte runs of `dims` at `offset` elements of `element` bytes: ascending, merged where they touch
/// or overlap. Patterns of more than `max_runs` runs give their hull.
std::vector<Interval<ByteOffset>> RunsOf(std::int64_t offset, std::span<const FreeDim> dims,
                                         Bytes element, std::size_t max_runs);

/// Whether `RunsOf` gives only the hull of `dims`, which may hold more than they touch.
bool IsHullOnly(std::span<const FreeDim> dims, std::size_t max_runs);

/// What the access touches at these loop values. A pattern of more than `max_runs` runs gives its
/// hull; an access to the whole tensor gives everything and, with blocks, block -1.
Footprint FootprintOf(const Kernel& kernel, const Access& access,
                      std::span<const std::int64_t> loop_values, std::size_t max_runs = 4096);

/// Number of elements that the pattern visits, broadcasts included.
std::int64_t ElementCount(const Operand& operand);

}  // namespace spillway
