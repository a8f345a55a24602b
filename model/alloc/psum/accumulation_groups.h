// Which stretches of the program accumulate into a PSUM tensor.
#pragma once

#include <optional>
#include <vector>

#include "model/alloc/ir/linear_kernel.h"

namespace spillway::psum {

/// A stretch of items in the body of `level` (or at the top): instructions and whole loops.
struct Stretch {
  PointId first;
  PointId last;  ///< a point of it: the last item's instruction or terminator
  std::optional<LoopId> level;

  bool Contains(PointId point) const { return first <= point && point <= last; }
};

/// The predicates of the instruction at `point` once the loops inside `level` are in their first
/// iteration: those that remain, or nothing if it isn't certain to run then.
std::optional<std::vector<Predicate>> PredicatesOfFirstIteration(const LinearKernel& linear,
                                                                 PointId point,
                                                                 std::optional<LoopId> level);
/// Whether `expr` depends on a loop around `point` that lies inside `level`.
bool DependsOnLoopsInside(const LinearKernel& linear, const AffineExpr& expr, PointId point,
                          std::optional<LoopId> level);

/// Whether the access only reads what its own instruction accumulates onto.
bool IsAccumulationRead(const LinearKernel& linear, const PointAccess& access);

/// Disjoint stretches in program order, each from the write that opens a group to the group's last
/// accumulation; overlapping groups are one. Nothing if an accumulation has no write that certainly
/// opens it.
std::optional<std::vector<Stretch>> FindAccumulationGroups(const LinearKernel& linear,
                                                           TensorId tensor);

}  // namespace spillway::psum
