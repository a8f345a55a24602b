// A judge of values: does every use read what the original's program defines?
#pragma once

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/target.h"
#include "model/hw/violation.h"

namespace spillway {

/// Result "equations": what keeps a use of `allocated` from reading the definition that the same
/// use has in `original`. Every use asks that bytes of a tensor be the bytes at its operand's
/// place; walking back, a copy moves the place, the tensor's definition at that very place settles
/// it, a definition that leaves the place alone (a lost save, a stale copy) and a write over it are
/// violations. What the original never defines may be anything.
/// Loops are walked iteration by iteration until the equations repeat; a dynamic loop may end after
/// any of them. Within an instruction all reads come before all writes.
///
/// `allocated` holds the original's instructions in order, with other tensors and blocks at most,
/// copies between them, and may lack loads from inputs and constants. Tensors without addresses
/// have memory of their own. `checked` counts the equations that definitions settled. Where loops
/// would take more than a few million steps, a violation of kLimit says that the rest isn't proven.
/// Source: verification.md §1 (Rideau & Leroy 2010: backward equations over overlapping places).
CheckResult CheckEquations(const Kernel& original, const LinearKernel& allocated,
                           const Placement& placement, const Target& target);

}  // namespace spillway
