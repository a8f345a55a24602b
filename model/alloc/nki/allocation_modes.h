// Automatic and direct allocation don't mix in one memory of an NKI kernel.
#pragma once

#include <vector>

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/nki/compile_plan.h"
#include "model/hw/violation.h"

namespace spillway::nki {

/// A violation for every accessed SBUF and PSUM tensor without an address (automatic) that needs
/// one: all, where the plan has no allocator that could give it; else those in a memory where
/// another accessed tensor has its address (direct). None where the plan ignores addresses, since
/// all is automatic then. What no instruction touches takes no place and is no party to this.
/// Errors of kind kMixedAllocation. Kernel files without options may mix: there, an address is a
/// reservation.
/// Source: seed 000 §8.4 (no mixing within a kernel), §4 (the backend honours the addresses).
CheckResult CheckAllocationModes(const LinearKernel& linear, const CompilePlan& plan);

}  // namespace spillway::nki
