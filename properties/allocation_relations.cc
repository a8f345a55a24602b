#include "properties/allocation_relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/alloc/allocate.h"
#include "model/alloc/check/equations.h"
#include "model/alloc/check/placement_checker.h"
#include "model/hw/timing/event_machine.h"
#include "properties/colouring_round.h"
#include "properties/kernel_transforms.h"
#include "properties/loop_transforms.h"
#include "properties/placed_run.h"
#include "sim/exec/compare_data.h"
#include "sim/exec/deadlock.h"
#include "sim/exec/kernel_effects.h"
#include "sim/lower/lower_kernel.h"
#include "sim/values/reference_interpreter.h"

namespace spillway {
namespace {

constexpr std::uint64_t kInputSeed = 1;

Result<SbufAllocation> AllocateIn(Bytes capacity, const Kernel& kernel, const RelationCase& c) {
  SbufOptions options;
  options.capacity = capacity;
  // Small kernels take milliseconds; what takes longer never ends.
  options.watchdog_seconds = 60;
  return AllocateSbuf(kernel, c.target, c.hwm, options);
}

Result<Allocation> AllocateAllIn(Bytes capacity, const Kernel& kernel, const RelationCase& c) {
  AllocateOptions options;
  options.sbuf_bytes = capacity;
  return Allocate(kernel, c.target, c.hwm, options);
}

template <class T>
void NoteRefusal(const Result<T>& allocation, RelationVerdict& verdict) {
  if (!allocation) verdict.faults.push_back("refused: " + allocation.error().ToString());
}

void NoteCosts(const SbufStats& first, const SbufStats& second, RelationVerdict& verdict) {
  verdict.facts.spilled = !first.spilled.empty() || !second.spilled.empty();
  verdict.facts.cheaper = second.predicted_cycles < first.predicted_cycles;
  verdict.facts.dearer = second.predicted_cycles > first.predicted_cycles;
}

void JudgeStatically(const Kernel& original, const Kernel& kernel, const Placement& placement,
                     Bytes capacity, const RelationCase& c, RelationVerdict& verdict) {
  const LinearKernel linear = Linearize(kernel);
  std::vector<CheckResult> results =
      CheckPlacement(linear, placement, c.target, {.sbuf_bytes = capacity, .psum_banks = {}});
  results.push_back(CheckEquations(original, linear, placement, c.target));
  for (const CheckResult& result : results) {
    for (const Violation& violation : result.violations) {
      verdict.faults.push_back(result.name + ": " + violation.text);
    }
  }
}

void JudgeOutputs(const Kernel& original, const Allocation& allocation, Bytes capacity,
                  const RelationCase& c, RelationVerdict& verdict) {
  const Result<Inputs> inputs = GenerateInputs(original, kInputSeed);
  SPILLWAY_CHECK(inputs.has_value(), "small kernels have small inputs");
  const Result<InterpreterReport> reference = Interpret(original, ValueMode::kTags, *inputs);
  SPILLWAY_CHECK(reference.has_value(), "a kernel with its inputs runs");
  const PlacedRun run =
      RunPlaced(allocation.kernel, allocation.placement, capacity, c.target.sbuf_granule, *inputs);
  verdict.faults.insert(verdict.faults.end(), run.faults.begin(), run.faults.end());
  for (const Violation& v : CompareData(original, run.outputs, reference->dram).violations) {
    verdict.faults.push_back("outputs: " + v.text);
  }
}

// The same instructions on tensors of the same ids, whatever these are called.
void RequireSameCode(const Kernel& a, const Kernel& b, RelationVerdict& verdict) {
  if (a.body != b.body || a.instructions != b.instructions) {
    verdict.faults.push_back("the allocated functions differ");
  }
}

void RequireSamePlaces(const Placement& a, const Placement& b, RelationVerdict& verdict) {
  if (a != b) verdict.faults.push_back("the placements differ");
}

/// `second` allocated in as many bytes is what `c.kernel` is.
RelationVerdict RequireEqual(const RelationCase& c, const Kernel& second, Bytes capacity) {
  RelationVerdict verdict;
  const Result<SbufAllocation> a = AllocateIn(c.capacity, c.kernel, c);
  const Result<SbufAllocation> b = AllocateIn(capacity, second, c);
  if (a.has_value() != b.has_value()) {
    NoteRefusal(a, verdict);
    NoteRefusal(b, verdict);
  }
  if (!a || !b) return verdict;
  verdict.facts.applies = second != c.kernel || capacity != c.capacity;
  NoteCosts(a->stats, b->stats, verdict);
  RequireSameCode(a->kernel, b->kernel, verdict);
  RequireSamePlaces(a->placement, b->placement, verdict);
  return verdict;
}

/// `second` allocated in `capacity` bytes is legal. The whole allocator may refuse the first kernel
/// for want of PSUM.
RelationVerdict RequireLegal(const RelationCase& c, const Kernel& second, Bytes capacity,
                             bool outputs) {
  RelationVerdict verdict;
  const Result<Allocation> a = AllocateAllIn(c.capacity, c.kernel, c);
  if (!a) return verdict;
  const Result<Allocation> b = AllocateAllIn(capacity, second, c);
  NoteRefusal(b, verdict);
  if (!b) return verdict;
  verdict.facts.applies = second != c.kernel || capacity != c.capacity;
  NoteCosts(a->sbuf, b->sbuf, verdict);
  JudgeStatically(second, b->kernel, b->placement, capacity, c, verdict);
  if (outputs) JudgeOutputs(c.kernel, *b, capacity, c, verdict);
  return verdict;
}

/// As tight as `c`, for another kernel.
Bytes SameTightness(const RelationCase& c, const Kernel& other) {
  const MemoryNeeds needs = NeedsOf(c.kernel, c.target.sbuf_granule);
  const MemoryNeeds others = NeedsOf(other, c.target.sbuf_granule);
  const Bytes spare = c.capacity - needs.largest_working_set;
  return others.largest_working_set + std::max(Bytes(0), spare);
}

/// Prices what it is asked for as if it had fewer bytes.
class PerByte final : public Hwm {
 public:
  PerByte(const Hwm& hwm, std::int64_t factor) : hwm_(hwm), factor_(factor) {}
  std::string Name() const override { return hwm_.Name(); }
  Cycles Latency(Space space, AccessShape shape) const override {
    shape.bytes_per_partition = Bytes(shape.bytes_per_partition.value / factor_);
    return hwm_.Latency(space, shape);
  }
  Result<InstructionLatency> Latency(const InstructionShape& shape) const override {
    return hwm_.Latency(shape);
  }

