#include "model/alloc/nki/implicit_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "model/alloc/nki/allocation_rule.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

// Functions of nki.language that become an activation, whose bias the caller can't give.
// Source: nki.errors, err_bias_tensor_must_be_specified_in_allocation; the activation functions of
// the ISA that no other engine has.
constexpr std::array kActivations = std::to_array<std::string_view>(
    {"exp", "log", "sqrt", "rsqrt", "sin", "cos", "tanh", "arctan", "sigmoid", "relu", "gelu",
     "gelu_dx", "gelu_apprx_tanh", "silu", "silu_dx", "softplus", "mish", "erf", "erf_dx"});

// Operations of nki.language that keep partial results in tensors of their own.
constexpr std::array kWithTemporaries =
    std::to_array<std::string_view>({"softmax", "rms_norm", "mean", "var"});

template <std::size_t N>
bool IsOneOf(const std::array<std::string_view, N>& names, std::string_view op) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

bool HasBiasTensor(const Instruction& instruction) {
  const auto is_bias = [](const OperandGroup& group) {
    return group.name == "bias" && !group.operands.empty();
  };
  if (std::any_of(instruction.inputs.begin(), instruction.inputs.end(), is_bias)) return true;
  return SPILLWAY_FAULT(N39, false, FindAttr(instruction.attrs, "bias") != nullptr);
}

struct Implicit {
  AllocationRule rule;
  std::string why;
};

std::optional<Implicit> ImplicitOf(const Kernel& kernel, const Instruction& instruction) {
  const std::string_view op = instruction.op;
  if ((op == "activation" || op == "activation_reduce") && !HasBiasTensor(instruction)) {
    return Implicit{AllocationRule::kImplicitBias,
                    "an activation without a bias tensor gets an implicit one: give it a bias "
                    "tensor that the kernel allocates"};
  }
  if (IsOneOf(kActivations, op)) {
    return Implicit{AllocationRule::kImplicitBias,
                    "it becomes an activation with an implicit bias tensor: use activation with a "
                    "bias tensor that the kernel allocates"};
  }
  const bool is_transpose = op == "nc_transpose" && EngineOf(kernel, instruction) == Engine::kPe;
  if (is_transpose || op == "transpose") {
    return Implicit{AllocationRule::kImplicitTranspose,
                    "a transpose on the Tensor engine multiplies with an implicit identity: use "
                    "nc_matmul with an identity that the kernel allocates, or the Vector engine"};
  }
  if (op == "matmul" && !BoolAttr(instruction.attrs, "transpose_x", false)) {
    return Implicit{AllocationRule::kImplicitTranspose,
                    "matmul without transpose_x transposes on the Tensor engine: transpose x "
                    "beforehand, or use nc_matmul"};
  }
  if (IsOneOf(kWithTemporaries, op)) {
    return Implicit{AllocationRule::kImplicitTemporary,
                    "it keeps partial results in implicit tensors: write it as instructions on "
                    "tensors that the kernel allocates"};
  }
  return std::nullopt;
}

std::string Position(const Instruction& instruction, std::size_t number) {
  return fmt::format("instruction {} ({}{}{})", number, instruction.op,
                     instruction.src.empty() ? "" : ", ", instruction.src);
}

}  // namespace

std::vector<Violation> FindImplicitTensors(const Kernel& kernel) {
  std::vector<Violation> violations;
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    const Instruction& instruction = kernel.instructions[InstructionId(i)];
    const std::optional<Implicit> implicit = ImplicitOf(kernel, instruction);
    if (!implicit) continue;
    const AllocationRuleRow& row = RowOf(implicit->rule);
    Violation violation;
    violation.kind = row.kind;
    for (const OperandGroup& group : instruction.outputs) {
      for (const Operand& operand : group.operands)
        violation.tensors.push_back(kernel.tensors[operand.tensor].name);
    }
    violation.text =
        fmt::format("{}: {} {}", Position(instruction, i), implicit->why, WhereToRead(row));
    violations.push_back(std::move(violation));
  }
  return violations;
}

}  // namespace spillway::nki
