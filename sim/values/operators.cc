#include "sim/values/operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/hw/error.h"
#include "sim/values/portable_math.h"

namespace spillway {
namespace {

struct Row {
  std::string_view name;
  BinaryOp op;
};

// Source: NKI ISA, supported math operators (arithmetic); the names are those of nki.language and
// their NumPy spellings. abs_max and abs_min compare magnitudes.
constexpr std::array kOperators = {
    Row{"add", BinaryOp::kAdd},
    Row{"subtract", BinaryOp::kSubtract},
    Row{"multiply", BinaryOp::kMultiply},
    Row{"divide", BinaryOp::kDivide},
    Row{"maximum", BinaryOp::kMaximum},
    Row{"max", BinaryOp::kMaximum},
    Row{"minimum", BinaryOp::kMinimum},
    Row{"min", BinaryOp::kMinimum},
    Row{"power", BinaryOp::kPower},
    Row{"pow", BinaryOp::kPower},
    Row{"mod", BinaryOp::kMod},
    Row{"fmod", BinaryOp::kFmod},
    Row{"equal", BinaryOp::kEqual},
    Row{"not_equal", BinaryOp::kNotEqual},
    Row{"greater", BinaryOp::kGreater},
    Row{"greater_equal", BinaryOp::kGreaterEqual},
    Row{"less", BinaryOp::kLess},
    Row{"less_equal", BinaryOp::kLessEqual},
    Row{"logical_and", BinaryOp::kLogicalAnd},
    Row{"logical_or", BinaryOp::kLogicalOr},
    Row{"logical_xor", BinaryOp::kLogicalXor},
    Row{"logical_not", BinaryOp::kLogicalNot},
    Row{"abs", BinaryOp::kAbs},
    Row{"abs_max", BinaryOp::kAbsMaximum},
    Row{"abs_min", BinaryOp::kAbsMinimum},
    Row{"rsqrt", BinaryOp::kRsqrt},
    Row{"reciprocal", BinaryOp::kReciprocal},
    Row{"square", BinaryOp::kSquare},
    Row{"relu", BinaryOp::kRelu},
    Row{"bypass", BinaryOp::kBypass},
};

float Maximum(float a, float b) { return (a > b || a != a) ? a : b; }
float Minimum(float a, float b) { return (a < b || a != a) ? a : b; }

/// The remainder with the divisor's sign.
float Mod(float a, float b) {
  const float rest = std::fmod(a, b);
  return rest != 0.0f && (rest < 0.0f) != (b < 0.0f) ? rest + b : rest;
}

float Flag(bool holds) { return holds ? 1.0f : 0.0f; }

/// Calls `use` with the operator as a function object, so that loops over it are compiled apart.
template <class Use>
void WithOperator(BinaryOp op, Use use) {
  switch (op) {
    case BinaryOp::kAdd: use([](float a, float b) { return a + b; }); return;
    case BinaryOp::kSubtract: use([](float a, float b) { return a - b; }); return;
    case BinaryOp::kMultiply: use([](float a, float b) { return a * b; }); return;
    case BinaryOp::kDivide: use([](float a, float b) { return a / b; }); return;
    case BinaryOp::kMaximum: use(Maximum); return;
    case BinaryOp::kMinimum: use(Minimum); return;
    case BinaryOp::kPower:
      use([](float a, float b) { return static_cast<float>(portable::Pow(a, b)); });
      return;
    case BinaryOp::kMod: use(Mod); return;
    case BinaryOp::kFmod: use([](float a, float b) { return std::fmod(a, b); }); return;
    case BinaryOp::kEqual: use([](float a, float b) { return Flag(a == b); }); return;
    case BinaryOp::kNotEqual: use([](float a, float b) { return Flag(a != b); }); return;
    case BinaryOp::kGreater: use([](float a, float b) { return Flag(a > b); }); return;
    case BinaryOp::kGreaterEqual: use([](float a, float b) { return Flag(a >= b); }); return;
    case BinaryOp::kLess: use([](float a, float b) { return Flag(a < b); }); return;
    case BinaryOp::kLessEqual: use([](float a, float b) { return Flag(a <= b); }); return;
    case BinaryOp::kLogicalAnd:
      use([](float a, float b) { return Flag(a != 0.0f && b != 0.0f); });
      return;
    case BinaryOp::kLogicalOr:
      use([](float a, float b) { return Flag(a != 0.0f || b != 0.0f); });
      return;
    case BinaryOp::kLogicalXor:
      use([](float a, float b) { return Flag((a != 0.0f) != (b != 0.0f)); });
      return;
    case BinaryOp::kLogicalNot: use([](float a, float) { return Flag(a == 0.0f); }); return;
    case BinaryOp::kAbs: use([](float a, float) { return std::fabs(a); }); return;
    case BinaryOp::kAbsMaximum:
      use([](float a, float b) { return Maximum(std::fabs(a), std::fabs(b)); });
      return;
    case BinaryOp::kAbsMinimum:
      use([](float a, float b) { return Minimum(std::fabs(a), std::fabs(b)); });
      return;
    case BinaryOp::kRsqrt:
      use([](float a, float) { return static_cast<float>(1.0 / std::sqrt(double{a})); });
      return;
    case BinaryOp::kReciprocal: use([](float a, float) { return 1.0f / a; }); return;
    case BinaryOp::kSquare: use([](float a, float) { return a * a; }); return;
    case BinaryOp::kRelu: use([](float a, float) { return Maximum(a, 0.0f); }); return;
    case BinaryOp::kBypass: use([](float a, float) { return a; }); return;
  }
  SPILLWAY_CHECK(false, "an operator outside its enum");
}

}  // namespace

std::optional<BinaryOp> ParseBinaryOp(std::string_view name) {
  for (const Row& row : kOperators) {
    if (row.name == name) return row.op;
  }
  return std::nullopt;
}

bool IsUnary(BinaryOp op) {
  switch (op) {
    case BinaryOp::kLogicalNot:
    case BinaryOp::kAbs:
    case BinaryOp::kRsqrt:
    case BinaryOp::kReciprocal:
    case BinaryOp::kSquare:
    case BinaryOp::kRelu:
    case BinaryOp::kBypass: return true;
    default: return false;
  }
}

bool CanReduce(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSubtract:
    case BinaryOp::kMultiply:
    case BinaryOp::kMaximum:
    case BinaryOp::kMinimum:
    case BinaryOp::kAbsMaximum:
    case BinaryOp::kAbsMinimum:
    case BinaryOp::kLogicalAnd:
    case BinaryOp::kLogicalOr:
    case BinaryOp::kLogicalXor: return true;
    default: return false;
  }
}

