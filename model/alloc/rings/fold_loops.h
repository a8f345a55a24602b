// From operations one by one to loops over them.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/rings/stream_work.h"
#include "model/alloc/task/pipeline_system.h"

namespace spillway::rings {

/// What each instance makes its stream do, as indices into `distinct`; and what the streams do when
/// the kernel is over.
struct FlatOperations {
  std::vector<task::Operation> distinct;  ///< none a loop
  std::vector<std::vector<std::uint32_t>> of_instance;
  std::vector<std::vector<std::uint32_t>> at_end;  ///< of each stream
};

struct FoldOptions {
  /// Trips of the outermost loops, for a system that is only looked at: a longer loop in which
  /// every pipeline is opened and closed alike keeps at least these, and a multiple of `turn` is
  /// left out. 0: all.
  std::int64_t max_trips = 0;
  std::int64_t turn = 1;  ///< iterations until every ring is where it began
};

/// Operations of every stream, in the kernel's loops where turns repeat: consecutive turns (or
/// groups of up to eight) in which every stream does the same become a loop of all streams. First
/// and last turns that differ stand before and behind it. Unrolled, the result is what went in, but
/// for what `options` leaves out.
/// Source: ts_pipelines.md §11 (loops nested up to 8), §8 (minimum number of iterations).
std::vector<std::vector<task::Operation>> FoldLoops(const StreamWork& work,
                                                    const FlatOperations& flat,
                                                    const FoldOptions& options = {});

}  // namespace spillway::rings
