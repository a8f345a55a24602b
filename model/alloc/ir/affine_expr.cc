#include "model/alloc/ir/affine_expr.h"

#include <algorithm>

#include "model/hw/error.h"

namespace spillway {
namespace {

std::int64_t Modulo(std::int64_t value, std::int64_t modulus) {
  const std::int64_t rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

}  // namespace

AffineExpr Normalized(AffineExpr expr) {
  std::sort(expr.terms.begin(), expr.terms.end(),
            [](const AffineTerm& a, const AffineTerm& b) { return a.loop < b.loop; });
  std::vector<AffineTerm> merged;
  for (const AffineTerm& term : expr.terms) {
    if (!merged.empty() && merged.back().loop == term.loop) {
      merged.back().coefficient += term.coefficient;
    } else {
      merged.push_back(term);
    }
  }
  std::erase_if(merged, [](const AffineTerm& term) { return term.coefficient == 0; });
  expr.terms = std::move(merged);
  if (expr.terms.empty() && expr.modulus > 0) {
    expr.constant = Modulo(expr.constant, expr.modulus);
    expr.modulus = 0;
  }
  return expr;
}

std::int64_t Evaluate(const AffineExpr& expr, std::span<const std::int64_t> loop_values) {
  std::int64_t value = expr.constant;
  for (const AffineTerm& term : expr.terms) {
    SPILLWAY_CHECK(term.loop.value < loop_values.size(), "an index names a loop without a value");
    value += term.coefficient * loop_values[term.loop.value];
  }
  return expr.modulus > 0 ? Modulo(value, expr.modulus) : value;
}

std::optional<AffineExpr> ScaleAdd(const AffineExpr& expr, std::int64_t factor,
                                   const AffineExpr& addend) {
  if (expr.modulus == 0 && addend.modulus == 0) {
    AffineExpr sum = addend;
    sum.constant += expr.constant * factor;
    for (const AffineTerm& term : expr.terms) {
      sum.terms.push_back({term.loop, term.coefficient * factor});
    }
    return Normalized(std::move(sum));
  }
  if (addend.modulus == 0 && addend == AffineExpr(0)) {
    if (factor < 0) return std::nullopt;
    // k * (e mod n) == (k * e) mod (k * n), for k > 0.
    AffineExpr scaled = expr;
    scaled.constant *= factor;
    scaled.modulus *= factor;
    for (AffineTerm& term : scaled.terms) term.coefficient *= factor;
    if (factor == 0) return AffineExpr(0);
    return Normalized(std::move(scaled));
  }
  if (expr == AffineExpr(0) || factor == 0) return addend;
  return std::nullopt;
}

ValueRange RangeOf(const AffineExpr& expr, std::span<const ValueRange> loop_ranges) {
  ValueRange range{expr.constant, expr.constant};
  for (const AffineTerm& term : expr.terms) {
    SPILLWAY_CHECK(term.loop.value < loop_ranges.size(), "an index names a loop without a range");
    const ValueRange& loop = loop_ranges[term.loop.value];
    range.min += term.coefficient * (term.coefficient > 0 ? loop.min : loop.max);
    range.max += term.coefficient * (term.coefficient > 0 ? loop.max : loop.min);
  }
  if (expr.modulus > 0) {
    // Within one period the residues stay in order; otherwise any residue may occur.
    const std::int64_t low = Modulo(range.min, expr.modulus);
    if (range.max - range.min < expr.modulus && low + (range.max - range.min) < expr.modulus) {
      return {low, low + (range.max - range.min)};
    }
    return {0, expr.modulus - 1};
  }
  return range;
}

}  // namespace spillway