 private:
  const Hwm& hwm_;
  std::int64_t factor_;
};

}  // namespace

RelationVerdict CheckOtherNames(const RelationCase& c) {
  return RequireEqual(c, WithOtherNames(c.kernel, c.seed), c.capacity);
}

RelationVerdict CheckOtherOrder(const RelationCase& c) {
  return RequireLegal(c, WithOtherOrder(c.kernel, c.seed), c.capacity, true);
}

RelationVerdict CheckUnusedTensor(const RelationCase& c) {
  return RequireEqual(c, WithUnusedTensor(c.kernel), c.capacity);
}

RelationVerdict CheckDeadTile(const RelationCase& c) {
  const Kernel with = WithDeadTile(c.kernel, c.seed);
  return RequireLegal(
      c, with, c.capacity + BlockBytes(with.tensors[TensorId(with.tensors.size() - 1)]), true);
}

RelationVerdict CheckLooseBytes(const RelationCase& c) {
  const std::int64_t granule = c.target.sbuf_granule.value.value;
  RelationCase whole = c;
  whole.capacity = RoundUp(c.capacity, Bytes(granule));
  return RequireEqual(whole, c.kernel,
                      whole.capacity + Bytes(static_cast<std::int64_t>(c.seed) % granule));
}

RelationVerdict CheckSwappedNeighbors(const RelationCase& c) {
  const Kernel swapped = WithSwappedNeighbors(c.kernel, c.seed);
  return RequireLegal(c, swapped, SameTightness(c, swapped), true);
}

RelationVerdict CheckScaled(const RelationCase& c, std::int64_t factor) {
  RelationVerdict verdict;
  Target target = c.target;
  target.sbuf_granule.value = target.sbuf_granule.value * factor;
  const PerByte hwm(c.hwm, factor);
  const Kernel scaled = Scaled(c.kernel, factor);
  const Result<SbufAllocation> a = AllocateIn(c.capacity, c.kernel, c);
  const Result<SbufAllocation> b =
      AllocateIn(c.capacity * factor, scaled, {scaled, c.capacity * factor, target, hwm});
  if (a.has_value() != b.has_value()) {
    NoteRefusal(a, verdict);
    NoteRefusal(b, verdict);
  }
  if (!a || !b) return verdict;
  verdict.facts.applies = factor != 1;
  NoteCosts(a->stats, b->stats, verdict);
  Placement expected = a->placement;
  for (std::vector<Address>& addresses : expected.addresses) {
    for (Address& address : addresses) address.byte = ByteOffset(address.byte.value * factor);
  }
  if (a->kernel.body != b->kernel.body) verdict.faults.push_back("the allocated functions differ");
  RequireSamePlaces(expected, b->placement, verdict);
  return verdict;
}

RelationVerdict CheckUnrolled(const RelationCase& c) {
  const Kernel unrolled = Unrolled(c.kernel);
  return RequireLegal(c, unrolled, SameTightness(c, unrolled), true);
}

RelationVerdict CheckPeeled(const RelationCase& c) {
  const std::optional<Kernel> peeled = Peeled(c.kernel, c.seed);
  if (!peeled) return {};
  return RequireLegal(c, *peeled, SameTightness(c, *peeled), true);
}

RelationVerdict CheckFewerTrips(const RelationCase& c) {
  RelationVerdict verdict;
  const std::vector<LoopId> loops = UniformLoops(c.kernel);
  const Result<Allocation> allocation = AllocateAllIn(c.capacity, c.kernel, c);
  if (!allocation) return verdict;
  NoteCosts(allocation->sbuf, allocation->sbuf, verdict);
  for (std::int64_t trips = 3; trips >= 1; --trips) {
    const Kernel fewer = WithTrips(c.kernel, loops, trips);
    if (fewer == c.kernel) continue;
    verdict.facts.applies = true;
    JudgeStatically(fewer, WithTrips(allocation->kernel, loops, trips), allocation->placement,
                    c.capacity, c, verdict);
  }
  return verdict;
}

RelationVerdict CheckMoreCapacity(const RelationCase& c, Bytes more) {
  return RequireLegal(c, c.kernel, c.capacity + more, false);
}

RelationVerdict CheckAllocatedAgain(const RelationCase& c) {
  RelationVerdict verdict;
  const Result<Allocation> once = AllocateAllIn(c.capacity, c.kernel, c);
  if (!once) return verdict;
  const Kernel placed = WithPlacement(once->kernel, once->placement);
  const Result<Allocation> again = AllocateAllIn(c.capacity, placed, c);
  NoteRefusal(again, verdict);
  if (!again) return verdict;
  verdict.facts.applies = true;
  verdict.facts.spilled = !once->sbuf.spilled.empty();
  if (!again->sbuf.spilled.empty() || again->psum_spilled != 0) {
    verdict.faults.push_back("what has a place is spilled");
  }
  RequireSameCode(placed, again->kernel, verdict);
  RequireSamePlaces(once->placement, again->placement, verdict);
  return verdict;
}

RelationVerdict CheckSlowerDma(const RelationCase& c) {
  RelationVerdict verdict;
  const Result<Allocation> allocation = AllocateAllIn(c.capacity, c.kernel, c);
  if (!allocation) return verdict;
  const Result<Inputs> inputs = GenerateInputs(c.kernel, kInputSeed);
  SPILLWAY_CHECK(inputs.has_value(), "small kernels have small inputs");
  Target slower = c.target;
  slower.dma_start_latency.value = slower.dma_start_latency.value * 3;
  slower.dma_descriptor_fixed.value = slower.dma_descriptor_fixed.value * 2;
  slower.dma_bytes_per_microsecond.value /= 2;
  const Result<InterpreterReport> reference = Interpret(c.kernel, ValueMode::kTags, *inputs);
  SPILLWAY_CHECK(reference.has_value(), "a kernel with its inputs runs");
  std::vector<Picoseconds> ends;
  for (const Target* target : {&c.target, &std::as_const(slower)}) {
    const Result<LoweredKernel> lowered =
        LowerKernel(allocation->kernel, allocation->placement, *target);
    if (!lowered) {
      verdict.faults.push_back(lowered.error().ToString());
      return verdict;
    }
    KernelEffects effects(allocation->kernel, *lowered, ValueMode::kTags, *inputs);
    const RunResult run =
        EventMachine().Run(lowered->program, *target, lowered->memory.use, &effects);
    for (const Violation& v : DeadlockViolations(allocation->kernel, *lowered, run))
      verdict.faults.push_back(v.text);
    for (const Violation& v :
         CompareData(c.kernel, effects.TakeOutputs(), reference->dram).violations)
      verdict.faults.push_back("outputs: " + v.text);
    ends.push_back(run.makespan);
  }
  verdict.facts.applies = true;
  verdict.facts.spilled = !allocation->sbuf.spilled.empty();
  verdict.facts.dearer = ends[1] > ends[0];
  verdict.facts.cheaper = ends[1] < ends[0];
  return verdict;
}

}  // namespace spillway
