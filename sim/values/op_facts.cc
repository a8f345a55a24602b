#include "sim/values/op_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/ir/footprint.h"
#include "model/hw/error.h"

namespace spillway {
namespace {

// They choose an engine, a descriptor mode or a name and leave the values alone. `dtype` repeats
// what the destination's own type says, which is the type that counts.
constexpr std::string_view kHarmless =
    "dtype engine dge_mode name spill oob_mode keepdims priority tile_size tile_position "
    "is_stationary_onezero is_moving_onezero";

/// Whether `names` lists `name`, with or without a '?'.
bool Lists(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    std::string_view listed = names.substr(0, end);
    if (listed.ends_with('?')) listed.remove_suffix(1);
    if (listed == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

Reason CheckGroups(std::string_view names, const std::vector<OperandGroup>& groups,
                   std::string_view side) {
  for (const OperandGroup& group : groups) {
    if (!Lists(names, group.name)) return fmt::format("{} \"{}\" isn't known", side, group.name);
    if (group.operands.size() != 1) return fmt::format("{} \"{}\" is a list", side, group.name);
    if (!group.operands.front().indirect.empty()) {
      return fmt::format("{} \"{}\" is indirect", side, group.name);
    }
  }
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    const std::string_view listed = names.substr(0, end);
    if (!listed.ends_with('?') && FindOperand(groups, listed) == nullptr) {
      return fmt::format("{} \"{}\" is missing", side, listed);
    }
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return std::nullopt;
}

}  // namespace

const Operand* FindOperand(const std::vector<OperandGroup>& groups, std::string_view name) {
  for (const OperandGroup& group : groups) {
    if (group.name == name && group.operands.size() == 1) return &group.operands.front();
  }
  return nullptr;
}

std::int64_t RowsOf(const Operand& operand) {
  return std::max<std::int64_t>(operand.partition_count, 1);
}

std::int64_t ColumnsOf(const Operand& operand) { return ElementCount(operand) / RowsOf(operand); }

Reason OutsideSignature(const Signature& signature, const Instruction& instruction) {
  for (const Attr& attr : instruction.attrs) {
    if (Lists(signature.attrs, attr.name) || Lists(kHarmless, attr.name)) continue;
    return fmt::format("attribute \"{}\" isn't known", attr.name);
  }
  return FirstOf({CheckGroups(signature.outputs, instruction.outputs, "output"),
                  CheckGroups(signature.inputs, instruction.inputs, "input")});
}

Reason SameElements(const Instruction& instruction, const Operand* a, const Operand* b) {
  if (a == nullptr || b == nullptr)
    return fmt::format("an operand of {} is missing", instruction.op);
  if (ElementCount(*a) == ElementCount(*b)) return std::nullopt;
  return fmt::format("operands of {} and {} elements", ElementCount(*a), ElementCount(*b));
}

Reason ScalarOrVector(const Instruction& instruction, std::string_view name, const Operand& data,
                      bool may_be_absent) {
  if (const Operand* operand = Input(instruction, name)) {
    const std::int64_t count = ElementCount(*operand);
    if (count == 1 || count == RowsOf(data) || count == ElementCount(data)) return std::nullopt;
    return fmt::format("operand \"{}\" has {} elements for {} rows", name, count, RowsOf(data));
  }
  if (NumberAttr(instruction.attrs, name)) return std::nullopt;
  const AttrValue* attr = FindAttr(instruction.attrs, name);
  if (may_be_absent && (attr == nullptr || std::holds_alternative<std::monostate>(attr->value))) {
    return std::nullopt;
  }
  return fmt::format("\"{}\" is neither a number nor a tensor", name);
}

Reason KnownOperator(const Instruction& instruction, std::string_view attr, bool reduces) {
  const std::string_view name = StringAttr(instruction.attrs, attr);
  const std::optional<BinaryOp> op = ParseBinaryOp(name);
  if (op && (!reduces || CanReduce(*op))) return std::nullopt;
  return fmt::format("operator \"{}\" isn't known", name);
}

BinaryOp OperatorOf(const Instruction& instruction, std::string_view attr) {
  const std::optional<BinaryOp> op = ParseBinaryOp(StringAttr(instruction.attrs, attr));
  SPILLWAY_CHECK(op, "an operator that was checked is known");
  return *op;
}

Reason FirstOf(std::initializer_list<Reason> reasons) {
  for (const Reason& reason : reasons) {
    if (reason) return reason;
  }
  return std::nullopt;
}

std::optional<std::vector<FreeDim>> PatternAttr(const Instruction& instruction,
                                                std::string_view name) {
  const AttrValue* attr = FindAttr(instruction.attrs, name);
  if (attr == nullptr) return std::nullopt;
  const auto* rows = std::get_if<AttrValue::List>(&attr->value);
  if (rows == nullptr || rows->empty()) return std::nullopt;
  std::vector<FreeDim> pattern;
  for (const AttrValue& row : *rows) {
    const auto* pair = std::get_if<AttrValue::List>(&row.value);
    if (pair == nullptr || pair->size() != 2) return std::nullopt;
    const auto* step = std::get_if<std::int64_t>(&(*pair)[0].value);
    const auto* count = std::get_if<std::int64_t>(&(*pair)[1].value);
    constexpr std::int64_t kLimit = std::int64_t{1} << 31;  // so that no sum of products overflows
    if (step == nullptr || count == nullptr || *count < 1 || *count > kLimit || *step > kLimit ||
        *step < -kLimit) {
      return std::nullopt;
    }
    pattern.push_back({*step, *count});
    if (pattern.size() > 8 || PatternElements(pattern) > kLimit) return std::nullopt;
  }
  return pattern;
}

std::int64_t PatternElements(const std::vector<FreeDim>& pattern) {
  std::int64_t count = 1;
  for (const FreeDim& dim : pattern) count *= dim.count;
  return count;
}

}  // namespace spillway
