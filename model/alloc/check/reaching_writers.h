// Judges an allocation by the unrolled run: who wrote what each instance reads.
#pragma once

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/violation.h"

namespace spillway {

/// Check "reaching-writer". Both kernels run in program order without values: `original` with
/// memory of its own for every block, `allocated` at `places` (an address a block of every tensor
/// that it accesses, DRAM included). Spill copies and loads of constant bytes carry bytes and who
/// made them; all other instances pair up one by one. Where an instance reads a byte, or an output
/// ends up with one, that another instance, or another element of its output, made than in
/// `original`: kWrongValue; that nothing wrote: kUninitializedRead. What `original` itself reads
/// uninitialised is no fault of the allocation. Findings of the same instruction, operand and kind
/// are one violation, with their number. Together with "races" this holds at all timings: that
/// check proves that the machine's order of conflicting accesses is the program's. Source:
/// verification §3.3, symbolic data flow, on the unrolled run.
CheckResult CheckReachingWriters(const Kernel& original, const Kernel& allocated,
                                 const Placement& places);

}  // namespace spillway
