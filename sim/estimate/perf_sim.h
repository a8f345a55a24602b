// The compiler's event simulator: one forward pass over a block of instructions.
#pragma once

#include <array>
#include <vector>

#include "model/hw/units.h"
#include "sim/estimate/perf_program.h"
#include "sim/estimate/perf_rules.h"

namespace spillway {

enum class AntiDependences { kKept, kLeftOut };

/// When everything happens, from the start of the block.
struct PerfTimes {
  std::vector<Cycles> start;  ///< one an instruction
  std::vector<Cycles> end;
  std::array<Cycles, kTimelines> timeline_end{};  ///< the latest end; a barrier's at its number
  Cycles cost;                                    ///< of the block: the latest end of all
};

/// Times a block. An instruction starts at the maximum of
///   - its producers' completion; of a trigger: its issue, since the transfer completes;
///   - its timeline's next dispatch, or for a full barrier that of all five compute engines;
///   - for a writer of PSUM, the next dispatch of each bank that it writes;
///   - where Pool and DVE share a port, the other's next dispatch for the two of them, and for
///     Activation the next dispatch after the latest write of each of them to PSUM;
///   - for a trigger whose queue is full, the dispatch of the queue's head;
///   - for a transfer, the issue of its trigger.
/// The next dispatch after an instruction is its end, less an overlap window if it takes long: a
/// collective stream has none. After a full barrier the five engines go on at its end.
/// Choices, where the source leaves it open: a trigger is issued at its start; a DMA longer than
/// the threshold and shorter than the window of DMA overlaps nothing; a transfer is dispatched at
/// its start, which frees its slot.
/// Throws ContractViolation for a trigger that finds its queue full of transfers of which the
/// first comes after it in the list.
/// Source: hwm_and_geometry §3.
PerfTimes TimeBlock(const PerfProgram& program, const PerfRules& rules,
                    AntiDependences anti = AntiDependences::kKept);

}  // namespace spillway
