// Kernels whose loops run otherwise: written out, in two parts, or fewer times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

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

}  // namespace spillway
