#include "model/alloc/ir/print_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "model/alloc/ir/evaluate_modulo_law.h"

namespace spillway {
namespace {

constexpr std::array<std::string_view, 4> kRoles = {"", " input", " output", " constant"};
constexpr std::array<std::string_view, 4> kLoopKinds = {"affine", "sequential", "static",
                                                        "dynamic"};
constexpr std::array<std::string_view, 6> kComparisons = {">= 0", "> 0",  "<= 0",
                                                          "< 0",  "== 0", "!= 0"};

template <class Enum, std::size_t N>
std::string_view Word(const std::array<std::string_view, N>& words, Enum value) {
  return words.at(static_cast<std::size_t>(value));
}

std::string AttrText(const AttrValue& value) {
  struct Print {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return fmt::to_string(i); }
    std::string operator()(double d) const { return fmt::format("{:#}", d); }
    std::string operator()(const std::string& s) const { return s; }
    std::string operator()(const AttrValue::List& list) const {
      std::string text = "[";
      for (const AttrValue& item : list) text += (text.size() > 1 ? ", " : "") + AttrText(item);
      return text + "]";
    }
  };
  return std::visit(Print{}, value.value);
}

std::string LawText(const ModuloLaw& law, Space space) {
  std::string text = "mod_alloc(";
  if (space == Space::kPsum) text += fmt::format("base_bank={}, ", law.base_bank.value);
  text += fmt::format("base_addr={}", law.base_addr.value);
  if (law.base_partition.value != 0)
    text += fmt::format(", base_partition={}", law.base_partition.value);
  for (const auto& [name, counts] : {std::pair{"num_bank_tiles", &law.num_bank_tiles},
                                     {"num_par_tiles", &law.num_par_tiles},
                                     {"num_free_tiles", &law.num_free_tiles}}) {
    if (!counts->empty()) text += fmt::format(", {}=({})", name, fmt::join(*counts, ", "));
  }
  return text + ")";
}

std::string GroupsText(const Kernel& kernel, const std::vector<OperandGroup>& groups) {
  std::string text;
  for (const OperandGroup& group : groups) {
    text += (text.empty() ? "" : ", ") + group.name + "=";
    if (group.is_list) text += "(";
    for (std::size_t i = 0; i < group.operands.size(); ++i) {
      text += (i > 0 ? ", " : "") + PrintOperand(kernel, group.operands[i]);
    }
    if (group.is_list) text += ")";
  }
  return text;
}

}  // namespace

std::string PrintIndex(const Kernel& kernel, const AffineExpr& expr) {
  std::string text;
  if (expr.constant != 0 || expr.terms.empty()) text = fmt::to_string(expr.constant);
  for (const AffineTerm& term : expr.terms) {
    const std::string& loop = kernel.loops[term.loop].name;
    const bool negative = term.coefficient < 0;
    // The magnitude as unsigned, since the smallest integer has no negative.
    const std::uint64_t size = negative ? 0 - static_cast<std::uint64_t>(term.coefficient)
                                        : static_cast<std::uint64_t>(term.coefficient);
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += size == 1 ? loop : fmt::format("{}*{}", size, loop);
  }
  if (expr.modulus == 0) return text;
  const bool one_part = expr.terms.size() + (expr.constant != 0 ? 1 : 0) == 1;
  return one_part ? fmt::format("{} mod {}", text, expr.modulus)
                  : fmt::format("({}) mod {}", text, expr.modulus);
}

