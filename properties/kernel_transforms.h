// Kernels made from kernels, so that what is known of one tells something of the other.
#pragma once

#include <cstdint>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// The same kernel with other names for its internal tensors, among them names that an allocator
/// would give to its own.
Kernel WithOtherNames(Kernel kernel, std::uint64_t seed);

/// The same kernel with its tensors declared in another order.
Kernel WithOtherOrder(const Kernel& kernel, std::uint64_t seed);

/// Every element as `factor` elements: free dimensions, offsets and strides grow, partitions and
/// blocks don't.
Kernel Scaled(Kernel kernel, std::int64_t factor);

/// The same kernel with some neighbours swapped that have no tensor in common that either writes.
Kernel WithSwappedNeighbors(Kernel kernel, std::uint64_t seed);

/// One more SBUF tensor that nothing touches.
Kernel WithUnusedTensor(Kernel kernel);
/// One more SBUF tensor, written once at a place in the body that `seed` chooses, and never read.
Kernel WithDeadTile(const Kernel& kernel, std::uint64_t seed);

/// The straight-line kernel from its end to its start, outputs and inputs of every instruction
/// swapped: definitions are last uses and the other way round.
Kernel Reversed(const Kernel& kernel);

}  // namespace spillway
