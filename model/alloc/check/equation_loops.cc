#include "model/alloc/check/equation_loops.h"

#include <algorithm>
#include <numeric>

namespace spillway::check::backward {
namespace {

// States to compare with; rings are a few buffers deep.
constexpr std::int64_t kLongestPeriod = 32;

// The value of a predicate whose expression lies in `range`, if all of that agrees.
std::optional<bool> ValueOf(const Predicate& predicate, const ValueRange& range) {
  const bool is_equality = predicate.comparison == Comparison::kEqual;
  if (is_equality || predicate.comparison == Comparison::kNotEqual) {
    if (range.min > 0 || range.max < 0) return !is_equality;
    if (range.min == 0 && range.max == 0) return is_equality;
    return std::nullopt;
  }
  const auto holds = [&](std::int64_t value) {
    switch (predicate.comparison) {
      case Comparison::kGreaterEqual: return value >= 0;
      case Comparison::kGreater: return value > 0;
      case Comparison::kLessEqual: return value <= 0;
      default: return value < 0;
    }
  };
  if (holds(range.min) != holds(range.max)) return std::nullopt;
  return holds(range.min);
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
  const auto value_in = [&](const Predicate& predicate, std::int64_t iteration) {
    const std::int64_t value = shape.begin + iteration * shape.step;
    ranges[loop.value] = {value, value};
    return ValueOf(predicate, RangeOf(predicate.expr, ranges));
  };
  const auto is_like = [&](std::int64_t iteration) {
    return std::all_of(rules.predicates.begin(), rules.predicates.end(), [&](const auto* one) {
      const std::optional<bool> value = value_in(*one, iteration);
      return value && value == value_in(*one, iteration + period);
    });
  };
  while (k > 0 && is_like(k - 1)) --k;
  return k;
}

}  // namespace spillway::check::backward
