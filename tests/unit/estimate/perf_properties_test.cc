// What holds of every block, on random ones.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/property/run_property.h"
#include "tests/unit/estimate/programs.h"

namespace spillway {
namespace {

constexpr std::array kEngines = {Timeline::kPool, Timeline::kActivation, Timeline::kPe,
                                 Timeline::kDve, Timeline::kSp};

struct Random {
  PerfProgram program;
  PerfRules rules;
};

std::vector<Producer> AnyProducers(std::size_t of) {
  std::vector<Producer> producers;
  if (of == 0) return producers;
  const int count = *rc::gen::inRange(0, 4);
  for (int p = 0; p < count; ++p) {
    const PerfId id(*rc::gen::inRange<std::size_t>(0, of));
    producers.push_back({id, *rc::gen::arbitrary<bool>()});
  }
  return producers;
}

void AddAny(PerfProgram& program) {
  const std::vector<Producer> producers = AnyProducers(program.size());
  PerfInstruction instruction;
  instruction.duration = Cycles(*rc::gen::weightedOneOf<int>({{2, rc::gen::inRange(0, 102)},
                                                              {2, rc::gen::inRange(0, 1000)},
                                                              {1, rc::gen::inRange(1200, 4000)}}));
  switch (*rc::gen::inRange(0, 8)) {
    case 0:
    case 1: {
      PerfInstruction trigger;
      trigger.dma = DmaPart::kTrigger;
      trigger.queue = *rc::gen::element(0, 10, 12);
      instruction.trigger = program.Add(trigger, producers);
      instruction.dma = DmaPart::kTransfer;
      instruction.timeline = Timeline::kDma;
      program.Add(instruction);
      return;
    }
    case 2: instruction.timeline = Timeline::kCollective1; break;
    case 3:
      instruction.timeline = Timeline::kFullBarrier;
      instruction.duration = Cycles(0);
      break;
    default:
      instruction.timeline = *rc::gen::elementOf(kEngines);
      if (*rc::gen::arbitrary<bool>()) instruction.psum_banks = {BankId(*rc::gen::inRange(0, 3))};
  }
  program.Add(instruction, producers);
}

Random AnyBlock() {
  Random random;
  random.rules = *rc::gen::arbitrary<bool>() ? SharedPortRules() : PlainRules();
  const int count = *rc::gen::inRange(1, 40);
  for (int i = 0; i < count; ++i) AddAny(random.program);
  return random;
}

Cycles WindowOf(const PerfInstruction& instruction, const PerfRules& rules) {
  if (instruction.timeline == Timeline::kDma) return rules.dma_window;
  return instruction.timeline < Timeline::kFullBarrier ? rules.compute_window : Cycles(0);
}

TEST(PerfProperties, AntiDependencesNeverMakeABlockShorter) {
  Shares shares;
  CheckProperty("anti-dependences", 300, [&] {
    const Random random = AnyBlock();
    const PerfTimes with = TimeBlock(random.program, random.rules, AntiDependences::kKept);
    const PerfTimes without = TimeBlock(random.program, random.rules, AntiDependences::kLeftOut);
    RC_ASSERT(with.cost >= without.cost);
    for (std::size_t i = 0; i < random.program.size(); ++i)
      RC_ASSERT(with.start[i] >= without.start[i]);
    shares.Case();
    shares.Count("anti-dependences that cost", with.cost > without.cost);
    shares.Count("shared ports", random.rules.shared_port);
  });
  shares.AtLeast("anti-dependences that cost", 15);
  shares.AtLeast("shared ports", 30);
}

RC_GTEST_PROP(PerfProperties, AChainOfDependencesNeverOverlaps, ()) {
  const Random random = AnyBlock();
  const PerfTimes times = TimeBlock(random.program, random.rules);
  // The longest chain that ends with each instruction; of a trigger, that ends with its issue.
  std::vector<Cycles> chain;
  for (std::size_t i = 0; i < random.program.size(); ++i) {
    const PerfInstruction& instruction = random.program[PerfId(i)];
    Cycles longest;
    for (const Producer& producer : random.program.ProducersOf(PerfId(i)))
      longest = std::max(longest, chain[producer.instruction.value]);
    if (instruction.dma == DmaPart::kTransfer)
      longest = std::max(longest, chain[instruction.trigger.value]);
    chain.push_back(longest + instruction.duration);
    RC_ASSERT(times.end[i] >= chain.back());
  }
  RC_ASSERT(times.cost >= *std::max_element(chain.begin(), chain.end()));
}

RC_GTEST_PROP(PerfProperties, ATimelineTakesAtLeastItsDurationsLessTheirWindows, ()) {
  const Random random = AnyBlock();
  const PerfTimes times = TimeBlock(random.program, random.rules);
  std::map<Timeline, Cycles> busy;
  for (std::size_t i = 0; i < random.program.size(); ++i) {
    const PerfInstruction& instruction = random.program[PerfId(i)];
    const Cycles window = WindowOf(instruction, random.rules);
    busy[instruction.timeline] += std::max(Cycles(0), instruction.duration - window);
  }
  for (const auto& [timeline, cycles] : busy)
    RC_ASSERT(times.timeline_end[static_cast<std::size_t>(timeline)] >= cycles);
}

RC_GTEST_PROP(PerfProperties, ABlockNeverTakesLongerThanOneInstructionAtATime, ()) {
  const Random random = AnyBlock();
  Cycles sum;
  for (std::size_t i = 0; i < random.program.size(); ++i) sum += random.program[PerfId(i)].duration;
  RC_ASSERT(TimeBlock(random.program, random.rules).cost <= sum);
}

RC_GTEST_PROP(PerfProperties, HowIndependentTimelinesAreInterleavedDoesNotMatter, ()) {
  // Streams of three engines; each instruction may depend on earlier ones of its own stream.
  constexpr std::array kStreams = {Timeline::kPe, Timeline::kDma, Timeline::kCollective0};
  std::array<std::vector<std::pair<int, int>>, 3> streams;  // duration, distance to the producer
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const int length = *rc::gen::inRange(0, 12);
    for (int i = 0; i < length; ++i) {
      streams[s].emplace_back(*rc::gen::inRange(0, 3000), *rc::gen::inRange(0, i + 1));
      order.push_back(s);
    }
  }
  const auto cost_in = [&](const std::vector<std::size_t>& interleaving) {
    PerfProgram program;
    std::array<std::vector<PerfId>, 3> added;
    for (const std::size_t s : interleaving) {
      const auto [duration, distance] = streams[s][added[s].size()];
      PerfInstruction instruction;
      instruction.timeline = kStreams[s];
      instruction.duration = Cycles(duration);
      std::vector<Producer> producers;
      if (distance > 0)
        producers.push_back({added[s][added[s].size() - static_cast<std::size_t>(distance)]});
      added[s].push_back(program.Add(instruction, producers));
    }
    return TimeBlock(program, PlainRules()).cost;
  };
  std::vector<std::size_t> shuffled = order;
  for (std::size_t i = shuffled.size(); i > 1; --i)
    std::swap(shuffled[i - 1], shuffled[*rc::gen::inRange<std::size_t>(0, i)]);
  RC_ASSERT(cost_in(order) == cost_in(shuffled));
}

}  // namespace
}  // namespace spillway
