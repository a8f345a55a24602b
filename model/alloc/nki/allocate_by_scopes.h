// A captured kernel through the automatic allocator, a scope for each loop.
#pragma once

#include <memory>

#include "model/alloc/allocator.h"
#include "model/alloc/nki/auto_allocator.h"

namespace spillway::nki {

struct ScopedAllocation {
  Placement placement;                   ///< SBUF and PSUM tensors of the kernel
  std::vector<AssignedTensor> assigned;  ///< in the order of placement, those made on demand too
  Bytes sbuf_high_water;
  BankCount psum_high_water;
};

/// Places what waits in the innermost loop that its whole life fits into, and what the kernel fixes
/// where it lies. Nothing is spilled. A transpose on the PE array makes its identity on demand, an
/// activation without a bias operand its bias.
/// Errors: those of AutoAllocator; kCapacity where it doesn't fit.
/// Source: seed 000 §8.6.
Result<ScopedAllocation> AllocateByScopes(const Kernel& kernel, const Target& target,
                                          const AutoLimits& limits);

/// The same behind the interface that the judges know; "scoped". Tensors made on demand are
/// internal ones of the answer that no instruction names.
std::unique_ptr<Allocator> MakeScopedAllocator();

}  // namespace spillway::nki
