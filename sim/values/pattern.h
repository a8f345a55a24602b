// An operand's strided pattern in bytes, once the loops have values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/interval.h"
#include "sim/values/memory_view.h"

namespace spillway {

struct ByteDim {
  std::int64_t step = 0;  ///< in bytes; 0 repeats, negative runs backwards
  std::int64_t count = 1;
};

/// Rows of equal shape, one a partition; a DRAM operand is one row. Free dimensions of one element
/// are gone and neighbours that continue each other are merged, so a contiguous row is one run.
struct Pattern {
  TensorId tensor;
  std::int64_t block = 0;
  DType dtype = DType::kFloat32;
  std::int64_t first_row = 0;  ///< partition
  std::int64_t rows = 1;
  std::int64_t columns = 0;    ///< elements a row
  std::int64_t element = 1;    ///< bytes
  std::int64_t start = 0;      ///< byte of the row at which the pattern begins
  std::vector<ByteDim> outer;  ///< outermost first, around the vectors
  ByteDim inner;               ///< the innermost vector of elements

  std::int64_t row_bytes() const { return columns * element; }
  std::int64_t bytes() const { return rows * row_bytes(); }
  /// Whether the elements of a vector follow each other without gaps.
  bool is_run() const { return inner.step == element || inner.count <= 1; }
  bool contiguous_row() const { return outer.empty() && is_run(); }
};

/// Smallest range of a row's bytes that holds every element; empty without elements.
Interval<std::int64_t> HullOf(const Pattern& pattern);

/// The pattern of `operand` at these loop values.
Pattern PatternOf(const Kernel& kernel, const Operand& operand,
                  std::span<const std::int64_t> loop_values);

/// The same for every element of one block (an indirect operand may touch any of them).
Pattern WholeBlock(const Kernel& kernel, TensorId tensor, std::int64_t block);

/// Calls `visit(byte_offset)` for the innermost vectors of one row, in element order; offsets count
/// from the row's first byte.
template <class Visit>
void ForEachVector(const Pattern& pattern, Visit visit) {
  if (pattern.columns == 0) return;
  if (pattern.outer.empty()) {
    visit(pattern.start);
    return;
  }
  std::vector<std::int64_t> index(pattern.outer.size(), 0);
  std::int64_t offset = pattern.start;
  while (true) {
    visit(offset);
    std::size_t d = pattern.outer.size();
    while (d > 0) {
      --d;
      offset += pattern.outer[d].step;
      if (++index[d] < pattern.outer[d].count) break;
      offset -= pattern.outer[d].step * pattern.outer[d].count;
      index[d] = 0;
      if (d == 0) return;
    }
  }
}

/// Row `row` of the operand's elements, packed into `packed` (row_bytes() long).
void GatherRow(const Pattern& pattern, const BlockView& view, std::int64_t row,
               std::span<std::byte> packed);

/// The reverse: packed elements to their places. A place that is visited twice keeps the last.
void ScatterRow(const Pattern& pattern, const BlockView& view, std::int64_t row,
                std::span<const std::byte> packed);

/// `count` elements of 1, 2 or 4 bytes from one stride to another, both in bytes.
void CopyStrided(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                 std::int64_t count, std::int64_t element);

/// All elements in element order.
std::vector<std::byte> Gather(const Pattern& pattern, MemoryView& memory);
void Scatter(const Pattern& pattern, std::span<const std::byte> packed, MemoryView& memory);

/// First byte of a row in memory.
inline std::byte* RowBase(const Pattern& pattern, const BlockView& view, std::int64_t row) {
  return view.base + (pattern.first_row + row) * view.partition_stride;
}

}  // namespace spillway
