// One row an operation: the names that it knows, what else must hold, what it computes.
#pragma once

#include <span>
#include <string_view>

#include "sim/values/numeric_ops.h"
#include "sim/values/op_facts.h"

namespace spillway {

struct NumericOp {
  std::string_view name;
  Signature signature;
  /// What the signature doesn't say: sizes that match, operators that are known.
  Reason (*check)(const Kernel& kernel, const Instruction& instruction);
  InstructionResult (*compute)(const OpContext& context);
};

/// Activation, tensor_tensor, tensor_scalar and the like. Source: NKI ISA, Vector and Scalar
/// Engine.
std::span<const NumericOp> ElementwiseOps();
/// Reductions over free dimensions and over partitions, and the scan.
std::span<const NumericOp> ReductionOps();
/// Copies and transposes. Source: kernel format version 1, values.
std::span<const NumericOp> MovementOps();
/// Products and transposes of the PE array.
std::span<const NumericOp> MatrixOps();
/// Patterns of indices, constants, maxima and where they stand.
std::span<const NumericOp> IndexOps();

}  // namespace spillway
