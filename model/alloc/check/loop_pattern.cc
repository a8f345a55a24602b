#include "model/alloc/check/loop_pattern.h"

#include <algorithm>
#include <numeric>

namespace spillway::check {
namespace {

// A longer period isn't worth waiting for.
constexpr std::int64_t kLongestPeriod = 4096;

std::int64_t CoefficientOf(const AffineExpr& expr, LoopId loop) {
  for (const AffineTerm& term : expr.terms) {
    if (term.loop == loop) return term.coefficient;
  }
  return 0;
}

}  // namespace

void LoopPattern::AddIndex(const AffineExpr& index, LoopId id, const Loop& loop) {
  const std::int64_t coefficient = CoefficientOf(index, id);
  if (coefficient == 0 || period == 0) return;
  if (index.modulus == 0) {
    period = 0;
    return;
  }
  const std::int64_t own = index.modulus / std::gcd(index.modulus, coefficient % index.modulus *
                                                                       (loop.step % index.modulus));
  const std::int64_t common = std::gcd(period, own);
  period = own / common > kLongestPeriod / period ? 0 : period / common * own;
}

void LoopPattern::AddPredicate(const Predicate& predicate, LoopId id, const Loop& loop) {
  const AffineExpr& expr = predicate.expr;
  const std::int64_t coefficient = CoefficientOf(expr, id);
  if (coefficient == 0) return;
  if (expr.modulus != 0 || expr.terms.size() != 1) {
    AddIndex(expr, id, loop);
    return;
  }
  // Zero lies between two iterations or on one; what holds may change from the one before it to the
  // one after it.
  const std::int64_t slope = coefficient * loop.step;
  const std::int64_t zero = -(expr.constant + coefficient * loop.begin) / slope;
  for (std::int64_t turn = zero - 1; turn <= zero + 2; ++turn) {
    const auto at = std::lower_bound(turns.begin(), turns.end(), turn);
    if (at == turns.end() || *at != turn) turns.insert(at, turn);
  }
}

}  // namespace spillway::check
