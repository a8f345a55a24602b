// Places for tensors that nobody has placed yet, so that the values of the others can be followed.
#pragma once

#include "model/alloc/ir/placement.h"

namespace spillway {

/// `placement` with every SBUF tensor that has no place behind all that have one, each block on
/// bytes of its own, whether the memory has them or not: what an allocator may do with them is
/// right as far as the placed ones can tell. PSUM and DRAM tensors without a place are apart from
/// all others as they are.
Placement WithStandIns(const Kernel& kernel, Placement placement);

}  // namespace spillway