std::optional<BitOp> ParseBitOp(std::string_view name) {
  if (name == "bitwise_and") return BitOp::kAnd;
  if (name == "bitwise_or") return BitOp::kOr;
  if (name == "bitwise_xor") return BitOp::kXor;
  if (name == "left_shift") return BitOp::kLeftShift;
  if (name == "right_shift") return BitOp::kRightShift;
  if (name == "invert" || name == "bitwise_not") return BitOp::kInvert;
  return std::nullopt;
}

std::uint64_t ApplyBits(BitOp op, std::uint64_t a, std::uint64_t b, int bits) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  a &= mask;
  b &= mask;
  const bool far = b >= static_cast<std::uint64_t>(bits);
  switch (op) {
    case BitOp::kAnd: return a & b;
    case BitOp::kOr: return a | b;
    case BitOp::kXor: return a ^ b;
    case BitOp::kLeftShift: return far ? 0 : (a << b) & mask;
    case BitOp::kRightShift: return far ? 0 : a >> b;
    case BitOp::kInvert: return ~a & mask;
  }
  return 0;
}

void ApplyRow(BinaryOp op, bool reverse, std::span<float> row, RowOperand operand) {
  WithOperator(op, [&](auto f) {
    float* const to = row.data();
    const std::size_t count = row.size();
    const bool swap = reverse && !IsUnary(op);
    if (operand.is_scalar) {
      const float b = *operand.values;
      if (swap) {
        for (std::size_t i = 0; i < count; ++i) to[i] = f(b, to[i]);
      } else {
        for (std::size_t i = 0; i < count; ++i) to[i] = f(to[i], b);
      }
    } else if (swap) {
      for (std::size_t i = 0; i < count; ++i) to[i] = f(operand.values[i], to[i]);
    } else {
      for (std::size_t i = 0; i < count; ++i) to[i] = f(to[i], operand.values[i]);
    }
  });
}

float ApplyOne(BinaryOp op, float a, float b) {
  float result = 0.0f;
  WithOperator(op, [&](auto f) { result = f(a, b); });
  return result;
}

float ReduceRow(BinaryOp op, std::span<const float> row) {
  SPILLWAY_CHECK(!row.empty(), "a reduction needs an element");
  float result = row.front();
  WithOperator(op, [&](auto f) {
    constexpr std::size_t kLanes = 16;
    // Differences and comparisons don't regroup: from the first element to the last.
    const bool regroups = op == BinaryOp::kAdd || op == BinaryOp::kMultiply ||
                          op == BinaryOp::kMaximum || op == BinaryOp::kMinimum;
    if (!regroups || row.size() < 2 * kLanes) {
      // A row of one element gives a magnitude or a flag too.
      if (op == BinaryOp::kAbsMaximum || op == BinaryOp::kAbsMinimum) result = std::fabs(result);
      const bool logical =
          op == BinaryOp::kLogicalAnd || op == BinaryOp::kLogicalOr || op == BinaryOp::kLogicalXor;
      if (logical) result = Flag(result != 0.0f);
      for (std::size_t i = 1; i < row.size(); ++i) result = f(result, row[i]);
      return;
    }
    std::array<float, kLanes> lanes;
    std::copy_n(row.begin(), kLanes, lanes.begin());
    std::size_t i = kLanes;
    for (; i + kLanes <= row.size(); i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = f(lanes[lane], row[i + lane]);
    }
    for (std::size_t lane = 0; i < row.size(); ++i, ++lane) lanes[lane] = f(lanes[lane], row[i]);
    result = lanes.front();
    for (std::size_t lane = 1; lane < kLanes; ++lane) result = f(result, lanes[lane]);
  });
  return result;
}

std::optional<bool> CompareWithZero(BinaryOp op, std::int64_t value) {
  switch (op) {
    case BinaryOp::kEqual: return value == 0;
    case BinaryOp::kNotEqual: return value != 0;
    case BinaryOp::kGreater: return value > 0;
    case BinaryOp::kGreaterEqual: return value >= 0;
    case BinaryOp::kLess: return value < 0;
    case BinaryOp::kLessEqual: return value <= 0;
    default: return std::nullopt;
  }
}

}  // namespace spillway
