// The operators and functions that instructions name, by their NKI names: one table each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace spillway {

/// Operators on float32. The unary ones look at their first operand only.
enum class BinaryOp {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kMaximum,
  kMinimum,
  kPower,
  kMod,
  kFmod,
  kEqual,
  kNotEqual,
  kGreater,
  kGreaterEqual,
  kLess,
  kLessEqual,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kLogicalNot,
  kAbs,
  kAbsMaximum,
  kAbsMinimum,
  kRsqrt,
  kReciprocal,
  kSquare,
  kRelu,
  kBypass,
};
std::optional<BinaryOp> ParseBinaryOp(std::string_view name);
bool IsUnary(BinaryOp op);
/// Whether the operator may fold a row into one value. Source: NKI ISA, legal reduction operators.
bool CanReduce(BinaryOp op);

/// Operators on the bit patterns of integers. kInvert looks at its first operand only.
enum class BitOp { kAnd, kOr, kXor, kLeftShift, kRightShift, kInvert };
std::optional<BitOp> ParseBitOp(std::string_view name);
/// Both operands as patterns of `bits` bits; shifts by `bits` or more give 0.
std::uint64_t ApplyBits(BitOp op, std::uint64_t a, std::uint64_t b, int bits);

/// The right operand of a whole row: one value, or one an element.
struct RowOperand {
  const float* values = nullptr;
  bool is_scalar = true;
};

/// row[i] = row[i] `op` operand[i], or operand[i] `op` row[i] where `reverse`. In place, since a
/// tile's rows are many and its temporaries would cost more than the arithmetic.
void ApplyRow(BinaryOp op, bool reverse, std::span<float> row, RowOperand operand);

/// a `op` b of two single values; the same bits as ApplyRow gives.
float ApplyOne(BinaryOp op, float a, float b);

/// The row folded by `op`. Sums and products keep sixteen partial results (element i goes to
/// i mod 16) and then fold these from the first: a fixed order that vectors can follow.
float ReduceRow(BinaryOp op, std::span<const float> row);

/// What the Scalar Engine computes on each element.
enum class ActivationFunction {
  kCopy,
  kSquare,
  kSigmoid,
  kRelu,
  kGelu,
  kGeluDx,
  kGeluTanh,
  kSilu,
  kSiluDx,
  kTanh,
  kSoftplus,
  kMish,
  kErf,
  kErfDx,
  kExp,
  kLog,
  kSin,
  kCos,
  kArctan,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kSign,
  kAbs,
};
std::optional<ActivationFunction> ParseActivation(std::string_view name);

/// row[i] = f(row[i]), in place.
void ActivateRow(ActivationFunction function, std::span<float> row);

/// Comparison of an integer with zero, by the operator's name; nothing for another operator.
std::optional<bool> CompareWithZero(BinaryOp op, std::int64_t value);

}  // namespace spillway
