// Blocks written in one line an instruction.
#pragma once

#include <initializer_list>
#include <vector>

#include "sim/estimate/perf_sim.h"

namespace spillway {

/// The rules with windows of 100 and 1,300 cycles and engines with ports of their own.
inline PerfRules PlainRules() {
  PerfRules rules;
  rules.overlaps_above = Cycles(100);
  rules.compute_window = Cycles(100);
  rules.dma_window = Cycles(1300);
  rules.queue_depth[10] = 4;
  rules.queue_depth[12] = 1;
  return rules;
}

inline PerfRules SharedPortRules() {
  PerfRules rules = PlainRules();
  rules.shared_port = true;
  return rules;
}

/// A program that grows by one instruction a call.
struct Block {
  PerfProgram program;

  PerfId Run(Timeline timeline, std::int64_t duration, std::initializer_list<PerfId> producers = {},
             std::vector<BankId> banks = {}) {
    PerfInstruction instruction;
    instruction.timeline = timeline;
    instruction.duration = Cycles(duration);
    instruction.psum_banks = std::move(banks);
    return program.Add(instruction, Edges(producers, false));
  }
  PerfId RunAfterAnti(Timeline timeline, std::int64_t duration, PerfId producer) {
    PerfInstruction instruction;
    instruction.timeline = timeline;
    instruction.duration = Cycles(duration);
    return program.Add(instruction, Edges({producer}, true));
  }
  PerfId Trigger(int queue, std::initializer_list<PerfId> producers = {},
                 std::int64_t duration = 0) {
    PerfInstruction instruction;
    instruction.dma = DmaPart::kTrigger;
    instruction.queue = queue;
    instruction.duration = Cycles(duration);
    return program.Add(instruction, Edges(producers, false));
  }
  PerfId Transfer(PerfId trigger, std::int64_t duration) {
    PerfInstruction instruction;
    instruction.timeline = Timeline::kDma;
    instruction.dma = DmaPart::kTransfer;
    instruction.trigger = trigger;
    instruction.duration = Cycles(duration);
    return program.Add(instruction);
  }

  std::int64_t StartOf(PerfId id, const PerfRules& rules = PlainRules()) const {
    return TimeBlock(program, rules).start[id.value].value;
  }
  std::int64_t Cost(AntiDependences anti = AntiDependences::kKept) const {
    return TimeBlock(program, PlainRules(), anti).cost.value;
  }

 private:
  static std::vector<Producer> Edges(std::initializer_list<PerfId> producers, bool anti) {
    std::vector<Producer> edges;
    for (const PerfId id : producers) edges.push_back({id, anti});
    return edges;
  }
};

}  // namespace spillway
