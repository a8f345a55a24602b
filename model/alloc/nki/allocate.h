// Allocation functions put on a kernel.
#pragma once

#include <map>
#include <string>

#include "model/alloc/nki/verify_allocation.h"

namespace spillway::nki {

/// Tensor name to allocation function. A tensor without one stays as it is.
using Assignments = std::map<std::string, AllocFunc, std::less<>>;

/// `kernel` with the places that the functions give: `at`, and which function gave them: `alloc`
/// for a modulo allocation, `by_function` for an author's own. Either makes the kernel one of
/// version 2. auto_alloc takes all of it away.
/// Errors: everything that `VerifyAllocation` finds for any tensor, in the kernel's order, and
/// kUnknownName for every name that the kernel doesn't have.
/// Source: seed 000 §8.
Verified<Kernel> Allocate(const Kernel& kernel, const Assignments& assignments,
                          const Target& target, const AllocationLimits& limits = {});

}  // namespace spillway::nki
