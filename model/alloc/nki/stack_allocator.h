// What `enable_stack_allocator` selects: a kernel's tensors on a stack whose scopes are its loops.
#pragma once

#include <memory>
#include <string_view>

#include "model/alloc/allocator.h"
#include "model/alloc/nki/stack_account.h"

namespace spillway::nki {

/// "stack": every SBUF and PSUM tensor without an address goes to the stack of the scope around its
/// life, a scope a loop: a tensor that a loop's body defines and uses up lies in that loop's scope,
/// one that crosses iterations or loops in the scope around them. A scope's bytes are free when its
/// loop ends, and not before, so the bytes of the dead are reused between loops and never within
/// one. SBUF tiles lie on the target's granule at partition 0, PSUM tiles take whole banks. An
/// address that the author gave stays, and tiles that live with it go above it. It spills nothing.
/// Errors: kCapacity "stack-allocator-capacity": names the tensor, its scope, the numbers and the
/// largest holders; "stack-allocator-fixed": an address of the author's lies past the memory.
/// Source: seed 000 (enable_stack_allocator); nki_kernels_and_issues.md 3.1 for the discipline;
/// derived: lives as of ir/live_intervals.h.
std::unique_ptr<Allocator> MakeStackAllocator();
inline constexpr std::string_view kStackAllocator = "stack";

struct StackAllocation {
  Allocation allocation;
  StackAccount account;
};

/// The same, with what the manager of the SBUF stack tells of its work. A loop's scope has one
/// section, since a captured kernel gives a tile one place for all iterations.
Result<StackAllocation> AllocateOnStack(const Kernel& kernel, const Target& target,
                                        const AllocateOptions& options);

}  // namespace spillway::nki
