#include "sim/estimate/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/footprint.h"
#include "sim/estimate/perf_sim.h"
#include "sim/lower/dependences.h"
#include "sim/lower/instance_cost.h"
#include "sim/lower/memory_map.h"
#include "sim/lower/streams.h"
#include "sim/lower/unroll.h"

namespace spillway {
namespace {

constexpr Cycles kMostCycles(std::int64_t{1} << 53);  // exact as a double too, for the ratio

// A straight run of instances in the middle iteration of every loop around it.
struct Block {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::int64_t times = 1;
};

// One instance an instruction that runs in the middle iteration, and the blocks that they form.
struct Blocks {
  InstanceSequence sequence;
  std::vector<Block> blocks;
};

// Of two counts, or the largest number where the product has no room.
std::int64_t Product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max()
                                                : product;
}

Blocks BlocksOf(const Kernel& kernel) {
  Blocks result;
  InstanceSequence& sequence = result.sequence;
  sequence.loop_count = kernel.loops.size();
  for (const Loop& loop : kernel.loops)
    sequence.snapshots.push_back(loop.begin + TripCount(loop) / 2 * loop.step);
  std::vector<std::int64_t> times = {1};
  std::uint32_t begin = 0;
  const auto close = [&] {
    const auto end = static_cast<std::uint32_t>(sequence.size());
    if (end > begin) result.blocks.push_back({begin, end, times.back()});
    begin = end;
  };
  for (const BodyItem& item : kernel.body) {
    if (item.kind == BodyKind::kLoopBegin) {
      close();
      times.push_back(Product(times.back(), TripCount(kernel.loops[item.loop()])));
    } else if (item.kind == BodyKind::kLoopEnd) {
      close();
      times.pop_back();
    } else if (times.back() > 0 &&
               Holds(kernel.instructions[item.instruction()].when, sequence.snapshots)) {
      sequence.instances.push_back({item.instruction(), 0});
    }
  }
  close();
  return result;
}

Timeline TimelineOf(Engine engine) {
  switch (engine) {
    case Engine::kPe: return Timeline::kPe;
    case Engine::kAct: return Timeline::kActivation;
    case Engine::kPool: return Timeline::kPool;
    case Engine::kDve: return Timeline::kDve;
    case Engine::kSp: return Timeline::kSp;
    case Engine::kDma: return Timeline::kDma;
  }
  return Timeline::kUnassigned;
}

std::vector<BankId> BanksWrittenBy(const Kernel& kernel, const Instruction& instruction,
                                   std::span<const std::int64_t> loop_values,
                                   const MemoryMap& memory, Bytes bank_bytes) {
  std::vector<BankId> banks;
  for (const Access& access : AccessesOf(instruction)) {
    const Tensor& tensor = kernel.tensors[access.tensor];
    if (!access.is_write || tensor.space != Space::kPsum) continue;
    const Footprint footprint = FootprintOf(kernel, access, loop_values);
    const std::vector<Address>& places = memory.addresses[access.tensor];
    for (std::size_t b = 0; b < places.size(); ++b) {
      if (footprint.block >= 0 && b != static_cast<std::size_t>(footprint.block)) continue;
      for (const Interval<ByteOffset>& run : footprint.runs) {
        const std::int64_t first = places[b].byte.value + run.begin.value;
        const std::int64_t last = places[b].byte.value + run.end.value - 1;
        for (std::int64_t bank = first / bank_bytes.value; bank <= last / bank_bytes.value; ++bank)
          banks.emplace_back(bank);
      }
    }
  }
  std::sort(banks.begin(), banks.end());
  banks.erase(std::unique(banks.begin(), banks.end()), banks.end());
  return banks;
}

class Estimator {
 public:
  Estimator(const Kernel& kernel, const MemoryMap& memory, const Target& target, const Hwm& hwm,
            const InstanceSequence& sequence, const Dependences& dependences)
      : kernel_(kernel),
        memory_(memory),
        target_(target),
        hwm_(hwm),
        sequence_(sequence),
        dependences_(dependences),
        done_(sequence.size()) {}

  std::optional<Error> Add(const Block& block, const PerfRules& rules, Estimate& sum) {
    PerfProgram program;
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      if (const std::optional<Error> error = AddInstance(i, block, program)) return error;
    }
    const Cycles kept = TimeBlock(program, rules, AntiDependences::kKept).cost;
    const Cycles left_out = TimeBlock(program, rules, AntiDependences::kLeftOut).cost;
    if (Product(kept.value, block.times) > kMostCycles.value - sum.cycles.value) return TooLong();
    sum.cycles += kept * block.times;
    sum.without_anti_dependences += left_out * block.times;
    return std::nullopt;
  }

 private:
  Error TooLong() const {
    return {Kind::kLimit, "estimate-too-long",
            fmt::format("{}: its loops run for more than the {} cycles that an estimate can count",
                        kernel_.name, kMostCycles.value),
            "", 0};
  }

  std::optional<Error> AddInstance(std::uint32_t i, const Block& block, PerfProgram& program) {
    const Instruction& instruction = kernel_.instructions[sequence_.instances[i].instruction];
    const Result<InstructionLatency> latency = hwm_.Latency(ShapeOf(kernel_, instruction, target_));
    if (!latency) return latency.error();
    producers_.clear();
    for (const Dependence& edge : dependences_.EdgesInto(i)) {
      if (edge.from >= block.begin) producers_.push_back({done_[edge.from], edge.anti});
    }
    PerfInstruction timed;
    timed.timeline = TimelineOf(EngineOf(kernel_, instruction));
    timed.duration = latency->total();
    if (timed.timeline == Timeline::kDma) {
      PerfInstruction trigger;
      trigger.dma = DmaPart::kTrigger;
      trigger.queue = static_cast<int>(DmaKindOf(kernel_, instruction));
      timed.dma = DmaPart::kTransfer;
      timed.trigger = program.Add(trigger, producers_);
      done_[i] = program.Add(timed);
    } else {
      timed.psum_banks = BanksWrittenBy(kernel_, instruction, sequence_.ValuesOf(i), memory_,
                                        target_.psum_bank_bytes);
      done_[i] = program.Add(timed, producers_);
    }
    return std::nullopt;
  }

  const Kernel& kernel_;
  const MemoryMap& memory_;
  const Target& target_;
  const Hwm& hwm_;
  const InstanceSequence& sequence_;
  const Dependences& dependences_;
  std::vector<PerfId> done_;  ///< in its block's program: what completes an instance
  std::vector<Producer> producers_;
};

}  // namespace

double Estimate::slack() const {
  if (without_anti_dependences == Cycles(0)) return 1;  // nothing to do, nothing to wait for
  return static_cast<double>(cycles.value) / static_cast<double>(without_anti_dependences.value);
}

Result<Estimate> EstimateTime(const Kernel& kernel, const Placement& placement,
                              const Target& target, const Hwm& hwm) {
  const Result<MemoryMap> memory = MapMemory(kernel, placement, target);
  if (!memory) return Fail(memory.error());
  const Blocks blocks = BlocksOf(kernel);
  const Result<Dependences> dependences = FindDependences(kernel, blocks.sequence, *memory);
  if (!dependences) return Fail(dependences.error());
  const PerfRules rules = RulesOf(target);
  Estimator estimator(kernel, *memory, target, hwm, blocks.sequence, *dependences);
  Estimate estimate;
  for (const Block& block : blocks.blocks) {
    if (const std::optional<Error> error = estimator.Add(block, rules, estimate))
      return Fail(*error);
  }
  return estimate;
}

}  // namespace spillway
