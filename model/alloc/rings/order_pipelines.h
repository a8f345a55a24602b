// Semaphores between streams as pipelines without memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/alloc/rings/find_waits.h"
#include "model/alloc/rings/stream_work.h"

namespace spillway::rings {

/// A semaphore of one stream that another one waits for: token k is given at the end of one
/// instance and taken before another.
struct OrderPipeline {
  std::string name;  ///< "Load_to_Pe", "Load_to_Pe_2", …
  std::uint32_t producer = 0;
  std::uint32_t consumer = 0;
  std::int64_t tokens = 0;
};

struct OrderPipelines {
  std::vector<OrderPipeline> pipelines;
  std::vector<std::vector<std::uint32_t>> given;  ///< of each instance: pipelines, ascending
  std::vector<std::vector<std::uint32_t>> taken;  ///< of each instance: pipelines
};

/// The fewest semaphores in which every wait is a token of its own and both streams go through the
/// tokens in the same order: one for each pair of streams where the producer ends in order, and for
/// transfers that are waited for in another order than they are issued as many as that needs.
/// Source: ts_pipelines.md §16 (a counting semaphore for each pair); chains by first fit.
OrderPipelines PlanOrder(const StreamWork& work, const Waits& waits);

}  // namespace spillway::rings
