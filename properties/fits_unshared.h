// Whether an allocator has an excuse for refusing a problem.
#pragma once

#include "properties/allocation_problem.h"

namespace spillway {

/// True where all tensors of `problem` fit side by side, as if none ever died: the blocks of SBUF
/// tensors one behind the other from partition 0 on, each on the coarsest alignment that the target
/// asks for; every block in PSUM with a bank of its own; all of DRAM. An allocator that refuses
/// such a problem misses the simplest placement that there is. False says nothing.
/// False, too, where a tensor has a place from its author, which may split what is left.
bool FitsUnshared(const AllocationProblem& problem);

}  // namespace spillway
