// What spilling costs, measured on the code that comes out, beside a plain scan's cost.
#pragma once

#include "model/alloc/ir/kernel.h"
#include "model/hw/target.h"

namespace spillway {

/// How often a kernel's loops let its saves and reloads run, without any oracle.
std::int64_t SpillTransfersOf(const Kernel& kernel);

/// Transfers of a plain scan over `kernel`: where the tensors that are alive at an instruction
/// don't fit, the one with the farthest next access goes, and each of its accesses costs a transfer
/// a run of its loops. Lives are hulls of whole loops, heights count with their share of the
/// partitions. Nobody's lower or upper bound: a second allocator to compare sums with. Source:
/// Belady 1966, farthest next use; linear scan (Poletto and Sarkar 1999).
std::int64_t YardstickTransfersOf(const Kernel& kernel, Bytes capacity, const Target& target);

}  // namespace spillway
