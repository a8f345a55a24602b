// Whether the registers that tasks ask for fit one core.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/hw/error.h"

namespace spillway::task {

/// What one task asks for.
struct TaskRegisters {
  std::string task;
  std::int64_t first_warp = 0;  ///< of the CTA
  std::int64_t warps = 1;
  std::optional<std::int64_t> registers;  ///< of one thread; nothing: the default
};

/// Registers of one thread where no task asks: all warps, in whole groups of 4, share the file,
/// rounded down to the granule, up to the largest number.
/// Source: ts_pipelines.md §6, Registers.
std::int64_t DefaultRegisters(std::int64_t warps);

/// Errors: registers (the sum doesn't fit, a number out of range, or two tasks of one group of
/// warps that differ).
Result<void> CheckRegisters(std::span<const TaskRegisters> tasks);

}  // namespace spillway::task
