// Places internal DRAM tensors: the homes of what was spilled, and scratch of the kernel's own.
#pragma once

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/error.h"
#include "model/hw/target.h"

namespace spillway {

struct DramStats {
  std::int64_t homes = 0;     ///< tensors that spill code saves to
  Bytes spill_bytes;          ///< of the homes, blocks as they are
  Bytes aligned_spill_bytes;  ///< of the homes, each rounded up to pages
  Bytes high_water_bytes;     ///< highest end of any placed tensor
};

struct DramAllocation {
  Placement placement;  ///< of every accessed internal DRAM tensor, one address a block
  DramStats stats;
};

/// Where each block starts, from the tensor's own start, and the whole extent. Blocks follow each
/// other; large ones on pages, small ones so that none straddles a page.
struct HomeLayout {
  Bytes block_stride;
  Bytes extent;
};
HomeLayout LayoutOf(const Tensor& tensor);

/// First fit: in order of definition, each tensor takes the lowest gap, on a page of 4096 bytes,
/// between those that are alive when it is defined. Inputs, outputs and constants belong to the
/// caller and get no address; a tensor with `at` keeps its place, and the others avoid it.
/// Errors: kCapacity (past the DRAM of one core; names the tensor and both numbers).
/// Source: colorer.md §6. No interval tree is needed: in order of definition, what overlaps in time
/// is what is alive.
Result<DramAllocation> AllocateDram(const LinearKernel& linear, const Target& target);

}  // namespace spillway
