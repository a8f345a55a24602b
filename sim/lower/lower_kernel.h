// From a placed kernel to the program that the machine plays.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/error.h"
#include "model/hw/target.h"
#include "model/hw/timing/hw_program.h"
#include "sim/lower/dependences.h"
#include "sim/lower/memory_map.h"
#include "sim/lower/unroll.h"

namespace spillway {

struct LowerOptions {
  std::size_t max_instances = kMaxInstances;
  /// Waits to leave out, counted over the whole program in order: what a test of the checkers
  /// breaks. Sorted.
  std::vector<std::size_t> dropped_waits;
};

/// How many dependences there are, by why, and what became of them.
struct LowerCounts {
  std::size_t logical = 0;          ///< on the same tensor's elements
  std::size_t anti = 0;             ///< only because of shared bytes
  std::size_t by_stream_order = 0;  ///< given by an engine's order
  std::size_t by_other_waits = 0;   ///< implied by other waits
  std::size_t waits = 0;            ///< semaphore waits in the program
  friend bool operator==(const LowerCounts&, const LowerCounts&) = default;
};

/// Instance i of `program` is instance i of `sequence`.
struct LoweredKernel {
  HwProgram program;
  InstanceSequence sequence;
  MemoryMap memory;
  Dependences dependences;
  LowerCounts counts;
  std::vector<std::string> unpriced_ops;  ///< priced by the generic rule; sorted
};

/// Unrolls the loops, finds the hazards on the placed bytes, deals instances to streams and turns
/// the dependences that streams don't imply into semaphore waits.
/// Errors: those of Unroll, MapMemory and FindDependences; kLimit ("dma-geometry") for a target
/// with more DMA queues or engines than the machine, or other increments than engines, and
/// ("run-too-long") for more simulated time than 64 bits of picoseconds count.
Result<LoweredKernel> LowerKernel(const Kernel& kernel, const Placement& placement,
                                  const Target& target, const LowerOptions& options = {});

}  // namespace spillway
