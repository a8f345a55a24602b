// The values that a tensor holds one after the other, numbered by when each is first written.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/rings/stream_work.h"

namespace spillway::rings {

/// An access that belongs to fill `number`.
struct FillTouch {
  std::uint32_t touch = 0;     ///< index into StreamWork::touches
  std::uint32_t instance = 0;  ///< that makes it
  std::int64_t number = 0;
};

/// A block from a write to the last read of what was written.
struct Fill {
  std::int64_t block = 0;
  bool is_written = false;
  std::uint32_t first_write = 0;  ///< an instance
  std::uint32_t last_touch = 0;   ///< an instance
};

/// The fills of a tensor in the order of their first writes.
struct FillSequence {
  TensorId tensor;
  std::vector<FillTouch> touches;  ///< in program order
  std::vector<Fill> fills;
  bool is_private = true;  ///< one stream makes all accesses
};

/// A write begins a new fill of its block once an instance before it has read the block, unless it
/// is by the stream of all these readers while others read the tensor too, or updates in place what
/// its own stream alone uses. So a tile that is built up in several instructions, a matrix
/// product's accumulator for example, is one fill.
/// Source: ts_pipelines.md §16 (an instance i of a tensor in slot i mod S); derived.
FillSequence FillsOf(const StreamWork& work, TensorId tensor);

/// The same for each tensor that `work` touches, by tensor.
std::vector<FillSequence> AllFills(const Kernel& kernel, const StreamWork& work);

}  // namespace spillway::rings
