// An index that depends on open loops: c + sum(coefficient * loop), optionally modulo n.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/hw/units.h"

namespace spillway {

struct AffineTerm {
  LoopId loop;
  std::int64_t coefficient = 0;
  friend bool operator==(const AffineTerm&, const AffineTerm&) = default;
};

/// Terms are sorted by loop, without zero coefficients, so that equal functions compare equal.
struct AffineExpr {
  std::int64_t constant = 0;
  std::vector<AffineTerm> terms;
  std::int64_t modulus = 0;  ///< 0: none. Otherwise the value lies in [0, modulus)

  AffineExpr() = default;
  AffineExpr(std::int64_t c) : constant(c) {}  // NOLINT: an integer is an index
  bool IsConstant() const { return terms.empty(); }
  friend bool operator==(const AffineExpr&, const AffineExpr&) = default;
};

/// Sorted, merged, zero-free form of `expr`; constant expressions are reduced by their modulus.
AffineExpr Normalized(AffineExpr expr);

/// Value where loop `l` has the value `loop_values[l]`. The modulus is the mathematical one (>= 0).
std::int64_t Evaluate(const AffineExpr& expr, std::span<const std::int64_t> loop_values);

/// `expr` * `factor` + `addend`, or nothing where a modulus of either stands in the way.
std::optional<AffineExpr> ScaleAdd(const AffineExpr& expr, std::int64_t factor,
                                   const AffineExpr& addend);

/// Smallest and largest value over the given inclusive bounds of every loop.
struct ValueRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};
ValueRange RangeOf(const AffineExpr& expr, std::span<const ValueRange> loop_ranges);

}  // namespace spillway
