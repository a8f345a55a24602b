// Any byte string is a kernel.
#pragma once

#include <cstdint>
#include <span>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// Fixed tensors lie within the first bytes of each partition.
inline constexpr Bytes kFixedTensorBytes{256};

struct RandomKernelOptions {
  /// Some SBUF tensors get an address of their author's, side by side from byte 0 on.
  bool fixed_tensors = false;
  PartitionCount psum_partitions{128};  ///< no PSUM tile is taller
};

/// Decodes `bytes` (eight a choice: kernel_choices.h) into a kernel. Total: every byte string gives
/// a kernel that the reader accepts, that reads nothing uninitialised and that writes an output.
/// Loops nest up to three deep and mostly run one to four times, some not at all, some twenty and
/// very few more than a hundred times; a tensor that a loop's body wrote may be used after the
/// loop, unless the loop may not run. Deterministic.
Kernel DecodeKernel(std::span<const std::uint8_t> bytes, const RandomKernelOptions& options = {});

}  // namespace spillway
