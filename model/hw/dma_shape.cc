#include "model/hw/dma_shape.h"

#include <algorithm>

namespace spillway {
namespace {

constexpr std::string_view kTranspose = "dma_transpose";

std::int64_t BytesOf(const OperandShape& operand) {
  return operand.partitions * operand.elements * ElementSize(operand.dtype).value;
}

}  // namespace

bool IsDmaOperation(std::string_view op) { return op == "dma_copy" || op == kTranspose; }

DmaShape DmaShapeOf(const InstructionShape& shape) {
  DmaShape dma;
  dma.transpose = shape.op == kTranspose;
  dma.descriptors = shape.descriptors;
  std::int64_t bytes = 1;
  const OperandShape* on_chip = nullptr;
  const OperandShape* largest = nullptr;
  for (const std::vector<OperandShape>* side : {&shape.outputs, &shape.inputs}) {
    for (const OperandShape& operand : *side) {
      dma.strided = dma.strided || !operand.contiguous;
      if (operand.space == Space::kDram) {
        dma.touches_dram = true;
      } else if (on_chip == nullptr) {
        on_chip = &operand;
      }
      bytes = std::max(bytes, BytesOf(operand));
      if (largest == nullptr || BytesOf(operand) > BytesOf(*largest)) largest = &operand;
    }
  }
  const OperandShape* const side = on_chip != nullptr ? on_chip : largest;
  dma.on_chip = on_chip != nullptr;
  if (side == nullptr) return dma;
  dma.rows = std::max<std::int64_t>(1, side->partitions);
  dma.elements = std::max<std::int64_t>(1, side->elements);
  dma.element_bytes = ElementSize(side->dtype);
  dma.other_row_bytes = Bytes((bytes + dma.rows - 1) / dma.rows);
  return dma;
}

}  // namespace spillway
