// Allocations of random kernels, from their peak down to their largest instruction.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "properties/allocation_properties.h"
#include "properties/colouring_round.h"
#include "properties/kernel_features.h"
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

void Require(const PropertyVerdict& verdict) {
  if (!verdict.ok()) RC_FAIL(fmt::format("{}", fmt::join(verdict.faults, "\n")));
}

Bytes CapacityOf(const KernelCase& c, const Kernel& kernel) {
  const MemoryNeeds needs = NeedsOf(kernel, Trn2().sbuf_granule);
  return c.Between(needs.largest_working_set, needs.peak);
}

TEST(Allocation, OfRandomKernelsSucceedsIsLegalAndKeepsTheData) {
  Shares shares;
  CheckProperty("allocation", 3000, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    const PropertyVerdict verdict =
        CheckAllocation(kernel, CapacityOf(c, kernel), Trn2(), Oracle());
    Require(verdict);
    const KernelFeatures features = FeaturesOf(kernel);
    shares.Case();
    shares.Count("nested loops", features.nested_loops);
    shares.Count("predicates", features.predicates);
    shares.Count("rotating blocks", features.rotating_blocks);
    shares.Count("carried values", features.carried);
    shares.Count("accumulation", features.accumulation);
    shares.Count("shared bytes", verdict.facts.shared_bytes);
    shares.Count("optimistic", verdict.facts.optimistic);
    shares.Count("spilled", verdict.facts.spilled);
    shares.Count("saves", verdict.facts.saves);
    shares.Count("third round", verdict.facts.respilled);
    shares.Count("spills in loops", verdict.facts.spills_in_loops);
    shares.Count("guarded spills", verdict.facts.guarded_spills);
    shares.Count("reloads removed", verdict.facts.reloads_removed);
  });
  shares.AtLeast("nested loops", 25);
  shares.AtLeast("predicates", 30);
  shares.AtLeast("rotating blocks", 30);
  shares.AtLeast("carried values", 10);
  shares.AtLeast("accumulation", 25);
  shares.AtLeast("shared bytes", 60);
  shares.AtLeast("optimistic", 60);
  shares.AtLeast("spilled", 40);
  shares.AtLeast("saves", 30);
  shares.AtLeast("third round", 20);
  shares.AtLeast("spills in loops", 20);
  shares.AtLeast("guarded spills", 5);
  shares.AtLeast("reloads removed", 20);
}

TEST(Allocation, AroundHandPlacedTensorsIsLegalAndKeepsTheDataOrRefuses) {
  Shares shares;
  CheckProperty("fixed", 800, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode({.fixed_tensors = true});
    Require(CheckAllocationOrRefusal(kernel, CapacityOf(c, kernel) + kFixedTensorBytes, Trn2(),
                                     Oracle()));
    bool fixed = false;
    for (const Tensor& tensor : kernel.tensors) fixed = fixed || !tensor.at.empty();
    shares.Case();
    shares.Count("hand-placed", fixed);
  });
  shares.AtLeast("hand-placed", 40);
}

TEST(Allocation, WithRoomForAllTensorsSpillsNothing) {
  CheckProperty("room", 1000, [](const KernelCase& c) {
    Require(CheckNoSpillWithRoom(c.Decode(), Trn2(), Oracle()));
  });
}

TEST(Allocation, EndsAndGetsOnInEveryRound) {
  Shares shares;
  CheckProperty("progress", 1500, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    const PropertyVerdict verdict = CheckProgress(kernel, CapacityOf(c, kernel), Trn2(), Oracle());
    Require(verdict);
    shares.Case();
    shares.Count("third round", verdict.facts.respilled);
  });
  shares.AtLeast("third round", 20);
}

TEST(Allocation, IsTheSameTwice) {
  CheckProperty("determinism", 300, [](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    Require(CheckDeterminism(kernel, CapacityOf(c, kernel), Trn2(), Oracle()));
  });
}

TEST(RandomKernels, AreReadBackAsTheyWereWritten) {
  Shares shares;
  CheckProperty("round trip", 500, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode({.fixed_tensors = true});
    Require(CheckRoundTrip(kernel));
    shares.Case();
    shares.Count("loops", FeaturesOf(kernel).loops);
  });
  shares.AtLeast("loops", 60);
}

TEST(AllocatedKernels, AreReadBackAsTheyWereWritten) {
  CheckProperty("allocated round trip", 300, [](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    SbufOptions options;
    options.capacity = CapacityOf(c, kernel);
    const Result<SbufAllocation> allocation = AllocateSbuf(kernel, Trn2(), Oracle(), options);
    RC_ASSERT(allocation.has_value());
    Require(CheckRoundTrip(WithPlacement(allocation->kernel, allocation->placement)));
  });
}

TEST(KernelChoices, AnyBytesDecode) {
  CheckProperty("bytes", 500, [] {
    const std::vector<std::uint8_t> bytes = *AnyBytes(200);
    const std::vector<Choice> choices = ChoicesOf(bytes);
    RC_ASSERT(choices.size() == (bytes.size() + kChoiceBytes - 1) / kChoiceBytes);
    RC_ASSERT(ChoicesOf(BytesOf(choices)) == choices);
    RC_ASSERT(DecodeKernel(bytes) == DecodeKernel(bytes));
    Require(CheckRoundTrip(DecodeKernel(bytes)));
  });
}

TEST(KernelChoices, FromASeedAreTheSameOnEveryMachine) {
  EXPECT_EQ(ChoiceBytesFromSeed(3, 2), ChoiceBytesFromSeed(3, 2));
  EXPECT_NE(ChoiceBytesFromSeed(3, 2), ChoiceBytesFromSeed(5, 2));
  const std::vector<std::uint8_t> zeros(2 * kChoiceBytes, 0);
  EXPECT_EQ(ShowChoices(zeros), "{0, 0, 0, 0, 0, 0, 0, 0,\n 0, 0, 0, 0, 0, 0, 0, 0}");
}

}  // namespace
}  // namespace spillway
