#include "sim/lower/instance_cost.h"

#include <algorithm>
#include <cmath>

#include "model/alloc/ir/footprint.h"
#include "model/hw/timing/dma_cost.h"
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

const Operand* FirstOperand(const std::vector<OperandGroup>& groups) {
  for (const OperandGroup& group : groups) {
    if (!group.operands.empty()) return &group.operands.front();
  }
  return nullptr;
}

// Captures write the enumerator with its type, "dge_mode.swdge"; modes that leave the choice open
// count as descriptors that lie ready. Source: nki.isa dma_copy.
DescriptorGeneration DescriptorsOf(std::string_view mode) {
  if (mode.ends_with("swdge")) return DescriptorGeneration::kSoftware;
  if (mode.ends_with("hwdge")) return DescriptorGeneration::kHardware;
  return DescriptorGeneration::kNone;
}

DescriptorKind KindOf(const Instruction& instruction, bool touches_dram, bool strided) {
  if (instruction.op == "dma_transpose") {
    return touches_dram ? DescriptorKind::kTransposeFromDram : DescriptorKind::kTransposeOnChip;
  }
  return strided ? DescriptorKind::kStrided : DescriptorKind::kContiguous;
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
  return shape;
}

Transfer TransferOf(const Kernel& kernel, const Instruction& instruction, const Target& target) {
  std::int64_t rows = 0;
  std::int64_t bytes = 1;
  bool touches_dram = false;
  const Operand* const sides[] = {FirstOperand(instruction.outputs),
                                  FirstOperand(instruction.inputs)};
  for (const Operand* side : sides) {
    if (side == nullptr) continue;
    const bool in_dram = kernel.tensors[side->tensor].space == Space::kDram;
    touches_dram = touches_dram || in_dram;
    bytes = std::max(bytes, ElementCount(*side) * ElementSize(OperandDType(kernel, *side)).value);
    if (!in_dram && rows == 0) rows = side->partition_count;
  }
  if (rows == 0)
    rows =
        RoundUp(bytes, target.dma_packet_bytes.value.value) / target.dma_packet_bytes.value.value;
  bool strided = false;
  for (const Operand* side : sides) {
    if (side != nullptr) strided = strided || RunElements(*side) * rows < ElementCount(*side);
  }
  Transfer transfer;
  transfer.role = RoleOf(DmaKindOf(kernel, instruction));
  transfer.descriptors = rows;
  transfer.descriptors_per_engine =
      std::max(DescriptorsPerEngine(target), (rows + target.dma_engines - 1) / target.dma_engines);
  transfer.descriptor_bytes = Bytes((bytes + rows - 1) / rows);
  const DescriptorKind kind = KindOf(instruction, touches_dram, strided);
  transfer.descriptor_time = DescriptorEngineTime(target, transfer.descriptor_bytes, kind);
  transfer.descriptor_latency = DescriptorTime(target, transfer.descriptor_bytes, kind);
  return transfer;
}

}  // namespace spillway
