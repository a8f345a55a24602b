// Hand-placed kernels whose buffers rotate: software pipelines of random depth.
#pragma once

#include <cstdint>
#include <span>

#include "properties/allocation_problem.h"

namespace spillway {

/// Total: every byte string is a problem. One to three rotating buffers, placed one behind the
/// other by modulo laws (model/alloc/ir/modulo_law.h) from byte 0 on, in a loop that loads block i
/// of each and reads block i - skew of it; the memory ends where the last buffer does. Everything
/// is hand-placed, so the allocator has nothing to choose.
AllocationProblem DecodeRotating(std::span<const std::uint8_t> bytes);

}  // namespace spillway
