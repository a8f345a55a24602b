// Operators on bit patterns: integers in, integers out, nothing converted.
#pragma once

#include <initializer_list>

#include "sim/values/numeric_ops.h"
#include "sim/values/op_facts.h"

namespace spillway {

/// Whether one of the attributes names a bit operator.
bool UsesBitOperator(const Instruction& instruction, std::initializer_list<std::string_view> attrs);

/// tensor_scalar with bit operators; both stages must be of that kind and all types integers.
/// Source: NKI ISA, bitvec operators.
Reason CheckBitScalar(const Kernel& kernel, const Instruction& instruction);
InstructionResult ComputeBitScalar(const OpContext& context);

/// tensor_tensor with a bit operator.
Reason CheckBitTensor(const Kernel& kernel, const Instruction& instruction);
InstructionResult ComputeBitTensor(const OpContext& context);

}  // namespace spillway
