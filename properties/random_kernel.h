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
};

/// Decodes `bytes` (eight a choice: kernel_choices.h) into a kernel. Total: every byte string gives
/// a kernel that the reader accepts, that reads nothing uninitialised and that writes an output.
/// Loops nest up to three deep and run one to four times; a tensor that a loop's body wrote may be
/// used after the loop. Deterministic.
Kernel DecodeKernel(std::span<const std::uint8_t> bytes, const RandomKernelOptions& options = {});

/// What a kernel has in it, for shares that a test run must reach.
struct KernelFeatures {
  bool loops = false;
  bool nested_loops = false;
  bool predicates = false;
  bool blocks = false;
  bool rotating_blocks = false;  ///< a block index with a modulus
  bool accumulation = false;
  bool narrow = false;           ///< SBUF tensors of at most 64 partitions
  bool carried = false;          ///< a tensor that some iteration leaves to a later one
};
KernelFeatures FeaturesOf(const Kernel& kernel);

}  // namespace spillway
