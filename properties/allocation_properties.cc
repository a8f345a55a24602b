#include "properties/allocation_properties.h"

#include <fmt/format.h>

#include <set>

#include "model/alloc/sbuf/residual_capacity.h"
#include "properties/colouring_round.h"
#include "properties/placed_run.h"
#include "sim/values/reference_interpreter.h"
#include "traces/round_trip.h"

namespace spillway {
namespace {

constexpr std::uint64_t kInputSeed = 1;

SbufOptions OptionsFor(Bytes capacity) {
  SbufOptions options;
  options.capacity = capacity;
  // Small kernels take milliseconds; what takes longer never ends.
  options.watchdog_seconds = 60;
  return options;
}

bool SharesBytes(const SbufAllocation& allocation) {
  std::vector<Rectangle> places;
  for (std::size_t t = 0; t < allocation.kernel.tensors.size(); ++t) {
    const Tensor& tensor = allocation.kernel.tensors[TensorId(t)];
    if (tensor.space != Space::kSbuf || allocation.placement.addresses[TensorId(t)].empty())
      continue;
    const Rectangle place =
        RectangleOf(tensor, allocation.placement.addresses[TensorId(t)].front());
    for (const Rectangle& other : places) {
      if (Overlap(place, other)) return true;
    }
    places.push_back(place);
  }
  return false;
}

AllocationFacts FactsOf(const SbufAllocation& allocation, const Kernel& kernel, Bytes capacity,
                        const Target& target, const Hwm& hwm) {
  AllocationFacts facts;
  facts.spilled = !allocation.stats.spilled.empty();
  facts.respilled = allocation.stats.iterations > 2;
  facts.reloads_removed = allocation.stats.reloads_removed > 0;
  facts.saves = allocation.stats.saves > 0;
  facts.shared_bytes = SharesBytes(allocation);
  const LinearKernel linear = Linearize(allocation.kernel);
  for (std::size_t p = 0; p < linear.point_count(); ++p) {
    if (!linear.IsInstruction(PointId(p)) || !IsSpillDma(linear.instruction(PointId(p)))) continue;
    facts.guarded_spills = facts.guarded_spills || !linear.instruction(PointId(p)).when.empty();
    facts.spills_in_loops = facts.spills_in_loops || linear.loop_of[PointId(p)].has_value();
  }
  const ColouringRound round = StartRound(kernel, capacity, target.sbuf_granule, hwm);
  const auto residual =
      MakeResidualCapacity(round.nodes.all, round.linear.point_count(), round.capacity);
  facts.optimistic = !Simplify(round.nodes.all, round.costs, round.partners, *residual,
                               SpillMetric::kCostPerOverload)
                          .optimistic.empty();
  return facts;
}

PropertyVerdict Judge(const Kernel& kernel, const SbufAllocation& allocation, Bytes capacity,
                      const Target& target, const Hwm& hwm) {
  PropertyVerdict verdict;
  const Result<Inputs> inputs = GenerateInputs(kernel, kInputSeed);
  SPILLWAY_CHECK(inputs.has_value(), "small kernels have small inputs");
  const Result<InterpreterReport> reference = Interpret(kernel, ValueMode::kTags, *inputs);
  SPILLWAY_CHECK(reference.has_value(), "a kernel with its inputs runs");
  for (const Violation& violation : reference->uninitialized) {
    verdict.faults.push_back("the kernel itself: " + violation.text);
  }
  PlacedRun run =
      RunPlaced(allocation.kernel, allocation.placement, capacity, target.sbuf_granule, *inputs);
  verdict.faults.insert(verdict.faults.end(), run.faults.begin(), run.faults.end());
  for (const auto& [name, data] : run.outputs) {
    const std::vector<std::byte>& wanted = reference->dram.at(name).bytes;
    if (wanted == data.bytes) continue;
    std::size_t at = 0;
    while (at < wanted.size() && at < data.bytes.size() && wanted[at] == data.bytes[at]) ++at;
    verdict.faults.push_back(
        fmt::format("wrong value: {} differs from byte {} of {}", name, at, wanted.size()));
  }
  verdict.facts = FactsOf(allocation, kernel, capacity, target, hwm);
  return verdict;
}

PropertyVerdict Faulty(std::string fault) { return {{std::move(fault)}, {}}; }

}  // namespace

PropertyVerdict CheckAllocation(const Kernel& kernel, Bytes capacity, const Target& target,
                                const Hwm& hwm) {
  const Result<SbufAllocation> allocation = AllocateSbuf(kernel, target, hwm, OptionsFor(capacity));
  if (!allocation) {
    return Faulty(fmt::format("capacity {}: {}", capacity.value, allocation.error().ToString()));
  }
  return Judge(kernel, *allocation, capacity, target, hwm);
}

PropertyVerdict CheckAllocationOrRefusal(const Kernel& kernel, Bytes capacity, const Target& target,
                                         const Hwm& hwm) {
  const Result<SbufAllocation> allocation = AllocateSbuf(kernel, target, hwm, OptionsFor(capacity));
  if (allocation) return Judge(kernel, *allocation, capacity, target, hwm);
  const Kind kind = allocation.error().kind;
  if (kind == Kind::kCapacity || kind == Kind::kInstructionWorkingSet) return {};
  return Faulty("another refusal: " + allocation.error().ToString());
}

PropertyVerdict CheckNoSpillWithRoom(const Kernel& kernel, const Target& target, const Hwm& hwm) {
  const Bytes sum = NeedsOf(kernel, target.sbuf_granule).sum;
  const Result<SbufAllocation> allocation = AllocateSbuf(kernel, target, hwm, OptionsFor(sum));
  if (!allocation) return Faulty(allocation.error().ToString());
  if (allocation->stats.spilled.empty() && allocation->stats.iterations == 1) return {};
  return Faulty(fmt::format("{} tensors spilled with {} bytes for all",
                            allocation->stats.spilled.size(), sum.value));
}

PropertyVerdict CheckProgress(const Kernel& kernel, Bytes capacity, const Target& target,
                              const Hwm& hwm) {
  std::int64_t rounds = 0;
  std::int64_t rounds_that_placed_all = 0;
  SbufOptions options = OptionsFor(capacity);
  options.progress = [&](const std::string& line) {
    ++rounds;
    rounds_that_placed_all += line.find(" 0 without a place") != std::string::npos ? 1 : 0;
  };
  const Result<SbufAllocation> allocation = AllocateSbuf(kernel, target, hwm, options);
  if (!allocation) return Faulty(allocation.error().ToString());
  PropertyVerdict verdict;
  std::int64_t accesses = 0;
  for (const Instruction& instruction : kernel.instructions) {
    for (const Access& access : AccessesOf(instruction)) {
      accesses += kernel.tensors[access.tensor].space == Space::kSbuf ? 1 : 0;
    }
  }
  const SbufStats& stats = allocation->stats;
  if (rounds != stats.iterations) verdict.faults.emplace_back("a round without its line");
  if (rounds_that_placed_all != 1) verdict.faults.emplace_back("a round that had nothing to do");
  if (stats.iterations > 1 + accesses) {
    verdict.faults.push_back(
        fmt::format("{} rounds for {} accesses to SBUF", stats.iterations, accesses));
  }
  std::set<std::string> names;
  for (const SpilledTensor& spilled : stats.spilled) {
    if (!names.insert(spilled.name).second) verdict.faults.push_back(spilled.name + " twice");
  }
  verdict.facts.spilled = !stats.spilled.empty();
  verdict.facts.respilled = stats.iterations > 2;
  return verdict;
}

PropertyVerdict CheckDeterminism(const Kernel& kernel, Bytes capacity, const Target& target,
                                 const Hwm& hwm) {
  const Result<SbufAllocation> a = AllocateSbuf(kernel, target, hwm, OptionsFor(capacity));
  const Result<SbufAllocation> b = AllocateSbuf(kernel, target, hwm, OptionsFor(capacity));
  if (a.has_value() != b.has_value()) return Faulty("one call succeeds and the other doesn't");
  if (!a)
    return a.error().ToString() == b.error().ToString() ? PropertyVerdict{}
                                                        : Faulty("two messages");
  if (a->kernel != b->kernel) return Faulty("two kernels");
  if (a->placement != b->placement) return Faulty("two placements");
  if (a->stats.messages != b->stats.messages) return Faulty("two lists of messages");
  return {};
}

PropertyVerdict CheckRoundTrip(const Kernel& kernel) { return {RoundTripFaults(kernel), {}}; }

}  // namespace spillway
