// One tensor per disjoint life: a name that a kernel reuses needn't keep its bytes in between.
#pragma once

#include "model/alloc/ir/linear_kernel.h"

namespace spillway {

/// Clones each SBUF tensor that has several definitions and several uses (or none) into one tensor
/// per disjoint live segment ("t", "t_Split1", "t_Split2", …). A cut stands where every later read
/// is covered by later unconditional writes. Tensors with `at`, and tensors whose value crosses the
/// iterations of the loop that holds them, stay whole.
/// Source: colorer.md §3.
Kernel SplitMemlocs(const LinearKernel& linear);

}  // namespace spillway
