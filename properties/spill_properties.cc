#include "properties/spill_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/print_kernel.h"
#include "model/hw/hwm.h"
#include "properties/colouring_round.h"

namespace spillway {
namespace {

constexpr std::int64_t kDramPrice = 1000;
constexpr std::int64_t kSbufPrice = 1;

/// The same price whatever the shape, so that a cost says how many accesses it is of.
class CountingHwm final : public Hwm {
 public:
  std::string Name() const override { return "counting"; }
  Cycles Latency(Space space, AccessShape /*shape*/) const override {
    return Cycles(space == Space::kDram ? kDramPrice : kSbufPrice);
  }
  Result<InstructionLatency> Latency(const InstructionShape& /*shape*/) const override {
    return InstructionLatency{};
  }
};

// How often each instruction runs, guards not looked at.
std::vector<std::int64_t> CountRuns(const Kernel& kernel) {
  std::vector<std::int64_t> runs(kernel.instructions.size(), 0);
  std::vector<std::int64_t> trips = {1};
  for (const BodyItem& item : kernel.body) {
    if (item.kind == BodyKind::kInstruction) runs[item.instruction().value] += trips.back();
    if (item.kind == BodyKind::kLoopEnd) trips.pop_back();
    if (item.kind != BodyKind::kLoopBegin) continue;
    const Loop& loop = kernel.loops[item.loop()];
    std::int64_t counted = 0;
    for (std::int64_t i = loop.begin; loop.step > 0 ? i < loop.end : i > loop.end; i += loop.step)
      counted += trips.back();
    trips.push_back(counted);
  }
  return runs;
}

struct Counted {
  std::int64_t reads = 0;
  std::int64_t writes = 0;
  std::set<std::size_t> instructions;
};

/// The operands of a copy.
struct Transfer {
  Operand from;
  Operand to;
  std::vector<Predicate> when;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

}  // namespace

std::vector<std::string> CheckSpillCosts(const Kernel& kernel, Bytes capacity,
                                         const Target& target) {
  const CountingHwm counting;
  const ColouringRound round = StartRound(kernel, capacity, target.sbuf_granule, counting);
  const Kernel& seen = round.linear.kernel;
  const std::vector<std::int64_t> runs = CountRuns(seen);
  IdVector<TensorId, Counted> counted(seen.tensors.size());
  for (std::size_t i = 0; i < seen.instructions.size(); ++i) {
    for (const Access& access : AccessesOf(seen.instructions[InstructionId(i)])) {
      Counted& of = counted[access.tensor];
      (access.is_write ? of.writes : of.reads) += runs[i];
      of.instructions.insert(i);
    }
  }
  std::vector<std::string> faults;
  for (std::size_t t = 0; t < seen.tensors.size(); ++t) {
    const TensorId id(t);
    const SpillCost& cost = round.costs[id];
    if (!cost.IsFinite()) continue;
    const Counted& of = counted[id];
    if (of.instructions.size() < 2) {
      faults.push_back(fmt::format("{} may be spilled, and {} instruction touches it",
                                   seen.tensors[id].name, of.instructions.size()));
      continue;
    }
    const std::int64_t saved = round.loads[id] ? 0 : of.writes;
    const auto expected = static_cast<double>(of.reads * kDramPrice + saved * kSbufPrice);
    if (cost.cycles() == expected) continue;
    faults.push_back(fmt::format("{} costs {}: {} reads and {} writes were counted",
                                 seen.tensors[id].name, cost.cycles(), of.reads, saved));
  }
  return faults;
}

std::vector<std::string> CheckReloadsAreNeeded(const Kernel& kernel) {
  std::vector<std::string> faults;
  std::vector<Transfer> there;
  for (const BodyItem& item : kernel.body) {
    if (item.kind != BodyKind::kInstruction) {
      there.clear();
      continue;
    }
    const Instruction& instruction = kernel.instructions[item.instruction()];
    const bool is_reload = instruction.spill == SpillRole::kReload;
    std::optional<Transfer> made;
    if (is_reload) {
      made = {instruction.inputs.front().operands.front(),
              instruction.outputs.front().operands.front(), instruction.when};
      if (std::find(there.begin(), there.end(), *made) != there.end()) {
        faults.push_back("what it brings is there: " + PrintInstruction(kernel, instruction));
        continue;
      }
    }
    for (const Access& access : AccessesOf(instruction)) {
      if (!access.is_write) continue;
      std::erase_if(there, [&](const Transfer& transfer) {
        return transfer.to.tensor == access.tensor || transfer.from.tensor == access.tensor;
      });
    }
    if (made) there.push_back(std::move(*made));
  }
  return faults;
}

}  // namespace spillway
