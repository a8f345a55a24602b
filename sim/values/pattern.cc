#include "sim/values/pattern.h"

#include <cstring>

#include "model/alloc/ir/footprint.h"
#include "model/hw/error.h"

namespace spillway {
namespace {

template <int kBytes>
void CopyVector(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_step, from + i * from_step, kBytes);
  }
}

/// The reader refuses operands outside their tensors; whatever else builds kernels mustn't be able
/// to write past a tensor's end either.
void CheckBounds(const Tensor& tensor, const Pattern& pattern) {
  const Interval<std::int64_t> bytes = HullOf(pattern);
  const std::int64_t rows = tensor.space == Space::kDram ? 1 : Partitions(tensor).value;
  SPILLWAY_CHECK(bytes.begin >= 0 && bytes.end <= BlockBytes(tensor).value &&
                     pattern.first_row >= 0 && pattern.rows >= 0 &&
                     pattern.first_row + pattern.rows <= rows && pattern.block >= 0 &&
                     pattern.block < BlockCount(tensor),
                 "an operand reaches outside tensor " + tensor.name);
}

}  // namespace

void CopyStrided(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                 std::int64_t count, std::int64_t element) {
  switch (element) {
    case 1: CopyVector<1>(to, to_step, from, from_step, count); return;
    case 2: CopyVector<2>(to, to_step, from, from_step, count); return;
    case 4: CopyVector<4>(to, to_step, from, from_step, count); return;
    default: SPILLWAY_CHECK(false, "elements have 1, 2 or 4 bytes");
  }
}

Interval<std::int64_t> HullOf(const Pattern& pattern) {
  if (pattern.columns == 0) return {pattern.start, pattern.start};
  Interval<std::int64_t> hull{pattern.start, pattern.start + pattern.element};
  const auto reach = [&](const ByteDim& dim) {
    (dim.step < 0 ? hull.begin : hull.end) += dim.step * (dim.count - 1);
  };
  for (const ByteDim& dim : pattern.outer) reach(dim);
  reach(pattern.inner);
  return hull;
}

Pattern PatternOf(const Kernel& kernel, const Operand& operand,
                  std::span<const std::int64_t> loop_values) {
  const Tensor& tensor = kernel.tensors[operand.tensor];
  Pattern pattern;
  pattern.tensor = operand.tensor;
  pattern.block = BlockIndex(tensor, operand, loop_values);
  pattern.dtype = OperandDType(kernel, operand);
  pattern.element = ElementSize(pattern.dtype).value;
  if (tensor.space != Space::kDram) {
    pattern.first_row = Evaluate(operand.partition_start, loop_values);
    pattern.rows = operand.partition_count;
  }
  pattern.start = Evaluate(operand.free_offset, loop_values) * pattern.element;
  pattern.columns = 1;
  std::vector<ByteDim> dims;
  for (const FreeDim& dim : operand.free_dims) {
    pattern.columns *= dim.count;
    if (dim.count == 1) continue;
    const ByteDim bytes{dim.step * pattern.element, dim.count};
    if (!dims.empty() && dims.back().step == bytes.step * bytes.count) {
      dims.back() = {bytes.step, bytes.count * dims.back().count};
    } else {
      dims.push_back(bytes);
    }
  }
  pattern.inner = {pattern.element, 1};
  if (!dims.empty()) {
    pattern.inner = dims.back();
    dims.pop_back();
  }
  pattern.outer = std::move(dims);
  if (pattern.columns > 0) CheckBounds(tensor, pattern);
  return pattern;
}

Pattern WholeBlock(const Kernel& kernel, TensorId tensor, std::int64_t block) {
  const Tensor& whole = kernel.tensors[tensor];
  Pattern pattern;
  pattern.tensor = tensor;
  pattern.block = block;
  pattern.dtype = whole.dtype;
  pattern.element = ElementSize(whole.dtype).value;
  pattern.rows = whole.space == Space::kDram ? 1 : Partitions(whole).value;
  pattern.columns = FreeElements(whole);
  pattern.inner = {pattern.element, pattern.columns};
  return pattern;
}

void GatherRow(const Pattern& pattern, const BlockView& view, std::int64_t row,
               std::span<std::byte> packed) {
  const std::byte* base = RowBase(pattern, view, row);
  std::byte* to = packed.data();
  const std::int64_t vector_bytes = pattern.inner.count * pattern.element;
  ForEachVector(pattern, [&](std::int64_t offset) {
    if (pattern.is_run()) {
      std::memcpy(to, base + offset, static_cast<std::size_t>(vector_bytes));
    } else {
      CopyStrided(to, pattern.element, base + offset, pattern.inner.step, pattern.inner.count,
                  pattern.element);
    }
    to += vector_bytes;
  });
}

void ScatterRow(const Pattern& pattern, const BlockView& view, std::int64_t row,
                std::span<const std::byte> packed) {
  std::byte* base = RowBase(pattern, view, row);
  const std::byte* from = packed.data();
  const std::int64_t vector_bytes = pattern.inner.count * pattern.element;
  ForEachVector(pattern, [&](std::int64_t offset) {
    if (pattern.is_run()) {
      std::memcpy(base + offset, from, static_cast<std::size_t>(vector_bytes));
    } else {
      CopyStrided(base + offset, pattern.inner.step, from, pattern.element, pattern.inner.count,
                  pattern.element);
    }
    from += vector_bytes;
  });
}

std::vector<std::byte> Gather(const Pattern& pattern, MemoryView& memory) {
  const BlockView view = memory.Block(pattern.tensor, pattern.block);
  std::vector<std::byte> packed;
  if (pattern.contiguous_row()) {
    packed.reserve(static_cast<std::size_t>(pattern.bytes()));
    for (std::int64_t row = 0; row < pattern.rows; ++row) {
      const std::byte* from = RowBase(pattern, view, row) + pattern.start;
      packed.insert(packed.end(), from, from + pattern.row_bytes());
    }
    return packed;
  }
  packed.resize(static_cast<std::size_t>(pattern.bytes()));
  const auto row_bytes = static_cast<std::size_t>(pattern.row_bytes());
  for (std::int64_t row = 0; row < pattern.rows; ++row) {
    GatherRow(pattern, view, row,
              std::span(packed).subspan(static_cast<std::size_t>(row) * row_bytes, row_bytes));
  }
  return packed;
}

void Scatter(const Pattern& pattern, std::span<const std::byte> packed, MemoryView& memory) {
  SPILLWAY_CHECK(packed.size() == static_cast<std::size_t>(pattern.bytes()),
                 "a result has another size than the operand that it goes to");
  const BlockView view = memory.Block(pattern.tensor, pattern.block);
  const auto row_bytes = static_cast<std::size_t>(pattern.row_bytes());
  for (std::int64_t row = 0; row < pattern.rows; ++row) {
    ScatterRow(pattern, view, row,
               packed.subspan(static_cast<std::size_t>(row) * row_bytes, row_bytes));
  }
}

}  // namespace spillway
