// From where to where a tensor must be kept, in points.
#pragma once

#include <optional>

#include "model/alloc/ir/linear_kernel.h"

namespace spillway {

/// Innermost loop that holds every access; nothing where there is none, or no access.
std::optional<LoopId> CommonLoop(const LinearKernel& linear, std::span<const PointAccess> accesses);

/// The outermost loop around `point` that lies inside `level`; nothing if `point` is at `level`.
std::optional<LoopId> OutermostBelow(const LinearKernel& linear, PointId point,
                                     std::optional<LoopId> level);

/// One interval [first point, last point + 1) per tensor, from its first definition to its last
/// use; nothing for a tensor without an access. An access deeper than the loops that all accesses
/// share takes the whole loop with it, and so does a value that crosses iterations: a read that
/// earlier writes of the same iteration don't cover. Inputs and constants hold their values from
/// the start, outputs to the end. Source: colorer.md §3; the rule for crossing values is derived: a
/// predicated or partial write leaves the old value alive across the back edge.
IdVector<TensorId, std::optional<Interval<PointId>>> LiveIntervals(const LinearKernel& linear);

/// The same for one tensor and a part of its accesses.
std::optional<Interval<PointId>> LiveIntervalOf(const LinearKernel& linear,
                                                std::span<const PointAccess> accesses);

}  // namespace spillway
