// Blocks of one tensor that share bytes on purpose, as a ring of buffers does.
#pragma once

#include <vector>

#include "model/alloc/check/liveness.h"
#include "model/alloc/ir/placement.h"

namespace spillway::check {

/// Two blocks of a tensor, one of which a write destroyed before the program read it.
struct BlockClobber {
  std::size_t victim = 0;
  std::size_t culprit = 0;
  PointId write;
  PointId read;
  Interval<ByteOffset> bytes;  ///< of the partition
};

/// Walks the tensor's accesses in execution order, loops with their values, and finds reads of
/// bytes that a write to another block at the same place has destroyed; one result a pair of
/// blocks. For tensors whose blocks loops choose, where no block has a life of its own.
/// The walk ends after `max_steps` executed instructions: a ring repeats long before.
std::vector<BlockClobber> FindBlockClobbers(const LinearKernel& linear, TensorId tensor,
                                            const std::vector<Address>& addresses,
                                            std::int64_t max_steps);

}  // namespace spillway::check
