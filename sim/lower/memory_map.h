// Where every tensor of a placed kernel lies, DRAM inputs and outputs included.
#pragma once

#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/error.h"
#include "model/hw/target.h"
#include "model/hw/timing/machine_memory.h"

namespace spillway {

struct MemoryMap {
  IdVector<TensorId, std::vector<Address>> addresses;  ///< one a block; empty: never accessed
  IdVector<TensorId, bool> own_dram;  ///< a DRAM tensor that shares its bytes with no other
  MemoryUse use;
};

/// SBUF, PSUM and placed DRAM tensors lie where `placement` says; the other DRAM tensors follow
/// after the placed ones, in order of their ids, on the target's alignment.
/// Errors: kOutOfRange ("not-placed", "place-outside-memory", "place-count") and kPartitionRange
/// for a place outside the target's physical memory; kCapacity for more DRAM than the target has.
Result<MemoryMap> MapMemory(const Kernel& kernel, const Placement& placement, const Target& target);

/// Bytes per partition (SBUF, PSUM: the window of all banks), or all of DRAM.
Bytes SizeOf(const Target& target, Space space);
/// 1 for DRAM.
PartitionCount PartitionsOf(const Target& target, Space space);

}  // namespace spillway
