// Which shared ports an instance of a compute instruction holds.
#pragma once

#include <span>

#include "model/alloc/ir/kernel.h"
#include "model/hw/target.h"
#include "model/hw/timing/hw_program.h"
#include "sim/lower/memory_map.h"

namespace spillway {

/// The target's rows of engines that take turns, applied to a placed kernel.
/// Source: isa_costs §2, concurrency of access.
class InstanceChannels {
 public:
  InstanceChannels(const Kernel& kernel, const MemoryMap& memory, const Target& target);

  /// The channels of `instruction` at these loop values: bits of shared ports and, where only a
  /// bank is shared, of every PSUM bank that an operand's bytes reach.
  ChannelSet Of(InstructionId instruction, std::span<const std::int64_t> loop_values) const;

 private:
  ChannelSet Banks(InstructionId instruction, std::span<const std::int64_t> loop_values) const;

  const Kernel& kernel_;
  const MemoryMap& memory_;
  Bytes bank_bytes_;
  IdVector<InstructionId, ChannelSet> ports_;
  IdVector<InstructionId, bool> by_bank_;
};

}  // namespace spillway
