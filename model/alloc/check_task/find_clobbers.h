// Engine 3: reads that get bytes written through another resource, or bytes that nobody wrote.
#pragma once

#include <vector>

#include "model/alloc/check_task/access_groups.h"

namespace spillway::task {

/// A read that may get what a write through a resource which isn't shared with its own left there.
struct Clobber {
  AccessPoint read;
  AccessPoint write;
  Footprint piece;  ///< the first piece of the read's memory that shows it
  friend bool operator==(const Clobber&, const Clobber&) = default;
};

/// A read that gets what nobody has written.
struct UninitializedRead {
  AccessPoint read;
  Footprint piece;  ///< the first piece of the read's memory that shows it
  friend bool operator==(const UninitializedRead&, const UninitializedRead&) = default;
};

struct ReachingWrites {
  /// For each pair of classes the first pair of occurrences, by the read's number, then the
  /// write's. Sorted by the names of the read, then the write.
  std::vector<Clobber> clobbers;
  /// For each class of reads the first one that gets bytes which nobody has written. Sorted by
  /// name.
  std::vector<UninitializedRead> uninitialized;

  friend bool operator==(const ReachingWrites&, const ReachingWrites&) = default;
};

/// Steps of the search: a bound on time.
inline constexpr std::int64_t kMaxReachingSteps = 400'000'000;

/// The last writes that each read can see, piece by piece of its memory. `use` writes, and never
/// reads what others wrote. `pairs` are the overlapping ones of `groups`.
/// Errors: limit (kLimit) beyond kMaxReachingSteps.
/// Source: ts_pipelines.md §8, Clobber; §9, engine 3.
Result<ReachingWrites> FindClobbers(const PipelineSystem& system, const Program& program,
                                    const HappensBefore& order,
                                    const std::vector<AccessGroup>& groups,
                                    const std::vector<GroupPair>& pairs);

}  // namespace spillway::task
