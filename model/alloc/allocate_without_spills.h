// What allocators that spill nothing have in common: whose places count, how much room there is,
// SBUF and PSUM first and the DRAM homes last.
#pragma once

#include <functional>
#include <vector>

#include "model/alloc/allocate.h"

namespace spillway {

/// What an allocator may use of the on-chip memories.
struct OnChipRoom {
  Bytes sbuf_bytes;  ///< per partition
  BankCount psum_banks;
};

/// On-chip tensors with their places.
struct PlacedTensors {
  Placement placement;        ///< of the kernel's tensors, then of `added`
  std::vector<Tensor> added;  ///< internal tensors that the kernel hadn't
};

/// Places the on-chip tensors of a kernel; gets the places that stay as they are.
using PlaceTensors = std::function<Result<PlacedTensors>(const LinearKernel& linear,
                                                         Placement fixed, const OnChipRoom& room)>;

/// `kernel` with the places that `place` finds for its tensors, without those of its author under
/// `options.reallocate`, in the room that `options` leave of `target`'s. No spill code.
/// Errors: those of `place` and of AllocateDram.
Result<Allocation> AllocateWithoutSpills(const Kernel& kernel, const Target& target,
                                         const AllocateOptions& options, const PlaceTensors& place);

}  // namespace spillway
