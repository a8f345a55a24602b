// Kernels whose buffers rotate in known ways, and the systems that they become.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/alloc/task/pipeline_system.h"

namespace spillway {

/// A software pipeline in one ring.
struct RingCase {
  Kernel kernel;
  Placement placement;
  std::int64_t needed = 1;  ///< the closed form of its depth
  std::int64_t stages = 1;
  bool is_deep_enough = false;
  bool is_on_top = false;  ///< a fill is computed from an earlier one, by one instruction
};
RingCase RingCaseFor(std::int64_t number);

/// As pipelines, and as memory that only semaphores keep apart.
std::vector<task::PipelineSystem> SystemsOf(const RingCase& ring);

}  // namespace spillway
