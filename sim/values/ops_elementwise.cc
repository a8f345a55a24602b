#include <array>

#include "model/alloc/ir/footprint.h"
#include "model/hw/error.h"
#include "sim/values/bitwise.h"
#include "sim/values/op_table.h"
#include "sim/values/tile.h"

namespace spillway {
namespace {

/// Row by row: row = row `op` operand, or the reverse.
void Apply(Tile& tile, BinaryOp op, bool reverse, const Broadcast& operand) {
  for (std::int64_t r = 0; r < tile.rows(); ++r) ApplyRow(op, reverse, tile.row(r), operand.row(r));
}

std::vector<std::byte> Reduced(const OpContext& c, const Tile& tile, BinaryOp op) {
  Tile sums(tile.rows(), 1);
  for (std::int64_t r = 0; r < tile.rows(); ++r) sums.row(r).front() = ReduceRow(op, tile.row(r));
  return Encoded(c, *Output(c.instruction, "reduce_res"), sums);
}

/// One result a row of `data`, and a reduction register that starts afresh: continuing one that an
/// earlier instruction left has no numerics, since registers aren't operands.
Reason CheckReduceResult(const Instruction& instruction) {
  const std::string_view command = StringAttr(instruction.attrs, "reduce_cmd");
  if (!command.empty() && !command.ends_with("reset_reduce") && !command.ends_with("idle")) {
    return "reduce_cmd continues an earlier reduction";
  }
  const Operand* result = Output(instruction, "reduce_res");
  if (result == nullptr) return std::nullopt;
  if (ElementCount(*result) != RowsOf(*Input(instruction, "data"))) {
    return "reduce_res needs one element a row";
  }
  return KnownOperator(instruction, "reduce_op", true);
}

// activation: func(data * scale + bias), and the reduction of its float32 values.

Reason CheckActivation(const Kernel&, const Instruction& instruction) {
  const Operand& data = *Input(instruction, "data");
  if (!ParseActivation(StringAttr(instruction.attrs, "op"))) {
    return "function \"" + std::string(StringAttr(instruction.attrs, "op")) + "\" isn't known";
  }
  return FirstOf({SameElements(instruction, &data, Output(instruction, "dst")),
                  ScalarOrVector(instruction, "scale", data, true),
                  ScalarOrVector(instruction, "bias", data, true), CheckReduceResult(instruction)});
}

InstructionResult ComputeActivation(const OpContext& c) {
  Tile tile = LoadTile(c, *Input(c.instruction, "data"));
  Apply(tile, BinaryOp::kMultiply, false, Broadcast(c, "scale", tile.rows(), 1.0f));
  Apply(tile, BinaryOp::kAdd, false, Broadcast(c, "bias", tile.rows(), 0.0f));
  ActivateRow(*ParseActivation(StringAttr(c.instruction.attrs, "op")), tile.all());
  NamedOutputs outputs;
  if (Output(c.instruction, "reduce_res") != nullptr) {
    outputs.emplace_back("reduce_res", Reduced(c, tile, OperatorOf(c.instruction, "reduce_op")));
  }
  outputs.emplace_back("dst", Encoded(c, *Output(c.instruction, "dst"), tile));
  return Assemble(c, std::move(outputs));
}

// tensor_scalar: (data op0 operand0) op1 operand1, scalars or one value a row.

Reason CheckStage(const Instruction& instruction, std::string_view op, std::string_view operand) {
  if (Reason reason = KnownOperator(instruction, op)) return reason;
  return ScalarOrVector(instruction, operand, *Input(instruction, "data"),
                        IsUnary(OperatorOf(instruction, op)));
}

bool HasStage(const Instruction& instruction, std::string_view op) {
  const AttrValue* attr = FindAttr(instruction.attrs, op);
  return attr != nullptr && !std::holds_alternative<std::monostate>(attr->value);
}

void ApplyStage(const OpContext& c, Tile& tile, std::string_view op, std::string_view operand,
                std::string_view reverse) {
  Apply(tile, OperatorOf(c.instruction, op), BoolAttr(c.instruction.attrs, reverse, false),
        Broadcast(c, operand, tile.rows(), 0.0f));
}

Reason CheckTensorScalar(const Kernel& kernel, const Instruction& instruction) {
  if (UsesBitOperator(instruction, {"op0", "op1"})) return CheckBitScalar(kernel, instruction);
  const Reason first =
      FirstOf({SameElements(instruction, Input(instruction, "data"), Output(instruction, "dst")),
               CheckStage(instruction, "op0", "operand0")});
  if (first || !HasStage(instruction, "op1")) return first;
  return CheckStage(instruction, "op1", "operand1");
}

InstructionResult ComputeTensorScalar(const OpContext& c) {
  if (UsesBitOperator(c.instruction, {"op0", "op1"})) return ComputeBitScalar(c);
  Tile tile = LoadTile(c, *Input(c.instruction, "data"));
  ApplyStage(c, tile, "op0", "operand0", "reverse0");
  if (HasStage(c.instruction, "op1")) ApplyStage(c, tile, "op1", "operand1", "reverse1");
  return Assemble(c, {{"dst", Encoded(c, *Output(c.instruction, "dst"), tile)}});
}

Reason CheckTensorScalarReduce(const Kernel&, const Instruction& instruction) {
  return FirstOf({SameElements(instruction, Input(instruction, "data"), Output(instruction, "dst")),
                  CheckStage(instruction, "op0", "operand0"), CheckReduceResult(instruction)});
}

InstructionResult ComputeTensorScalarReduce(const OpContext& c) {
  Tile tile = LoadTile(c, *Input(c.instruction, "data"));
  ApplyStage(c, tile, "op0", "operand0", "reverse0");
  return Assemble(c, {{"dst", Encoded(c, *Output(c.instruction, "dst"), tile)},
                      {"reduce_res", Reduced(c, tile, OperatorOf(c.instruction, "reduce_op"))}});
}

// scalar_tensor_tensor: (data op0 operand0) op1 operand1, the second as large as data.

Reason CheckScalarTensorTensor(const Kernel&, const Instruction& instruction) {
  const Operand* data = Input(instruction, "data");
  return FirstOf({SameElements(instruction, data, Output(instruction, "dst")),
                  SameElements(instruction, data, Input(instruction, "operand1")),
                  CheckStage(instruction, "op0", "operand0"), KnownOperator(instruction, "op1")});
}

InstructionResult ComputeScalarTensorTensor(const OpContext& c) {
  Tile tile = LoadTile(c, *Input(c.instruction, "data"));
  ApplyStage(c, tile, "op0", "operand0", "reverse0");
  ApplyStage(c, tile, "op1", "operand1", "reverse1");
  return Assemble(c, {{"dst", Encoded(c, *Output(c.instruction, "dst"), tile)}});
}

// tensor_tensor: element by element, in element order.

Reason CheckTensorTensor(const Kernel& kernel, const Instruction& instruction) {
  const Operand* data = Input(instruction, "data1");
  const Reason sizes = FirstOf({SameElements(instruction, data, Output(instruction, "dst")),
                                SameElements(instruction, data, Input(instruction, "data2"))});
  if (sizes) return sizes;
  if (UsesBitOperator(instruction, {"op"})) return CheckBitTensor(kernel, instruction);
  return KnownOperator(instruction, "op");
}

InstructionResult ComputeTensorTensor(const OpContext& c) {
  if (UsesBitOperator(c.instruction, {"op"})) return ComputeBitTensor(c);
  Tile tile = LoadTile(c, *Input(c.instruction, "data1"));
  const Tile other = LoadTile(c, *Input(c.instruction, "data2"));
  ApplyRow(OperatorOf(c.instruction, "op"), false, tile.all(), {other.all().data(), false});
  return Assemble(c, {{"dst", Encoded(c, *Output(c.instruction, "dst"), tile)}});
}

Reason CheckReciprocal(const Kernel&, const Instruction& instruction) {
  return SameElements(instruction, Input(instruction, "data"), Output(instruction, "dst"));
}

InstructionResult ComputeReciprocal(const OpContext& c) {
  Tile tile = LoadTile(c, *Input(c.instruction, "data"));
  ActivateRow(ActivationFunction::kReciprocal, tile.all());
  return Assemble(c, {{"dst", Encoded(c, *Output(c.instruction, "dst"), tile)}});
}

}  // namespace

std::span<const NumericOp> ElementwiseOps() {
  static constexpr std::array kOps = {
      NumericOp{"activation",
                {"dst reduce_res?", "data scale? bias?", "op scale bias reduce_op reduce_cmd"},
                CheckActivation,
                ComputeActivation},
      NumericOp{"activation_reduce",
                {"dst reduce_res", "data scale? bias?", "op scale bias reduce_op reduce_cmd"},
                CheckActivation,
                ComputeActivation},
      NumericOp{"reciprocal", {"dst", "data", ""}, CheckReciprocal, ComputeReciprocal},
      NumericOp{"scalar_tensor_tensor",
                {"dst", "data operand0? operand1", "op0 op1 operand0 reverse0 reverse1"},
                CheckScalarTensorTensor,
                ComputeScalarTensorTensor},
      NumericOp{"tensor_scalar",
                {"dst", "data operand0? operand1?", "op0 op1 operand0 operand1 reverse0 reverse1"},
                CheckTensorScalar,
                ComputeTensorScalar},
      NumericOp{"tensor_scalar_reduce",
                {"dst reduce_res", "data operand0?", "op0 operand0 reverse0 reduce_op reduce_cmd"},
                CheckTensorScalarReduce,
                ComputeTensorScalarReduce},
      NumericOp{
          "tensor_tensor", {"dst", "data1 data2", "op"}, CheckTensorTensor, ComputeTensorTensor},
  };
  return kOps;
}

}  // namespace spillway
