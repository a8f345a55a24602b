#include "sim/lower/instance_channels.h"

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/footprint.h"

namespace spillway {

InstanceChannels::InstanceChannels(const Kernel& kernel, const MemoryMap& memory,
                                   const Target& target)
    : kernel_(kernel), memory_(memory), bank_bytes_(target.psum_bank_bytes) {
  for (const Instruction& instruction : kernel.instructions) {
    bool sbuf = false;
    bool psum = false;
    for (const Access& access : AccessesOf(instruction)) {
      sbuf = sbuf || kernel.tensors[access.tensor].space == Space::kSbuf;
      psum = psum || kernel.tensors[access.tensor].space == Space::kPsum;
    }
    const Engine engine = EngineOf(kernel, instruction);
    const bool vector_or_gpsimd = engine == Engine::kDve || engine == Engine::kPool;
    const bool vector_or_scalar = engine == Engine::kDve || engine == Engine::kAct;
    ChannelSet ports = 0;
    if (sbuf && vector_or_gpsimd && target.sbuf_shared_by_vector_and_gpsimd != 0) {
      ports |= kSbufPortChannel;
    }
    if (psum && vector_or_scalar && target.psum_shared_by_vector_and_scalar != 0) {
      ports |= kPsumPortChannel;
    }
    ports_.push_back(ports);
    by_bank_.push_back(psum && vector_or_scalar &&
                       target.psum_bank_shared_by_vector_and_scalar != 0);
  }
}

ChannelSet InstanceChannels::Of(InstructionId instruction,
                                std::span<const std::int64_t> loop_values) const {
  if (!by_bank_[instruction]) return ports_[instruction];
  return ports_[instruction] | Banks(instruction, loop_values);
}

ChannelSet InstanceChannels::Banks(InstructionId instruction,
                                   std::span<const std::int64_t> loop_values) const {
  ChannelSet banks = 0;
  for (const Access& access : AccessesOf(kernel_.instructions[instruction])) {
    if (kernel_.tensors[access.tensor].space != Space::kPsum) continue;
    const Footprint hull = FootprintOf(kernel_, access, loop_values, 1);
    if (hull.runs.empty()) continue;
    const std::vector<Address>& addresses = memory_.addresses[access.tensor];
    const std::size_t first = hull.block < 0 ? 0 : static_cast<std::size_t>(hull.block);
    const std::size_t end = hull.block < 0 ? addresses.size() : first + 1;
    for (std::size_t block = first; block < end; ++block) {
      const std::int64_t base = addresses[block].byte.value;
      const std::int64_t last = (base + hull.runs.back().end.value - 1) / bank_bytes_.value;
      for (std::int64_t bank = (base + hull.runs.front().begin.value) / bank_bytes_.value;
           bank <= last; ++bank) {
        banks |= BankChannel(bank);
      }
    }
  }
  return banks;
}

}  // namespace spillway
