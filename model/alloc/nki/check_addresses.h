// Where a kernel's options skip the allocators, somebody else must have placed its tensors.
#pragma once

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/nki/compile_plan.h"
#include "model/hw/violation.h"

namespace spillway::nki {

/// A violation of kind kMixedAllocation for every accessed SBUF or PSUM tensor without an address,
/// where `plan.needs_addresses()`. What no instruction touches takes no place and needs none.
/// Source: seed 000 §4 (the backend skips its colouring and honours the addresses that it finds).
CheckResult CheckAddresses(const LinearKernel& linear, const CompilePlan& plan);

}  // namespace spillway::nki
