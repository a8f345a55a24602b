// Runs an allocated kernel on one shared scratchpad, in program order and without any timing.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "sim/values/inputs.h"

namespace spillway {

struct PlacedRun {
  NamedData outputs;                ///< final bytes of every DRAM output
  std::vector<std::string> faults;  ///< at most one a kind, tensor and instruction
  std::int64_t instructions = 0;
};

/// Every SBUF tensor lies where `placement` says in one array of 128 partitions x `capacity` bytes;
/// PSUM and DRAM tensors have memory of their own. Values are tags.
/// Every byte knows which element of which tensor was written to it last. Faults: a place outside
/// the memory, off the granule or with a start partition that its height forbids; operands of one
/// instruction that share bytes; a read of a byte that another element was written to meanwhile, or
/// that nothing wrote. Spill copies only move bytes and may move undefined ones.
PlacedRun RunPlaced(const Kernel& kernel, const Placement& placement, Bytes capacity, Bytes granule,
                    const Inputs& inputs);

}  // namespace spillway
