// Where no allocator runs, somebody else must have placed a kernel's tensors.
#pragma once

#include <string>

#include "model/alloc/ir/linear_kernel.h"
#include "model/hw/violation.h"

namespace spillway::nki {

/// Check "addresses": for SBUF and for PSUM, one violation (kMixedAllocation) with all accessed
/// tensors that have no place. What no instruction touches takes no place and needs none. For
/// kernels that nothing allocates: those whose options skip the allocators
/// (`CompilePlan::needs_addresses`), and placed ones.
/// Source: seed 000 §4 (the backend skips its colouring and honours the addresses that it finds).
CheckResult CheckAddresses(const LinearKernel& linear);

/// Whether all accessed tensors of that memory lack a place while the other one of SBUF and PSUM
/// has some: it is left to an allocator as a whole.
/// Source: seed 000 §8.4 (mixing, said of each memory space by itself).
bool IsAutomatic(const LinearKernel& linear, Space space);

}  // namespace spillway::nki
