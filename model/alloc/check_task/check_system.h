// All checks of a system of task pipelines, and their verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/alloc/check_task/check_structure.h"
#include "model/alloc/check_task/find_blocked.h"
#include "model/alloc/check_task/find_clobbers.h"
#include "model/alloc/check_task/find_races.h"

namespace spillway::task {

/// What the checks say. Source: ts_pipelines.md §8 and §12.
struct Verdict {
  std::vector<BlockedTask> blocked;  ///< not empty: a deadlock
  std::vector<Race> races;
  std::vector<Clobber> clobbers;
  std::vector<UninitializedRead> uninitialized;
  std::vector<StructureFinding> structure;
  std::int64_t events = 0;  ///< executed or not

  bool IsClean() const {
    return blocked.empty() && races.empty() && clobbers.empty() && uninitialized.empty() &&
           structure.empty();
  }
};

/// Structure, deadlocks, races and reaching writes of what `system` unrolls to, by engines 1 and 3:
/// exact, in one pass.
/// Errors: limit (kLimit), where the program is larger than the engines' bounds.
Result<Verdict> CheckSystem(const PipelineSystem& system, const Program& program);

}  // namespace spillway::task
