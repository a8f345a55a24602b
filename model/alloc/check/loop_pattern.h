// When the iterations of a loop do the same again.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway::check {

/// Iterations k and k + `period` touch the same places under the same predicates, unless one of
/// `turns` lies in (k, k + period]. Rotating blocks repeat, columns don't; a predicate on the loop
/// alone turns once or twice.
struct LoopPattern {
  std::int64_t period = 1;          ///< in iterations; 0: no iteration repeats another
  std::vector<std::int64_t> turns;  ///< iterations, ascending once sorted

  /// Takes an index into account that iterations of `loop` depend on.
  void AddIndex(const AffineExpr& index, LoopId id, const Loop& loop);
  void AddPredicate(const Predicate& predicate, LoopId id, const Loop& loop);
};

}  // namespace spillway::check
