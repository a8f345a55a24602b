#include "model/alloc/check/equation_loops.h"

#include <algorithm>
#include <numeric>

namespace spillway::check::backward {
namespace {

// A longer period isn't worth waiting for.
constexpr std::int64_t kLongestPeriod = 4096;

// On which side of its turn a predicate lies while its expression lies in `range`: what it says
// then is the same for all of `range`. 0: it may turn within, or lies on it.
int SideOf(const Predicate& predicate, const ValueRange& range) {
  switch (predicate.comparison) {
    case Comparison::kGreaterEqual:
    case Comparison::kLess: return range.min >= 0 ? 1 : range.max < 0 ? -1 : 0;
    case Comparison::kGreater:
    case Comparison::kLessEqual: return range.min > 0 ? 1 : range.max <= 0 ? -1 : 0;
    default: return range.min > 0 ? 1 : range.max < 0 ? -1 : 0;
  }
}

}  // namespace

LoopRules::LoopRules(const Kernel& kernel, const Matching& matching)
    : kernel_(kernel), rules_(kernel.loops.size()) {
  for (std::size_t l = 0; l < kernel.loops.size(); ++l) {
    const Loop& loop = kernel.loops[LoopId(l)];
    const std::int64_t last =
        loop.begin + std::max<std::int64_t>(TripCount(loop) - 1, 0) * loop.step;
    ranges_.push_back({std::min(loop.begin, last), std::max(loop.begin, last)});
    for (std::optional<LoopId> up = loop.parent; up; up = kernel.loops[*up].parent) {
      rules_[LoopId(l)].around.push_back(*up);
    }
  }
  for (const Step& step : matching.steps) {
    if (step.when != nullptr) {
      for (const Predicate& predicate : *step.when) {
        if (predicate.expr.modulus != 0) {
          Note(predicate.expr);
          continue;
        }
        for (const AffineTerm& term : predicate.expr.terms) {
          rules_[term.loop].predicates.push_back(&predicate);
        }
      }
    }
    for (const Touch& touch : step.touches) {
      if (matching.is_apart[touch.original] || touch.original_operand == nullptr) continue;
      Note(*touch.original_operand, touch.is_exact);
      Note(*touch.allocated_operand, touch.is_exact);
    }
    const std::optional<CopyShape>& copy = step.kind == StepKind::kRemoved ? step.load : step.copy;
    if (step.kind == StepKind::kBoth || !copy) continue;
    Note(*copy->to, true);
    Note(*copy->from, true);
  }
}

void LoopRules::Note(const Operand& operand, bool places) {
  for (const AffineExpr& block : operand.block) Note(block);
  if (!places) return;
  Note(operand.partition_start);
  Note(operand.free_offset);
}

void LoopRules::Note(const AffineExpr& expr) {
  for (const AffineTerm& term : expr.terms) {
    std::optional<std::int64_t>& period = rules_[term.loop].period;
    if (!period) continue;
    const std::int64_t pace = std::abs(term.coefficient * kernel_.loops[term.loop].step);
    if (expr.modulus == 0) {
      period.reset();
      continue;
    }
    period = std::lcm(*period, expr.modulus / std::gcd(expr.modulus, pace));
    if (*period > kLongestPeriod) period.reset();
  }
}

std::int64_t LoopRules::FirstLike(LoopId loop, std::int64_t k, std::int64_t period,
                                  std::span<const std::int64_t> loop_values) const {
  const Rules& rules = rules_[loop];
  if (rules.predicates.empty()) return 0;
  std::vector<ValueRange> ranges = ranges_;
  for (const LoopId around : rules.around) {
    ranges[around.value] = {loop_values[around.value], loop_values[around.value]};
  }
  const Loop& shape = kernel_.loops[loop];
  const auto side_in = [&](const Predicate& predicate, std::int64_t iteration) {
    const std::int64_t value = shape.begin + iteration * shape.step;
    ranges[loop.value] = {value, value};
    return SideOf(predicate, RangeOf(predicate.expr, ranges));
  };
  std::int64_t first = 0;
  for (const Predicate* predicate : rules.predicates) {
    const int side = side_in(*predicate, k - 1 + period);
    if (side == 0) return k;
    // An affine expression turns once, so what lies on one side of it is one stretch.
    std::int64_t like = k;
    for (std::int64_t unlike = first - 1; like - unlike > 1;) {
      const std::int64_t middle = unlike + (like - unlike) / 2;
      (side_in(*predicate, middle) == side ? like : unlike) = middle;
    }
    first = like;
  }
  return first;
}

}  // namespace spillway::check::backward
