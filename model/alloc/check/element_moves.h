// Copies as moves of rectangles, in the order of their elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway::check {

/// Whether the instruction only moves bytes and has no partner in the kernel before the allocation:
/// what an allocator inserts, and a load of constant bytes without a change of type, which it may
/// repeat elsewhere.
bool IsMove(const Kernel& kernel, const Instruction& instruction);

/// `rows` runs of `bytes` bytes each. Run k of a side lies k * `partition_step` partitions and
/// k * `byte_step` bytes behind its first. Offsets count from the start of the side's block.
struct RunMove {
  struct Side {
    std::int64_t partition = 0;
    std::int64_t byte = 0;
    std::int64_t partition_step = 0;
    std::int64_t byte_step = 0;
  };
  Side from;
  Side to;
  std::int64_t bytes = 0;
  std::int64_t rows = 1;
};

/// What the move does at these loop values; nothing where its sides have more than `max_runs` runs.
std::optional<std::vector<RunMove>> RunMovesOf(const Kernel& kernel, const Instruction& move,
                                               std::span<const std::int64_t> values,
                                               std::size_t max_runs);

}  // namespace spillway::check
