// Which iterations of a loop do the same to any set of equations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/alloc/check/equation_steps.h"

namespace spillway::check::backward {

class LoopRules {
 public:
  LoopRules(const Kernel& kernel, const Matching& matching);

  /// An iteration and the one so many later touch the same places, whatever the other loops do.
  /// Nothing: no such distance, or none worth looking for.
  std::optional<std::int64_t> PeriodOf(LoopId loop) const { return rules_[loop].period; }

  /// The first iteration from which on, before `k`, all predicates that mention `loop` have one
  /// known value each, the same as `period` iterations later, for the given values of the loops
  /// around it; `k` where the one before it isn't such.
  std::int64_t FirstLike(LoopId loop, std::int64_t k, std::int64_t period,
                         std::span<const std::int64_t> loop_values) const;

 private:
  struct Rules {
    std::optional<std::int64_t> period = 1;
    std::vector<const Predicate*> predicates;
    std::vector<LoopId> around;
  };
  void Note(const AffineExpr& expr);
  void Note(const Operand& operand, bool places);

  const Kernel& kernel_;
  IdVector<LoopId, Rules> rules_;
  std::vector<ValueRange> ranges_;  // by loop, of all its iterations
};

}  // namespace spillway::check::backward
