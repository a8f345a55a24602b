// Proves that an allocated function computes with the program's own values, byte for byte.
#pragma once

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/target.h"
#include "model/hw/violation.h"

namespace spillway {

/// Result "dataflow": on every path through `allocated`, every operand that an instruction of
/// `original` reads holds the bytes that `original`'s tensor would hold there. `checked` counts the
/// operands read.
///
/// The allocated function is the program with its tensors renamed, with copies put in (saves,
/// reloads; marked as spill code or not) and with copies left out that a reload repeats. Anything
/// else is a violation of its own: "missing instruction", "changed instruction", "unknown
/// instruction", "changed loop", "missing loop"; then no values are judged.
/// The judge follows, for every block of every tensor, the set of places (SBUF, PSUM, DRAM homes)
/// that certainly hold its current value, each byte for itself: a definition makes every other copy
/// stale, a copy adds a place, a write over a place takes it away, and paths that join keep what
/// both have. Loops run with their values, so that places, predicates and rotating blocks that
/// depend on them are exact; where no operand depends on the loop, up to a fixpoint; a dynamic loop
/// may end after any number of iterations, none included.
/// The first words of a violation's text are its cause: "stale copy", "stale reload", "lost save",
/// "clobbered", "wrong bytes", "uninitialized", "unplaced". A DMA counts as done at its point: its
/// time in flight is for another judge.
/// Tensors with the same bytes at one time are no violation here unless a value is lost.
/// Source: derived: the register allocation checker of regalloc2, over bytes in two dimensions.
CheckResult CheckDataflow(const Kernel& original, const LinearKernel& allocated,
                          const Placement& placement, const Target& target);

}  // namespace spillway
