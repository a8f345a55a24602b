// Where on a stack of loop scopes a tensor is allocated.
#pragma once

#include <optional>

#include "model/alloc/ir/linear_kernel.h"

namespace spillway::nki {

/// A tensor's tile is taken right before `point`, while the scope of `scope` is the innermost.
struct ScopeSite {
  std::optional<LoopId> scope;  ///< nothing: the scope around the whole kernel
  PointId point;
  friend bool operator==(const ScopeSite&, const ScopeSite&) = default;
};

/// The innermost loop whose body holds all of `life` between its header and its terminator, and the
/// first point at that loop's level that `life` reaches: itself, or the header of the loop that it
/// starts in.
ScopeSite ScopeSiteOf(const LinearKernel& linear, const Interval<PointId>& life);

}  // namespace spillway::nki
