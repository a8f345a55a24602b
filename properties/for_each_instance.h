// The instruction instances of a kernel, in program order.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// Calls `visit(InstructionId, span of loop values)` for every instruction that runs: loops run
/// their trips, and predicates decide.
template <class Visit>
void ForEachInstance(const Kernel& kernel, Visit visit) {
  std::vector<std::int64_t> values(kernel.loops.size(), 0);
  std::vector<std::size_t> begin_of(kernel.loops.size(), 0);
  std::vector<std::int64_t> left(kernel.loops.size(), 0);
  // Inside a loop that runs no times, nothing happens until its end.
  std::optional<std::uint32_t> skipped;
  for (std::size_t at = 0; at < kernel.body.size(); ++at) {
    const BodyItem& item = kernel.body[at];
    if (item.kind == BodyKind::kLoopEnd) {
      if (skipped) {
        if (*skipped == item.index) skipped.reset();
        continue;
      }
      if (--left[item.index] == 0) continue;
      values[item.index] += kernel.loops[item.loop()].step;
      at = begin_of[item.index];
      continue;
    }
    if (skipped) continue;
    if (item.kind == BodyKind::kInstruction) {
      if (Holds(kernel.instructions[item.instruction()].when, values)) {
        visit(item.instruction(), std::span<const std::int64_t>(values));
      }
      continue;
    }
    const Loop& loop = kernel.loops[item.loop()];
    values[item.index] = loop.begin;
    begin_of[item.index] = at;
    left[item.index] = TripCount(loop);
    if (left[item.index] == 0) skipped = item.index;
  }
}

}  // namespace spillway
