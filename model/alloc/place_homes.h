// The spill homes of an allocated function, and placements that somebody else made.
#pragma once

#include "model/alloc/allocate.h"

namespace spillway {

/// `allocation` with its internal DRAM tensors placed, and what they take counted.
/// Errors: those of AllocateDram.
Result<Allocation> WithHomes(Allocation allocation, const Target& target);

/// For a kernel whose on-chip tensors `placement` has placed: keeps them, places the DRAM homes,
/// and counts what the placement uses.
Result<Allocation> AllocateHomes(const Kernel& kernel, const Placement& placement,
                                 const Target& target);

/// The same for a kernel that holds its placement itself, as `at`.
Result<Allocation> AllocateHomes(const Kernel& kernel, const Target& target);

}  // namespace spillway
