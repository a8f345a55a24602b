#include "traces/guarded_range.h"

#include <algorithm>

namespace spillway {
namespace {

std::int64_t FloorDivide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

AffineExpr Plus(AffineExpr expr, std::int64_t addend) {
  expr.constant += addend;
  return expr;
}

AffineExpr Negated(AffineExpr expr) {
  expr.constant = -expr.constant;
  for (AffineTerm& term : expr.terms) term.coefficient = -term.coefficient;
  return expr;
}

/// The predicates as expressions that must be at least 0. Those with a modulus and "not equal"
/// narrow nothing.
std::vector<AffineExpr> AtLeastZero(const std::vector<Predicate>& when) {
  std::vector<AffineExpr> exprs;
  for (const Predicate& predicate : when) {
    const AffineExpr& e = predicate.expr;
    if (e.modulus != 0) continue;
    switch (predicate.comparison) {
      case Comparison::kGreaterEqual: exprs.push_back(e); break;
      case Comparison::kGreater: exprs.push_back(Plus(e, -1)); break;
      case Comparison::kLessEqual: exprs.push_back(Negated(e)); break;
      case Comparison::kLess: exprs.push_back(Plus(Negated(e), -1)); break;
      case Comparison::kEqual:
        exprs.push_back(e);
        exprs.push_back(Negated(e));
        break;
      case Comparison::kNotEqual: break;
    }
  }
  return exprs;
}

std::int64_t CoefficientOf(const AffineExpr& expr, LoopId loop) {
  for (const AffineTerm& term : expr.terms) {
    if (term.loop == loop) return term.coefficient;
  }
  return 0;
}

/// `expr` bounded through `guard` >= 0: expr = k * guard + rest for the k that cancels the guard's
/// first term.
ValueRange Through(const AffineExpr& expr, const AffineExpr& guard, ValueRange range,
                   const std::vector<ValueRange>& loops) {
  constexpr std::int64_t kLargestFactor = 1 << 12;  // times kMaxIndex stays far from overflow
  const std::int64_t divisor = guard.terms.front().coefficient;
  const std::int64_t dividend = CoefficientOf(expr, guard.terms.front().loop);
  if (dividend == 0 || dividend % divisor != 0) return range;
  const std::int64_t k = dividend / divisor;
  if (k > kLargestFactor || k < -kLargestFactor) return range;
  const std::optional<AffineExpr> rest = ScaleAdd(guard, -k, expr);
  if (!rest) return range;
  const ValueRange left = RangeOf(*rest, loops);
  if (k > 0) range.min = std::max(range.min, left.min);
  if (k < 0) range.max = std::min(range.max, left.max);
  return range;
}

}  // namespace

void GuardedRanges::Open(const Loop& loop) {
  const Steps steps{loop.begin, loop.step, TripCount(loop)};
  const std::int64_t last =
      steps.trips > 0 ? loop.begin + (steps.trips - 1) * loop.step : loop.begin;
  steps_.push_back(steps);
  ranges_.push_back({std::min(loop.begin, last), std::max(loop.begin, last)});
  values_.push_back(loop.begin);
}

std::vector<LoopId> GuardedRanges::LoopsOf(const AffineExpr& expr,
                                           const std::vector<Predicate>& when) const {
  std::vector<LoopId> loops;
  for (const AffineTerm& term : expr.terms) loops.push_back(term.loop);
  for (const Predicate& predicate : when) {
    for (const AffineTerm& term : predicate.expr.terms) loops.push_back(term.loop);
  }
  std::sort(loops.begin(), loops.end());
  loops.erase(std::unique(loops.begin(), loops.end()), loops.end());
  return loops;
}

bool GuardedRanges::CanEnumerate(const std::vector<LoopId>& loops) const {
  std::int64_t iterations = 1;
  for (const LoopId loop : loops) {
    if (__builtin_mul_overflow(iterations, steps_[loop.value].trips, &iterations)) return false;
    if (iterations > std::min(max_iterations_, budget_)) return false;
  }
  return true;
}

std::optional<ValueRange> GuardedRanges::RangeUnder(const AffineExpr& expr,
                                                    const std::vector<Predicate>& when) {
  if (const auto loops = LoopsOf(expr, when); CanEnumerate(loops))
    return Enumerate(expr, when, loops);
  // Leaving predicates out only widens the range.
  const std::vector<LoopId> own = LoopsOf(expr, {});
  std::vector<Predicate> kept;
  std::copy_if(when.begin(), when.end(), std::back_inserter(kept), [&](const Predicate& predicate) {
    return std::all_of(predicate.expr.terms.begin(), predicate.expr.terms.end(),
                       [&](const AffineTerm& term) {
                         return std::binary_search(own.begin(), own.end(), term.loop);
                       });
  });
  if (CanEnumerate(own)) return Enumerate(expr, kept, own);
  return Narrow(expr, when);
}

std::optional<ValueRange> GuardedRanges::Enumerate(const AffineExpr& expr,
                                                   const std::vector<Predicate>& when,
                                                   const std::vector<LoopId>& loops) {
  for (const LoopId loop : loops) values_[loop.value] = steps_[loop.value].begin;
  std::vector<std::int64_t> trip(loops.size(), 0);
  std::optional<ValueRange> range;
  for (;;) {
    --budget_;
    if (Holds(when, values_)) {
      const std::int64_t value = Evaluate(expr, values_);
      if (!range) range = {value, value};
      range->min = std::min(range->min, value);
      range->max = std::max(range->max, value);
    }
    std::size_t d = 0;
    while (d < loops.size() && ++trip[d] == steps_[loops[d].value].trips) {
      trip[d] = 0;
      values_[loops[d].value] = steps_[loops[d].value].begin;
      ++d;
    }
    if (d == loops.size()) return range;
    values_[loops[d].value] += steps_[loops[d].value].step;
  }
}

std::optional<ValueRange> GuardedRanges::Narrow(const AffineExpr& expr,
                                                const std::vector<Predicate>& when) {
  const std::vector<AffineExpr> guards = AtLeastZero(when);
  std::vector<ValueRange> loops = ranges_;
  // Two rounds: what one guard leaves of a loop may narrow another loop through the next guard.
  for (int round = 0; round < 2; ++round) {
    for (const AffineExpr& guard : guards) {
      for (const AffineTerm& term : guard.terms) {
        AffineExpr others = guard;
        std::erase(others.terms, term);
        const std::int64_t most = RangeOf(others, loops).max;  // term * loop >= -most
        ValueRange& loop = loops[term.loop.value];
        if (term.coefficient > 0)
          loop.min = std::max(loop.min, -FloorDivide(most, term.coefficient));
        if (term.coefficient < 0)
          loop.max = std::min(loop.max, FloorDivide(most, -term.coefficient));
        if (loop.min > loop.max) return std::nullopt;
      }
      if (guard.terms.empty() && guard.constant < 0) return std::nullopt;
    }
  }
  ValueRange range = RangeOf(expr, loops);
  for (const AffineExpr& guard : guards) {
    if (expr.modulus == 0 && !guard.terms.empty()) range = Through(expr, guard, range, loops);
  }
  if (range.min > range.max) return std::nullopt;
  return range;
}

}  // namespace spillway
