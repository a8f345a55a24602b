// What a kernel has in it.
#pragma once

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// What a kernel has in it, for shares that a test run must reach.
struct KernelFeatures {
  bool loops = false;
  bool nested_loops = false;
  bool predicates = false;
  bool blocks = false;
  bool rotating_blocks = false;  ///< a block index with a modulus
  bool accumulation = false;
  bool narrow = false;   ///< SBUF tensors of at most 64 partitions
  bool carried = false;  ///< a tensor that some iteration leaves to a later one
};
KernelFeatures FeaturesOf(const Kernel& kernel);

}  // namespace spillway
