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

struct BlockReuse {
  std::vector<BlockClobber> clobbers;  ///< one a pair of blocks
  bool is_complete = true;             ///< false: the walk took too long, and there may be more
};

/// Walks the tensor's accesses in execution order, loops with their values, and finds reads of
/// bytes that a write to another block at the same place has destroyed. For tensors whose blocks
/// loops choose, where no block has a life of its own. Iterations that do the same again are left
/// out; the walk gives up after `max_steps` accesses and iterations.
BlockReuse FindBlockClobbers(const LinearKernel& linear, TensorId tensor,
                             const std::vector<Address>& addresses, std::int64_t max_steps);

}  // namespace spillway::check
