#include <array>
#include <cstring>

#include "model/alloc/ir/footprint.h"
#include "model/hw/error.h"
#include "sim/values/convert.h"
#include "sim/values/op_table.h"
#include "sim/values/tile.h"

namespace spillway {
namespace {

/// A copy between two dtypes goes through float32; between equal ones it keeps every bit.
/// Source: NKI ISA, tensor_copy and dma_copy.
std::vector<std::byte> Converted(const OpContext& c, const Operand& from, const Operand& to) {
  if (OperandDType(c.kernel, from) == OperandDType(c.kernel, to)) return LoadBytes(c, from);
  return Encoded(c, to, LoadTile(c, from));
}

Reason CheckCopy(const Kernel&, const Instruction& instruction) {
  return SameElements(instruction, Input(instruction, "src"), Output(instruction, "dst"));
}

InstructionResult ComputeCopy(const OpContext& c) {
  const Operand& to = *Output(c.instruction, "dst");
  return Assemble(c, {{"dst", Converted(c, *Input(c.instruction, "src"), to)}});
}

/// A source of outer x middle x inner elements; a transposition swaps outer and inner.
struct Extents {
  std::int64_t outer = 1;
  std::int64_t middle = 1;
  std::int64_t inner = 1;
};

template <int kBytes>
void SwapElements(const Extents& n, const std::byte* from, std::byte* to) {
  // Tiles of 32 x 32, so that neither side runs through the cache a line an element.
  constexpr std::int64_t kTile = 32;
  for (std::int64_t m = 0; m < n.middle; ++m) {
    for (std::int64_t o0 = 0; o0 < n.outer; o0 += kTile) {
      for (std::int64_t i0 = 0; i0 < n.inner; i0 += kTile) {
        const std::int64_t o1 = std::min(o0 + kTile, n.outer);
        const std::int64_t i1 = std::min(i0 + kTile, n.inner);
        for (std::int64_t i = i0; i < i1; ++i) {
          for (std::int64_t o = o0; o < o1; ++o) {
            std::memcpy(to + ((i * n.middle + m) * n.outer + o) * kBytes,
                        from + ((o * n.middle + m) * n.inner + i) * kBytes, kBytes);
          }
        }
      }
    }
  }
}

std::vector<std::byte> Swapped(const Extents& n, const std::vector<std::byte>& packed,
                               std::int64_t element) {
  std::vector<std::byte> swapped(packed.size());
  switch (element) {
    case 1: SwapElements<1>(n, packed.data(), swapped.data()); break;
    case 2: SwapElements<2>(n, packed.data(), swapped.data()); break;
    case 4: SwapElements<4>(n, packed.data(), swapped.data()); break;
    default: SPILLWAY_CHECK(false, "elements have 1, 2 or 4 bytes");
  }
  return swapped;
}

InstructionResult Transposed(const OpContext& c, const Operand& from, const Extents& extents) {
  const Operand& to = *Output(c.instruction, "dst");
  // Conversion acts on elements one by one, so it may come before the swap.
  const std::int64_t element = ElementSize(OperandDType(c.kernel, to)).value;
  return Assemble(c, {{"dst", Swapped(extents, Converted(c, from, to), element)}});
}

/// Dimensions of a dma_transpose source, partitions first; in DRAM the outermost free dimension
/// stands for them.
std::vector<std::int64_t> Dimensions(const Kernel& kernel, const Operand& source) {
  std::vector<std::int64_t> counts;
  if (kernel.tensors[source.tensor].space != Space::kDram) counts.push_back(source.partition_count);
  for (const FreeDim& dim : source.free_dims) counts.push_back(dim.count);
  return counts;
}

/// The axes that the operation supports: first and last change places.
bool AxesAreTheUsual(const Instruction& instruction, std::size_t dimensions) {
  const AttrValue* attr = FindAttr(instruction.attrs, "axes");
  if (attr == nullptr || std::holds_alternative<std::monostate>(attr->value)) return true;
  const auto* list = std::get_if<AttrValue::List>(&attr->value);
  if (list == nullptr || list->size() != dimensions) return false;
  for (std::size_t i = 0; i < dimensions; ++i) {
    std::size_t want = i;
    if (i == 0) want = dimensions - 1;
    if (i == dimensions - 1) want = 0;
    if ((*list)[i] != AttrValue(static_cast<std::int64_t>(want))) return false;
  }
  return true;
}

Reason CheckDmaTranspose(const Kernel& kernel, const Instruction& instruction) {
  const Operand& source = *Input(instruction, "src");
  const Operand& dst = *Output(instruction, "dst");
  const std::vector<std::int64_t> counts = Dimensions(kernel, source);
  if (counts.size() < 2 || counts.size() > 4) return "a source of 2 to 4 dimensions is needed";
  if (!AxesAreTheUsual(instruction, counts.size())) return "\"axes\" has another permutation";
  if (kernel.tensors[dst.tensor].space != Space::kDram && dst.partition_count != counts.back()) {
    return "dst needs a partition for each of the source's last elements";
  }
  return SameElements(instruction, &source, &dst);
}

InstructionResult ComputeDmaTranspose(const OpContext& c) {
  const Operand& source = *Input(c.instruction, "src");
  const std::vector<std::int64_t> counts = Dimensions(c.kernel, source);
  Extents extents{counts.front(), 1, counts.back()};
  for (std::size_t d = 1; d + 1 < counts.size(); ++d) extents.middle *= counts[d];
  return Transposed(c, source, extents);
}

Reason CheckTranspose(const Kernel&, const Instruction& instruction) {
  const Operand& data = *Input(instruction, "data");
  const Operand& dst = *Output(instruction, "dst");
  if (RowsOf(dst) != ColumnsOf(data) || ColumnsOf(dst) != RowsOf(data)) {
    return "dst isn't shaped as the transposed data";
  }
  return std::nullopt;
}

InstructionResult ComputeTranspose(const OpContext& c) {
  const Operand& data = *Input(c.instruction, "data");
  return Transposed(c, data, {RowsOf(data), 1, ColumnsOf(data)});
}

}  // namespace

std::span<const NumericOp> MovementOps() {
  static constexpr std::array kOps = {
      NumericOp{"dma_copy", {"dst", "src", ""}, CheckCopy, ComputeCopy},
      NumericOp{"tensor_copy", {"dst", "src", ""}, CheckCopy, ComputeCopy},
      NumericOp{"dma_transpose", {"dst", "src", "axes"}, CheckDmaTranspose, ComputeDmaTranspose},
      NumericOp{"nc_transpose", {"dst", "data", ""}, CheckTranspose, ComputeTranspose},
  };
  return kOps;
}

}  // namespace spillway
