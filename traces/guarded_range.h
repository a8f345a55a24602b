// The values that an index takes in the iterations in which its instruction runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// Ranges of indices under predicates. Loops are known from `Open` on; every open loop must run at
/// least once where `RangeUnder` is asked.
class GuardedRanges {
 public:
  /// Enumerates at most `max_iterations` for one question and `budget` in all; so a file can't make
  /// its reader run for hours.
  GuardedRanges(std::int64_t max_iterations, std::int64_t budget)
      : max_iterations_(max_iterations), budget_(budget) {}

  /// Registers the loop of the next id.
  void Open(const Loop& loop);

  /// Smallest and largest value over all iterations, predicates ignored: exact without a modulus.
  ValueRange Range(const AffineExpr& expr) const { return RangeOf(expr, ranges_); }

  /// Smallest and largest value where all of `when` hold; nothing where they never do.
  /// Exact where the loops of `expr` and `when` have few enough iterations to enumerate. Otherwise
  /// a range that holds all values: with the predicates over the expression's own loops alone if
  /// those can be enumerated, else by interval arithmetic on loop ranges that the predicates
  /// narrow.
  std::optional<ValueRange> RangeUnder(const AffineExpr& expr, const std::vector<Predicate>& when);

 private:
  struct Steps {
    std::int64_t begin = 0;
    std::int64_t step = 1;
    std::int64_t trips = 0;
  };

  std::vector<LoopId> LoopsOf(const AffineExpr& expr, const std::vector<Predicate>& when) const;
  bool CanEnumerate(const std::vector<LoopId>& loops) const;
  std::optional<ValueRange> Enumerate(const AffineExpr& expr, const std::vector<Predicate>& when,
                                      const std::vector<LoopId>& loops);
  std::optional<ValueRange> Narrow(const AffineExpr& expr, const std::vector<Predicate>& when);

  std::int64_t max_iterations_;
  std::int64_t budget_;
  std::vector<Steps> steps_;          ///< by loop
  std::vector<ValueRange> ranges_;    ///< by loop
  std::vector<std::int64_t> values_;  ///< by loop: scratch for the enumeration
};

}  // namespace spillway
