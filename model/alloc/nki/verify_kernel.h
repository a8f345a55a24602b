// What NKI's direct allocation asks of a kernel as a whole.
#pragma once

#include <set>
#include <string>

#include "model/alloc/nki/verify_allocation.h"

namespace spillway::nki {

/// Where automatic and direct allocation may not meet.
enum class MixingScope {
  kKernel,       ///< SBUF and PSUM together: psum.py and sbuf.py, isa_costs.md 4.2
  kMemorySpace,  ///< each of the two by itself: seed 000 §8.4
};

struct KernelRules {
  MixingScope mixing = MixingScope::kKernel;
  /// Tensors whose places custom functions gave, besides those that the kernel marks so.
  std::set<std::string, std::less<>> assigned = {};
  AllocationLimits limits = {};
};

/// Whether the kernel is one of the direct-allocation surface: an on-chip tensor lies by its law of
/// mod_alloc or where an author's function put it, or is one of `rules.assigned`. A kernel with
/// bare places is one of `address=`, where automatic tensors may stand beside them; one with the
/// option force_auto_alloc ignores all places.
bool IsDirectlyAllocated(const Kernel& kernel, const KernelRules& rules = {});

/// The check "allocation" of an author's kernel, before an allocator adds to it: all violations of
/// a kernel that is directly allocated, and nothing looked at otherwise. That is
/// - `VerifyAllocation` of every placed on-chip tensor, by its law or by its addresses;
/// - automatic tensors beside direct ones;
/// - instructions with implicit tensors, which nobody placed: biases, the identity of a transpose
///   on the Tensor engine, temporaries;
/// - DRAM tensors that are neither inputs, outputs nor constants, in one violation (homes of spill
///   code don't count);
/// - SBUF and PSUM tensors with initial values.
/// Source: seed 000 §8.4; isa_costs.md 4.2 and 4.3.
CheckResult VerifyKernel(const Kernel& kernel, const Target& target, const KernelRules& rules = {});

}  // namespace spillway::nki
