// Allocations of two kernels, one made from the other.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/allocation_relations.h"
#include "properties/colouring_round.h"
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

/// Runs `relation` on random kernels at any tightness; `applies` and `spills` are shares in per
/// cent that the run must reach.
template <class Relation>
Shares CheckRelation(const std::string& name, int cases, int applies, int spills,
                     Relation relation) {
  Shares shares;
  CheckProperty(name, cases, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    const MemoryNeeds needs = NeedsOf(kernel, Trn2().sbuf_granule);
    const Bytes capacity = c.Between(needs.largest_working_set, needs.peak);
    const std::uint64_t seed = *rc::gen::resize(100, rc::gen::inRange<std::uint64_t>(0, 1 << 20));
    const RelationVerdict verdict = relation({kernel, capacity, Trn2(), Oracle(), seed});
    if (!verdict.faults.empty()) RC_FAIL(fmt::format("{}", fmt::join(verdict.faults, "\n")));
    shares.Case();
    shares.Count("applies", verdict.facts.applies);
    shares.Count("spilled", verdict.facts.spilled);
    shares.Count("cheaper", verdict.facts.cheaper);
    shares.Count("dearer", verdict.facts.dearer);
  });
  shares.AtLeast("applies", applies);
  shares.AtLeast("spilled", spills);
  return shares;
}

TEST(Relations, NamesDecideNothing) { CheckRelation("names", 600, 95, 40, CheckOtherNames); }

TEST(Relations, TheOrderOfDeclarationsKeepsItLegal) {
  Shares shares = CheckRelation("order", 400, 80, 40, CheckOtherOrder);
  // Ties go to the tensor that was declared first.
  shares.AtMost("dearer", 10);
}

TEST(Relations, ATensorThatNothingTouchesChangesNothing) {
  CheckRelation("unused", 400, 100, 40, CheckUnusedTensor);
}

TEST(Relations, ATileThatIsNeverReadKeepsItLegal) {
  CheckRelation("dead tile", 400, 100, 40, CheckDeadTile);
}

TEST(Relations, BytesThatFillNoGranuleChangeNothing) {
  CheckRelation("loose bytes", 400, 80, 40, CheckLooseBytes);
}

// Three tensors of a matmul's group that fill the memory but for their padding: they were taken to
// fit where bytes that fill no granule made up for it.
TEST(Relations, LooseBytesMakeNoRoomForAGroup) {
  const KernelCase c{ChoicesOf(std::vector<std::uint8_t>{
      0, 0, 0, 1, 79, 0, 0, 0, 0,  0, 0, 1, 0, 0, 0, 0, 11, 3, 0,  0, 0, 0, 0, 0,
      0, 0, 0, 1, 0,  0, 0, 0, 11, 1, 0, 0, 0, 0, 0, 0, 1,  0, 82, 0, 0, 0, 0, 0})};
  const Kernel kernel = c.Decode();
  const Bytes capacity = NeedsOf(kernel, Trn2().sbuf_granule).largest_working_set;
  EXPECT_THAT(CheckLooseBytes({kernel, capacity, Trn2(), Oracle(), 36}).faults,
              ::testing::IsEmpty());
}

TEST(Relations, NeighborsThatDoNotDependOnEachOtherMaySwap) {
  CheckRelation("neighbors", 400, 60, 40, CheckSwappedNeighbors);
}

TEST(Relations, AllSizesTimesAFactorAreAllPlacesTimesIt) {
  CheckRelation("scaled", 400, 100, 40, [](const RelationCase& c) {
    return CheckScaled(c, 2 + static_cast<std::int64_t>(c.seed % 3));
  });
}

TEST(Relations, APlacementUpsideDownIsLegal) {
  CheckRelation("mirrored", 400, 40, 40, CheckMirroredBytes);
}

TEST(Relations, EqualQuadrantsAreEqual) {
  CheckRelation("quadrants", 400, 50, 40, CheckSwappedQuadrants);
}

TEST(Relations, AKernelWithoutItsLoopsGivesItsOutputs) {
  CheckRelation("unrolled", 400, 50, 40, CheckUnrolled);
}

TEST(Relations, AFirstIterationInFrontOfItsLoopGivesTheSameOutputs) {
  CheckRelation("peeled", 400, 50, 40, CheckPeeled);
}

TEST(Relations, OneAllocationServesFewerTripsToo) {
  CheckRelation("trips", 600, 20, 40, CheckFewerTrips);
}

TEST(Relations, BackwardsTheSameTensorsLiveTogether) {
  CheckRelation("reversed", 600, 80, 0, CheckReversed);
}

TEST(Relations, WhatIsAllocatedStaysWhereItIs) {
  CheckRelation("again", 400, 90, 40, CheckAllocatedAgain);
}

TEST(Relations, MoreCapacityIsLegalAndSeldomCostsMore) {
  Shares shares = CheckRelation("capacity", 1000, 100, 40, [](const RelationCase& c) {
    return CheckMoreCapacity(c, Trn2().sbuf_granule * (1 + static_cast<std::int64_t>(c.seed % 4)));
  });
  // Not a law of a heuristic: one granule more may make it choose worse.
  shares.AtMost("dearer", 15);
  shares.AtLeast("cheaper", 10);
}

TEST(Relations, SlowerDmaChangesNoOutput) {
  Shares shares = CheckRelation("slow dma", 60, 90, 40, CheckSlowerDma);
  shares.AtLeast("dearer", 80);
}

}  // namespace
}  // namespace spillway
