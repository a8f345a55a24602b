#include "sim/lower/check_channels.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/ir/access.h"

namespace spillway {

std::optional<Error> CheckChannels(const Kernel& kernel, const Target& target) {
  const std::int64_t channels = target.engine_channels.value.value;
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    const Instruction& instruction = kernel.instructions[InstructionId(i)];
    const Engine engine = EngineOf(kernel, instruction);
    if (engine != Engine::kAct && engine != Engine::kDve && engine != Engine::kPool) continue;
    std::int64_t partitions = 0;
    for (const Access& access : AccessesOf(instruction)) {
      if (access.operand != nullptr && kernel.tensors[access.tensor].space != Space::kDram) {
        partitions = std::max(partitions, access.operand->partition_count);
      }
    }
    if (partitions <= channels) continue;
    return Error{
        Kind::kPartitionRange, "too-few-channels",
        fmt::format("instruction {} ({}) works on {} partitions; {} of {} has {} channels: "
                    "use smaller tiles",
                    i, instruction.op, partitions, EngineName(engine), target.name, channels),
        "", 0};
  }
  return std::nullopt;
}

}  // namespace spillway
