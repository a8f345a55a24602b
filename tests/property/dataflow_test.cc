// The data-flow judge beside the unrolled run: no false alarm, and no wrong value that it misses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/alloc/allocate.h"
#include "properties/colouring_round.h"
#include "properties/judge.h"
#include "properties/planted_breakage.h"
#include "properties/rapidcheck_kernels.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}
const Hwm& Oracle() {
  static const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(Trn2());
  return *hwm;
}

Bytes CapacityOf(const KernelCase& c, const Kernel& kernel) {
  const MemoryNeeds needs = NeedsOf(kernel, Trn2().sbuf_granule);
  return c.Between(needs.largest_working_set, needs.peak);
}

Result<SbufAllocation> AllocateIn(const Kernel& kernel, Bytes capacity) {
  SbufOptions options;
  options.capacity = capacity;
  options.watchdog_seconds = 60;
  return AllocateSbuf(kernel, Trn2(), Oracle(), options);
}

std::vector<Finding> FindingsOf(JudgeId judge, const Kernel& original, const Kernel& kernel,
                                const Placement& placement, Bytes capacity) {
  return JudgedCase({&original, &kernel, &placement, &Trn2(), capacity, std::nullopt}).Ask(judge);
}

void RequireSilence(const Kernel& original, const Kernel& kernel, const Placement& placement,
                    Bytes capacity) {
  const std::vector<Finding> findings =
      FindingsOf(JudgeId::kDataflow, original, kernel, placement, capacity);
  if (!findings.empty()) RC_FAIL(findings.front().text);
}

// That these allocations are right the allocation property shows, on the same kind of kernels.
TEST(Dataflow, AgreesWithTheSbufColourer) {
  Shares shares;
  CheckProperty("dataflow sbuf", 3000, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    const Bytes capacity = CapacityOf(c, kernel);
    const Result<SbufAllocation> allocation = AllocateIn(kernel, capacity);
    RC_ASSERT(allocation.has_value());
    RequireSilence(kernel, allocation->kernel, allocation->placement, capacity);
    shares.Case();
    shares.Count("spilled", !allocation->stats.spilled.empty());
    shares.Count("saves", allocation->stats.saves > 0);
    shares.Count("loops", !kernel.loops.empty());
  });
  shares.AtLeast("spilled", 40);
  shares.AtLeast("saves", 30);
  shares.AtLeast("loops", 60);
}

TEST(Dataflow, AgreesWithTheWholeAllocatorAroundHandPlacedTensors) {
  Shares shares;
  CheckProperty("dataflow all", 2000, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode({.fixed_tensors = c.tightness % 2 == 0});
    const Bytes capacity = CapacityOf(c, kernel) + kFixedTensorBytes;
    AllocateOptions options;
    options.sbuf_bytes = capacity;
    options.psum_banks = BankCount(2);
    const Result<Allocation> allocation = Allocate(kernel, Trn2(), Oracle(), options);
    shares.Case();
    shares.Count("allocated", allocation.has_value());
    if (!allocation) return;
    RequireSilence(kernel, allocation->kernel, allocation->placement, capacity);
    shares.Count("PSUM spilled", allocation->psum_spilled > 0);
  });
  shares.AtLeast("allocated", 80);
  shares.AtLeast("PSUM spilled", 1);
}

// What another allocator may hand over: spill code without marks, or the file of a placed kernel,
// whose own spill code is the program's.
TEST(Dataflow, NeedsNeitherMarksNorTheProgramBeforeSpilling) {
  CheckProperty("dataflow unmarked", 1000, [](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    const Bytes capacity = CapacityOf(c, kernel);
    Result<SbufAllocation> allocation = AllocateIn(kernel, capacity);
    RC_ASSERT(allocation.has_value());
    RequireSilence(allocation->kernel, allocation->kernel, allocation->placement, capacity);
    for (Instruction& instruction : allocation->kernel.instructions) {
      instruction.spill = SpillRole::kNone;
      std::erase_if(instruction.attrs, [](const Attr& attr) { return attr.name == "spill"; });
    }
    RequireSilence(kernel, allocation->kernel, allocation->placement, capacity);
  });
}

// The run may find fault where a value is right by chance, in the same place as a dropped reload's;
// but whenever an output differs, an operand has read something else.
TEST(Dataflow, FindsEveryBrokenAllocationWhoseOutputsDiffer) {
  Shares shares;
  CheckProperty("dataflow broken", 1500, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    const Bytes capacity = CapacityOf(c, kernel);
    const Result<SbufAllocation> allocation = AllocateIn(kernel, capacity);
    RC_ASSERT(allocation.has_value());
    const auto breakage = static_cast<Breakage>(*rc::gen::inRange(0, kBreakages));
    const auto where = static_cast<std::uint32_t>(
        *rc::gen::resize(100, rc::gen::inRange<std::int64_t>(0, 4'000'000'000)));
    const auto broken = PlantBreakage(allocation->kernel, allocation->placement, breakage, where,
                                      capacity, Trn2().sbuf_granule);
    shares.Case();
    if (!broken) return;
    const std::vector<Finding> run =
        FindingsOf(JudgeId::kShadow, kernel, broken->kernel, broken->placement, capacity);
    const bool differs = std::any_of(run.begin(), run.end(), [](const Finding& finding) {
      return finding.kind == Kind::kDataMismatch;
    });
    const bool found =
        !FindingsOf(JudgeId::kDataflow, kernel, broken->kernel, broken->placement, capacity)
             .empty();
    if (differs && !found) RC_FAIL("missed: " + broken->what);
    shares.Count("outputs differ", differs);
    shares.Count(fmt::format("outputs differ by {}", static_cast<int>(breakage)), differs);
    shares.Count("harmless", run.empty() && !found);
  });
  shares.AtLeast("outputs differ", 15);
  shares.AtLeast("harmless", 5);
  shares.AtLeast("outputs differ by 0", 2);
  shares.AtLeast("outputs differ by 1", 2);
  shares.AtLeast("outputs differ by 2", 2);
}

}  // namespace
}  // namespace spillway