std::string PrintOperand(const Kernel& kernel, const Operand& operand) {
  const Tensor& tensor = kernel.tensors[operand.tensor];
  std::string text = tensor.name;
  if (!operand.block.empty()) {
    std::string indices;
    for (const AffineExpr& index : operand.block)
      indices += (indices.empty() ? "" : ", ") + PrintIndex(kernel, index);
    text += "{" + indices + "}";
  }
  text += "[";
  if (tensor.space != Space::kDram) {
    text += fmt::format("{}+{}, ", PrintIndex(kernel, operand.partition_start),
                        operand.partition_count);
  }
  text += PrintIndex(kernel, operand.free_offset) + ":";
  for (const FreeDim& dim : operand.free_dims) text += fmt::format(" {}x{}", dim.step, dim.count);
  text += "]";
  if (operand.as) text += fmt::format(" as {}", DTypeName(*operand.as));
  if (!operand.indirect.empty()) text += fmt::format(" through {}", operand.indirect);
  return text;
}

std::string PrintInstruction(const Kernel& kernel, const Instruction& instruction) {
  std::string text = instruction.op;
  if (instruction.engine) text += fmt::format(".{}", EngineName(*instruction.engine));
  if (!instruction.outputs.empty()) text += " " + GroupsText(kernel, instruction.outputs);
  if (!instruction.inputs.empty()) text += " <- " + GroupsText(kernel, instruction.inputs);
  if (!instruction.attrs.empty()) {
    std::string attrs;
    for (const Attr& attr : instruction.attrs)
      attrs += (attrs.empty() ? "" : ", ") + attr.name + ": " + AttrText(attr.value);
    text += " {" + attrs + "}";
  }
  for (std::size_t i = 0; i < instruction.when.size(); ++i) {
    const Predicate& predicate = instruction.when[i];
    text += fmt::format(" {} {} {}", i == 0 ? "when" : "and", PrintIndex(kernel, predicate.expr),
                        Word(kComparisons, predicate.comparison));
  }
  for (const auto& [loop, iteration] : instruction.source_loops)
    text += fmt::format(" @{}={}", loop, iteration);
  if (!instruction.src.empty()) text += " # " + instruction.src;
  return text;
}

std::string PrintTensor(const Tensor& tensor) {
  std::string text = fmt::format("{}: {} {} [{}]", tensor.name, SpaceName(tensor.space),
                                 DTypeName(tensor.dtype), fmt::join(tensor.shape, ", "));
  if (!tensor.blocks.empty()) text += fmt::format(" blocks [{}]", fmt::join(tensor.blocks, ", "));
  text += Word(kRoles, tensor.role);
  if (!tensor.at.empty()) text += " at";
  for (const Address& address : tensor.at)
    text += fmt::format(" {}:{}", address.partition.value, address.byte.value);
  if (FollowsModuloLaw(tensor)) text += " by " + LawText(*tensor.alloc, tensor.space);
  if (tensor.by_function) text += " by a function";
  return text;
}

std::string PrintKernel(const Kernel& kernel) {
  std::string text = fmt::format("kernel {} on {}", kernel.name, kernel.target);
  for (const Attr& attr : kernel.origin)
    text += fmt::format(", {}: {}", attr.name, AttrText(attr.value));
  for (const Attr& attr : kernel.opts)
    text += fmt::format(", option {}: {}", attr.name, AttrText(attr.value));
  text += "\n";
  for (const Tensor& tensor : kernel.tensors) text += "  " + PrintTensor(tensor) + "\n";
  std::size_t depth = 0;
  for (const BodyItem& item : kernel.body) {
    if (item.kind == BodyKind::kLoopEnd && depth > 0) --depth;
    text.append(2 * depth, ' ');
    if (item.kind == BodyKind::kInstruction) {
      text += PrintInstruction(kernel, kernel.instructions[item.instruction()]);
    } else if (item.kind == BodyKind::kLoopEnd) {
      text += "end " + kernel.loops[item.loop()].name;
    } else {
      const Loop& loop = kernel.loops[item.loop()];
      text += fmt::format("for {} in {}..{} step {} {}", loop.name, loop.begin, loop.end, loop.step,
                          Word(kLoopKinds, loop.kind));
      ++depth;
    }
    text += "\n";
  }
  return text;
}

}  // namespace spillway
