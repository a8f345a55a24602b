#include "sim/values/bitwise.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "model/alloc/ir/footprint.h"
#include "sim/values/convert.h"
#include "sim/values/operators.h"
#include "sim/values/tile.h"

namespace spillway {
namespace {

Reason IntegersOnly(const Kernel& kernel, const Instruction& instruction) {
  for (const auto* groups : {&instruction.inputs, &instruction.outputs}) {
    for (const OperandGroup& group : *groups) {
      if (IsFloat(OperandDType(kernel, group.operands.front()))) {
        return "a bit operator needs integers, \"" + group.name + "\" has none";
      }
    }
  }
  return std::nullopt;
}

std::vector<std::uint64_t> LoadPatterns(const OpContext& c, const Operand& operand) {
  const std::vector<std::byte> bytes = LoadBytes(c, operand);
  const auto size = static_cast<std::size_t>(ElementSize(OperandDType(c.kernel, operand)).value);
  std::vector<std::uint64_t> patterns(bytes.size() / size, 0);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    std::memcpy(&patterns[i], bytes.data() + i * size, size);
  }
  return patterns;
}

/// The low bytes of each pattern.
std::vector<std::byte> StorePatterns(const OpContext& c, const Operand& operand,
                                     const std::vector<std::uint64_t>& patterns) {
  const auto size = static_cast<std::size_t>(ElementSize(OperandDType(c.kernel, operand)).value);
  std::vector<std::byte> bytes(patterns.size() * size);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    std::memcpy(bytes.data() + i * size, &patterns[i], size);
  }
  return bytes;
}

int Width(const OpContext& c, const Operand& operand) {
  return static_cast<int>(8 * ElementSize(OperandDType(c.kernel, operand)).value);
}

Reason CheckStage(const Instruction& instruction, std::string_view op, std::string_view operand) {
  const std::string_view name = StringAttr(instruction.attrs, op);
  const std::optional<BitOp> bit_op = ParseBitOp(name);
  if (!bit_op) return "operator \"" + std::string(name) + "\" beside a bit operator";
  if (*bit_op == BitOp::kInvert) return std::nullopt;
  if (Input(instruction, operand) == nullptr && !IntAttr(instruction.attrs, operand)) {
    return "a bit operator needs an integer as \"" + std::string(operand) + "\"";
  }
  return ScalarOrVector(instruction, operand, *Input(instruction, "data"), false);
}

void ApplyStage(const OpContext& c, std::vector<std::uint64_t>& data, std::int64_t rows,
                std::string_view op, std::string_view operand, std::string_view reverse) {
  const BitOp bit_op = *ParseBitOp(StringAttr(c.instruction.attrs, op));
  const int bits = Width(c, *Input(c.instruction, "data"));
  std::vector<std::uint64_t> values = {
      static_cast<std::uint64_t>(IntAttr(c.instruction.attrs, operand).value_or(0))};
  if (const Operand* tensor = Input(c.instruction, operand)) values = LoadPatterns(c, *tensor);
  const std::size_t columns = data.size() / static_cast<std::size_t>(rows);
  const bool swap = BoolAttr(c.instruction.attrs, reverse, false) && bit_op != BitOp::kInvert;
  for (std::size_t i = 0; i < data.size(); ++i) {
    std::size_t at = 0;
    if (values.size() == data.size()) {
      at = i;
    } else if (values.size() > 1) {
      at = i / columns;
    }
    data[i] = swap ? ApplyBits(bit_op, values[at], data[i], bits)
                   : ApplyBits(bit_op, data[i], values[at], bits);
  }
}

bool HasSecondStage(const Instruction& instruction) {
  return !StringAttr(instruction.attrs, "op1").empty();
}

}  // namespace

bool UsesBitOperator(const Instruction& instruction,
                     std::initializer_list<std::string_view> attrs) {
  return std::any_of(attrs.begin(), attrs.end(), [&](std::string_view attr) {
    return ParseBitOp(StringAttr(instruction.attrs, attr)).has_value();
  });
}

Reason CheckBitScalar(const Kernel& kernel, const Instruction& instruction) {
  const Reason first =
      FirstOf({SameElements(instruction, Input(instruction, "data"), Output(instruction, "dst")),
               IntegersOnly(kernel, instruction), CheckStage(instruction, "op0", "operand0")});
  if (first || !HasSecondStage(instruction)) return first;
  return CheckStage(instruction, "op1", "operand1");
}

InstructionResult ComputeBitScalar(const OpContext& c) {
  const Operand& data = *Input(c.instruction, "data");
  std::vector<std::uint64_t> patterns = LoadPatterns(c, data);
  ApplyStage(c, patterns, RowsOf(data), "op0", "operand0", "reverse0");
  if (HasSecondStage(c.instruction)) {
    ApplyStage(c, patterns, RowsOf(data), "op1", "operand1", "reverse1");
  }
  return Assemble(c, {{"dst", StorePatterns(c, *Output(c.instruction, "dst"), patterns)}});
}

Reason CheckBitTensor(const Kernel& kernel, const Instruction& instruction) {
  return IntegersOnly(kernel, instruction);
}

InstructionResult ComputeBitTensor(const OpContext& c) {
  const BitOp op = *ParseBitOp(StringAttr(c.instruction.attrs, "op"));
  const Operand& data = *Input(c.instruction, "data1");
  std::vector<std::uint64_t> patterns = LoadPatterns(c, data);
  const std::vector<std::uint64_t> other = LoadPatterns(c, *Input(c.instruction, "data2"));
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    patterns[i] = ApplyBits(op, patterns[i], other[i], Width(c, data));
  }
  return Assemble(c, {{"dst", StorePatterns(c, *Output(c.instruction, "dst"), patterns)}});
}

}  // namespace spillway
