// What an instruction says about itself before any data: operands by name, sizes, operators.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "sim/values/operators.h"

namespace spillway {

using Reason = std::optional<std::string>;

/// The single operand of that name, or null.
const Operand* FindOperand(const std::vector<OperandGroup>& groups, std::string_view name);
inline const Operand* Input(const Instruction& instruction, std::string_view name) {
  return FindOperand(instruction.inputs, name);
}
inline const Operand* Output(const Instruction& instruction, std::string_view name) {
  return FindOperand(instruction.outputs, name);
}

/// Partitions of an operand (1 in DRAM), and elements in each of them.
std::int64_t RowsOf(const Operand& operand);
std::int64_t ColumnsOf(const Operand& operand);

/// The names that an operation knows, with blanks between them. A name that ends in '?' may be
/// absent. Attributes may always be absent here; the operation's own check asks for those that it
/// needs.
struct Signature {
  std::string_view outputs;
  std::string_view inputs;
  std::string_view attrs;
};

/// Names outside the signature, lists where one operand is expected, indirect operands.
/// Attributes that say how, not what (dtype, engine, dge_mode, tile_position …) pass.
Reason OutsideSignature(const Signature& signature, const Instruction& instruction);

/// Nothing if both visit equally many elements, partition by partition where both have partitions.
Reason SameElements(const Instruction& instruction, const Operand* a, const Operand* b);

/// Nothing if `name` is a number attribute, or an operand with one element, one a row of `data`, or
/// as many as `data`.
Reason ScalarOrVector(const Instruction& instruction, std::string_view name, const Operand& data,
                      bool may_be_absent);

/// Nothing if the attribute names an operator (a reducing one where `reduces`).
Reason KnownOperator(const Instruction& instruction, std::string_view attr, bool reduces = false);

/// The operator that a checked attribute names.
BinaryOp OperatorOf(const Instruction& instruction, std::string_view attr);

/// The first reason there is.
Reason FirstOf(std::initializer_list<Reason> reasons);

/// An attribute [[step, count], …], or nothing if it is anything else.
std::optional<std::vector<FreeDim>> PatternAttr(const Instruction& instruction,
                                                std::string_view name);
std::int64_t PatternElements(const std::vector<FreeDim>& pattern);

}  // namespace spillway
