#include "sim/lower/instance_cost.h"

#include <algorithm>
#include <cmath>

#include "model/alloc/ir/footprint.h"
#include "model/hw/timing/dma_transfer.h"
#include "sim/lower/streams.h"

namespace spillway {
namespace {

OperandShape ShapeOfOperand(const Kernel& kernel, std::string_view name, const Operand& operand,
                            const Target& target) {
  OperandShape shape;
  shape.name = name;
  shape.space = kernel.tensors[operand.tensor].space;
  shape.dtype = OperandDType(kernel, operand);
  shape.partitions = std::max<std::int64_t>(operand.partition_count, 1);
  shape.elements = ElementCount(operand) / shape.partitions;
  const auto inner = std::find_if(operand.free_dims.rbegin(), operand.free_dims.rend(),
                                  [](const FreeDim& dim) { return dim.count > 1; });
  if (inner != operand.free_dims.rend()) {
    shape.contiguous = inner->step == 1;
    shape.wide_stride =
        std::abs(inner->step) * ElementSize(shape.dtype) > target.wide_stride_bytes.value;
  }
  return shape;
}

std::vector<OperandShape> ShapesOf(const Kernel& kernel, const std::vector<OperandGroup>& groups,
                                   const Target& target) {
  std::vector<OperandShape> shapes;
  for (const OperandGroup& group : groups) {
    for (const Operand& operand : group.operands) {
      shapes.push_back(ShapeOfOperand(kernel, group.name, operand, target));
    }
  }
  return shapes;
}

// Elements in one run of the innermost dimensions.
std::int64_t RunElements(const Operand& operand) {
  std::int64_t run = 1;
  for (auto dim = operand.free_dims.rbegin(); dim != operand.free_dims.rend(); ++dim) {
    if (dim->count == 1) continue;
    if (dim->step != run) break;
    run *= dim->count;
  }
  return run;
}

// Captures write the enumerator with its type, "dge_mode.swdge"; modes that leave the choice open
// count as descriptors that lie ready. Source: nki.isa dma_copy.
DescriptorGeneration DescriptorsOf(std::string_view mode) {
  if (mode.ends_with("swdge")) return DescriptorGeneration::kSoftware;
  if (mode.ends_with("hwdge")) return DescriptorGeneration::kHardware;
  return DescriptorGeneration::kNone;
}

// A side of a DMA lies in one run a descriptor or in more. `rows` is 0 where no side is on chip:
// then packets divide it.
void MarkStrides(const Kernel& kernel, const std::vector<OperandGroup>& groups, std::int64_t rows,
                 const Target& target, std::vector<OperandShape>& shapes) {
  const std::int64_t packet = target.dma_packet_bytes.value.value;
  std::size_t next = 0;
  for (const OperandGroup& group : groups) {
    for (const Operand& operand : group.operands) {
      const std::int64_t bytes =
          ElementCount(operand) * ElementSize(OperandDType(kernel, operand)).value;
      const std::int64_t runs = rows > 0 ? rows : (bytes + packet - 1) / packet;
      shapes[next++].contiguous = RunElements(operand) * runs >= ElementCount(operand);
    }
  }
}

// Partitions of the side of a DMA that lies on chip, the destination first; 0 if none does.
std::int64_t RowsOnChip(const InstructionShape& shape) {
  for (const std::vector<OperandShape>* side : {&shape.outputs, &shape.inputs}) {
    for (const OperandShape& operand : *side) {
      if (operand.space != Space::kDram) return operand.partitions;
    }
  }
  return 0;
}

}  // namespace

InstructionShape ShapeOf(const Kernel& kernel, const Instruction& instruction,
                         const Target& target) {
  InstructionShape shape;
  shape.op = instruction.op;
  shape.engine = EngineOf(kernel, instruction);
  shape.inputs = ShapesOf(kernel, instruction.inputs, target);
  shape.outputs = ShapesOf(kernel, instruction.outputs, target);
  const std::optional<double> value = NumberAttr(instruction.attrs, "value");
  shape.writes_zero = value.has_value() && std::fpclassify(*value) == FP_ZERO;
  shape.descriptors = DescriptorsOf(StringAttr(instruction.attrs, "dge_mode"));
  if (shape.engine == Engine::kDma) {
    const std::int64_t rows = RowsOnChip(shape);
    MarkStrides(kernel, instruction.inputs, rows, target, shape.inputs);
    MarkStrides(kernel, instruction.outputs, rows, target, shape.outputs);
  }
  return shape;
}

Transfer TransferOf(const Kernel& kernel, const Instruction& instruction, const Target& target) {
  Transfer transfer = MakeTransfer(target, DmaShapeOf(ShapeOf(kernel, instruction, target)));
  transfer.role = RoleOf(DmaKindOf(kernel, instruction));
  return transfer;
}

}  // namespace spillway
