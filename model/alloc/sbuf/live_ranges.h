// What each SBUF tensor needs: for how long, and how many of its blocks at once.
#pragma once

#include <optional>
#include <vector>

#include "model/alloc/ir/linear_kernel.h"
#include "model/hw/interval.h"

namespace spillway {

struct LiveRange {
  TensorId tensor;
  Interval<PointId> life;          ///< from the first definition to the last use
  Bytes block_bytes;               ///< per partition, rounded up to the granule
  std::int64_t live_blocks = 1;    ///< liveN = blocks / shrink factor
  std::vector<std::int64_t> slot;  ///< live block of each block, row-major over the blocks

  Bytes live_bytes() const { return block_bytes * live_blocks; }
};

/// One range per accessed SBUF tensor; nothing for other tensors.
/// The shrink factor is the product of the block axes whose blocks are never live together: axes
/// that all accesses index with one expression of loops that the value doesn't cross. Tensors with
/// `at` keep all their blocks, since each has its own address; so do inputs, constants and outputs.
/// Source: colorer.md §3.
IdVector<TensorId, std::optional<LiveRange>> FindLiveRanges(const LinearKernel& linear,
                                                            Bytes granule);

}  // namespace spillway
