// Which accesses of two steps conflict: found once for all steps that do the same.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/alloc/check_task/access_point.h"

namespace spillway::task {

/// A step of a task.
using StepPlace = std::pair<TaskId, std::uint32_t>;

/// Accesses of two steps, as indices into Program::AccessesOf.
struct AccessPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

/// Conflicts between steps, and a budget of comparisons for everybody who looks at them. Steps of
/// one task with equal accesses in equal slots do the same, so an unrolled loop has few different
/// ones; what two of them have in conflict is kept.
class StepConflicts {
 public:
  StepConflicts(const Program& program, std::int64_t max_comparisons)
      : program_(program), left_(max_comparisons), kinds_(program.steps.size()) {}

  /// Takes `comparisons` from the budget. False, and the budget is over, where it holds less.
  bool Spend(std::int64_t comparisons);
  bool IsSpent() const { return left_ < 0; }

  /// Accesses of two different steps that conflict and share memory. Spends what it compares; empty
  /// where the budget is over. Valid until the next call.
  const std::vector<AccessPair>& Between(const StepPlace& a, const StepPlace& b);
  AccessPoint PointOf(const StepPlace& step, std::uint32_t access) const;

 private:
  /// Steps of equal kinds do the same.
  std::uint32_t KindOf(const StepPlace& step);
  std::int64_t CostOf(const StepPlace& a, const StepPlace& b) const;

  const Program& program_;
  std::int64_t left_;
  IdVector<TaskId, std::vector<std::uint32_t>> kinds_;  ///< of each step, from 1; 0: not known yet
  std::map<std::vector<std::uint32_t>, std::uint32_t> kind_ids_;
  std::unordered_map<std::uint64_t, std::vector<AccessPair>> known_;  ///< by both kinds
  std::size_t kept_ = 0;                                              ///< pairs, and lists of them
};

}  // namespace spillway::task
