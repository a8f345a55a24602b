// Judges a lowered program: whether its waits order every two accesses that conflict.
#pragma once

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/target.h"
#include "model/hw/timing/hw_program.h"
#include "model/hw/violation.h"

namespace spillway {

/// A kernel, and what the machine plays for it.
struct PlayedKernel {
  const Kernel& kernel;      ///< the allocated function; its instances in program order are…
  const HwProgram& program;  ///< …the program's, one by one
  const Placement& places;   ///< an address a block of every tensor accessed, DRAM included
  const Target& target;
};

/// Check "races": two instances that touch one byte, one of them writing, must be ordered as in the
/// program, at all timings. Reads happen between an instance's start and its end, and so do writes.
/// On one compute stream its order is enough, but for a read of what is still on its way: reads are
/// done before the next instance starts, and results land in order. kRace for a pair that is
/// unordered, or ordered the other way round; kDeadlock for a wait that nothing ever meets.
/// Pairs of the same two instructions, operands and hazard are one violation, with the first of
/// them and their number. Time: near-linear; a byte knows its last writer and the readers since.
/// Source: house.md, ordering contract.
CheckResult CheckRaces(const PlayedKernel& played);

}  // namespace spillway
