#include "traces/check_instruction.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/ir/footprint.h"

namespace spillway {
namespace {

bool IsOneDirect(const std::vector<OperandGroup>& groups) {
  return groups.size() == 1 && groups.front().operands.size() == 1 &&
         groups.front().operands.front().indirect.empty();
}

std::int64_t BytesOf(const Kernel& kernel, const Operand& operand) {
  std::int64_t elements = std::max<std::int64_t>(1, operand.partition_count);
  for (const FreeDim& dim : operand.free_dims) elements *= dim.count;
  return elements * ElementSize(OperandDType(kernel, operand)).value;
}

// Simulators move the bytes of spill code, whatever they mean, so there must be as many.
void CheckSpillCopy(const Instruction& instruction, const Node& node, const Kernel& kernel,
                    Decoder& decoder) {
  const bool is_copy = instruction.op == "dma_copy" || instruction.op == "tensor_copy";
  if (!is_copy || !IsOneDirect(instruction.outputs) || !IsOneDirect(instruction.inputs)) {
    decoder.Refuse(Fault::kSpillNotACopy, node.Member("attr").Member("spill"),
                   "a dma_copy or tensor_copy of one direct operand",
                   fmt::format("{} with {} outputs and {} inputs", instruction.op,
                               instruction.outputs.size(), instruction.inputs.size()));
    return;
  }
  const std::int64_t from = BytesOf(kernel, instruction.inputs.front().operands.front());
  const std::int64_t to = BytesOf(kernel, instruction.outputs.front().operands.front());
  if (from == to) return;
  decoder.Refuse(Fault::kSpillNotACopy, node.Member("attr").Member("spill"),
                 fmt::format("as many bytes as the {} that are read", from),
                 fmt::format("{} written", to));
}

class InstructionCheck {
 public:
  InstructionCheck(const Instruction& instruction, const Kernel& kernel, GuardedRanges& ranges,
                   Decoder& decoder)
      : instruction_(instruction), kernel_(kernel), ranges_(ranges), decoder_(decoder) {}

  void Access(const Operand& operand, const Node& node, Engine engine, bool is_write) {
    const Tensor& tensor = kernel_.tensors[operand.tensor];
    const Node name = node.Member("t");
    if (is_write && tensor.role == Role::kInput)
      Forbid(Fault::kWriteToInput, name, "an input", tensor);
    if (is_write && tensor.role == Role::kConstant)
      Forbid(Fault::kWriteToConstant, name, "a constant", tensor);
    if (is_write ? CanWrite(engine, tensor.space) : CanRead(engine, tensor.space)) return;
    decoder_.Refuse(is_write ? Fault::kEngineCannotWrite : Fault::kEngineCannotRead, name,
                    fmt::format("a tensor that engine {} can {}", EngineName(engine),
                                is_write ? "write" : "read"),
                    fmt::format("\"{}\" in {}", tensor.name, SpaceName(tensor.space)));
  }

  void Bounds(const Operand& operand, const Node& node) {
    const Tensor& tensor = kernel_.tensors[operand.tensor];
    for (std::size_t d = 0; d < operand.block.size(); ++d) {
      Within(operand.block[d], 0, 1, tensor.blocks[d], Fault::kBlockOutsideTensor, node, "b",
             "blocks", tensor);
    }
    if (tensor.space != Space::kDram) {
      Within(operand.partition_start, 0, operand.partition_count, tensor.shape.front(),
             Fault::kPartitionsOutsideTensor, node, "p", "partitions", tensor);
    }
    // The pattern's own reach, relative to its offset: [low, high).
    std::int64_t low = 0;
    std::int64_t high = 1;
    for (const FreeDim& dim : operand.free_dims) {
      std::int64_t span = 0;
      std::int64_t& side = dim.step < 0 ? low : high;
      if (__builtin_mul_overflow(dim.step, dim.count - 1, &span) ||
          __builtin_add_overflow(side, span, &side) || side < -kMaxIndex || side > kMaxIndex) {
        decoder_.Refuse(Fault::kNumberOutOfRange, node.Member("f"),
                        fmt::format("a pattern that spans at most {} elements", kMaxIndex), "more");
        return;
      }
    }
    const DType dtype = OperandDType(kernel_, operand);
    const std::int64_t elements = BlockBytes(tensor) / ElementSize(dtype);
    const bool as_other = dtype != tensor.dtype;
    Within(operand.free_offset, low, high, elements,
           as_other ? Fault::kReinterpretationOutsideTensor : Fault::kOperandOutsideTensor, node,
           "f", as_other ? fmt::format("{} elements", DTypeName(dtype)) : std::string("elements"),
           tensor);
  }

 private:
  void Forbid(Fault fault, const Node& node, std::string_view what, const Tensor& tensor) {
    decoder_.Refuse(fault, node, "a tensor that may be written",
                    fmt::format("\"{}\", {}", tensor.name, what));
  }

  /// [index + low, index + high) must lie in [0, limit) wherever the instruction runs.
  void Within(const AffineExpr& index, std::int64_t low, std::int64_t high, std::int64_t limit,
              Fault fault, const Node& node, std::string_view key, std::string_view unit,
              const Tensor& tensor) {
    const auto inside = [&](const ValueRange& range) {
      return range.min + low >= 0 && range.max + high <= limit;
    };
    ValueRange range = ranges_.Range(index);
    if (inside(range)) return;
    if (!instruction_.when.empty() || index.modulus != 0) {
      const std::optional<ValueRange> guarded = ranges_.RangeUnder(index, instruction_.when);
      if (!guarded || inside(*guarded)) return;
      range = *guarded;
    }
    decoder_.Refuse(fault, node.Member(key),
                    fmt::format("{} [0, {}) of tensor \"{}\"", unit, limit, tensor.name),
                    fmt::format("[{}, {})", range.min + low, range.max + high));
  }

  const Instruction& instruction_;
  const Kernel& kernel_;
  GuardedRanges& ranges_;
  Decoder& decoder_;
};

}  // namespace

void CheckInstruction(const Instruction& instruction, const Node& node, const Kernel& kernel,
                      bool may_run, GuardedRanges& ranges, Decoder& decoder) {
  if (instruction.spill != SpillRole::kNone) {
    CheckSpillCopy(instruction, node, kernel, decoder);
    if (!decoder.ok()) return;
  }
  const Engine engine = EngineOf(kernel, instruction);
  InstructionCheck check(instruction, kernel, ranges, decoder);
  for (const bool is_write : {false, true}) {
    const Node side = node.Member(is_write ? "out" : "in");
    const std::vector<OperandGroup>& groups = is_write ? instruction.outputs : instruction.inputs;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Node group = side.Item(g);
      for (std::size_t o = 0; o < groups[g].operands.size(); ++o) {
        const Node item = groups[g].is_list ? group.Item(o) : group;
        if (may_run) check.Bounds(groups[g].operands[o], item);
        check.Access(groups[g].operands[o], item, engine, is_write);
        if (!decoder.ok()) return;
      }
    }
  }
}

}  // namespace spillway
