// Kernels made from kernels, so that what is known of one tells something of the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// The same kernel with other names for its internal tensors, among them names that an allocator
/// would give to its own.
Kernel WithOtherNames(Kernel kernel, std::uint64_t seed);

/// The same kernel with its tensors declared in another order.
Kernel WithOtherOrder(const Kernel& kernel, std::uint64_t seed);

/// The same kernel without loops: every iteration stands in the body, guards decided.
Kernel Unrolled(const Kernel& kernel);

/// The same kernel with the first iteration of the outermost loop at `index` (counted round) in
/// front of the loop; nothing where there are no loops.
std::optional<Kernel> Peeled(const Kernel& kernel, std::size_t index);

/// The kernel with every loop of `loops` running `trips` times, at most as often as before.
Kernel WithTrips(Kernel kernel, const std::vector<LoopId>& loops, std::int64_t trips);
/// Loops that no place in SBUF or PSUM and no predicate depends on, except through a modulus: how
/// often they run says nothing about what is defined.
std::vector<LoopId> UniformLoops(const Kernel& kernel);

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
