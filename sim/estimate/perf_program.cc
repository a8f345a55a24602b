#include "sim/estimate/perf_program.h"

#include "model/hw/error.h"
#include "sim/estimate/perf_rules.h"

namespace spillway {

PerfId PerfProgram::Add(PerfInstruction instruction, std::span<const Producer> producers) {
  SPILLWAY_CHECK(instruction.duration >= Cycles(0), "a duration isn't negative");
  for (const Producer& producer : producers)
    SPILLWAY_CHECK(producer.instruction.value < size(), "a producer comes earlier");
  if (instruction.dma == DmaPart::kTrigger)
    SPILLWAY_CHECK(instruction.queue >= 0 && instruction.queue < kPerfQueues, "the queue exists");
  if (instruction.dma == DmaPart::kTransfer) {
    const std::uint32_t trigger = instruction.trigger.value;
    SPILLWAY_CHECK(trigger < size() && instructions_[trigger].dma == DmaPart::kTrigger,
                   "a transfer has a trigger");
    SPILLWAY_CHECK(!has_transfer_[trigger], "a trigger has one transfer");
    has_transfer_[trigger] = true;
  }
  has_transfer_.push_back(false);
  instructions_.push_back(std::move(instruction));
  producers_.insert(producers_.end(), producers.begin(), producers.end());
  first_.push_back(producers_.size());
  return PerfId(size() - 1);
}

}  // namespace spillway
