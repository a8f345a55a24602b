// Known-bad allocations in loops and under predicates: what must hold on every path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/check/spilled_kernel.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct InLoop : SpilledKernel {
  TensorId t = Program("t", 64, 8);
  TensorId u = Program("u", 64, 8);
  TensorId t0 = Sbuf("t0", 64, 8, Place(0, 0));
  TensorId u0 = Sbuf("u0", 64, 8, Place(0, 0));
  TensorId t1 = Sbuf("t1", 64, 8, Place(0, 8));
  TensorId home = Home("t_home", 512, 0);

  void DefineAndSave() {
    Write(t, t0);
    Save(t0, home);
  }
};

// The reload stands on the path through the loop alone.
TEST(DataflowPaths, WhatOneOfTwoPathsHoldsIsNotHeldAfterThem) {
  for (const LoopKind kind : {LoopKind::kDynamic, LoopKind::kSequential}) {
    InLoop k;
    k.DefineAndSave();
    k.Open(2, kind);
    k.Reload(k.t1, k.home);
    k.Read(k.t, k.t1);
    k.Close();
    k.Read(k.t, k.t1);
    if (kind == LoopKind::kDynamic) {
      EXPECT_THAT(k.Causes(), ElementsAre("lost save"));
    } else {
      EXPECT_THAT(k.Causes(), IsEmpty());
    }
  }
}

TEST(DataflowPaths, AValueThatBothPathsHoldInOnePlaceIsHeldThere) {
  InLoop k;
  k.DefineAndSave();
  k.Reload(k.t1, k.home);
  k.Open(5, LoopKind::kDynamic);
  k.Write(k.u, k.u0);
  k.Reload(k.t1, k.home);
  k.Close();
  k.Read(k.t, k.t1);
  EXPECT_THAT(k.Causes(), IsEmpty());
}

TEST(DataflowPaths, ADefinitionInALoopThatMayNotRunIsNoCertainOne) {
  InLoop k;
  k.DefineAndSave();
  k.Open(3, LoopKind::kDynamic);
  k.Write(k.t, k.t1);
  k.Close();
  k.Read(k.t, k.t1);
  EXPECT_EQ(k.Causes().size(), 1u);
}

TEST(DataflowPaths, ALoopWithoutIterationsDefinesNothing) {
  InLoop k;
  k.DefineAndSave();
  k.Open(0);
  k.Reload(k.t1, k.home);
  k.Close();
  k.Read(k.t, k.t1);
  EXPECT_EQ(k.Causes().size(), 1u);
}

// The first iteration finds what was reloaded before the loop; the second finds u.
TEST(DataflowPaths, AClobberAtTheEndOfABodyReachesItsStart) {
  for (const std::int64_t trips : {1, 2, 100}) {
    InLoop k;
    k.DefineAndSave();
    k.Reload(k.t0, k.home);
    k.Open(trips);
    k.Read(k.t, k.t0);
    k.Write(k.u, k.u0);
    k.Close();
    if (trips == 1) {
      EXPECT_THAT(k.Causes(), IsEmpty());
    } else {
      EXPECT_THAT(k.Causes(), ElementsAre("clobbered"));
    }
  }
}

TEST(DataflowPaths, AReloadAtTheLoopsEntryServesItsEveryIteration) {
  InLoop k;
  k.DefineAndSave();
  k.Open(100);
  k.Reload(k.t0, k.home);
  k.Read(k.t, k.t0);
  k.Write(k.u, k.u0);
  k.Close();
  EXPECT_THAT(k.Causes(), IsEmpty());
}

// A copy that stays over the back edge doesn't see what the iteration saved.
TEST(DataflowPaths, AReloadRemovedAcrossABackEdgeIsStaleInTheSecondIteration) {
  for (const std::int64_t trips : {1, 2}) {
    InLoop k;
    k.DefineAndSave();
    k.Reload(k.t1, k.home);
    k.Open(trips);
    k.Read(k.t, k.t1);
    k.Write(k.t, k.t0);
    k.Save(k.t0, k.home);
    k.Close();
    if (trips == 1) {
      EXPECT_THAT(k.Causes(), IsEmpty());
    } else {
      EXPECT_THAT(k.Causes(), ElementsAre("stale reload"));
    }
  }
}

TEST(DataflowPaths, AValueCarriedThroughANestOutlivesTheInnerLoop) {
  for (const bool clobbers : {false, true}) {
    InLoop k;
    k.Write(k.t, k.t0);
    k.Open(2);
    k.Open(2);
    k.Read(k.t, k.t0);
    k.Close();
    k.Write(k.u, clobbers ? k.u0 : k.t1);
    k.Close();
    EXPECT_EQ(k.Causes().size(), clobbers ? 1u : 0u);
  }
}

TEST(DataflowPaths, SpillCodeUnderThePredicatesOfItsUseIsEnough) {
  InLoop k;
  const LoopId i = k.Open(4);
  const std::vector<Predicate> late = {AtLeastZero(Times(i, 1, -2))};
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  k.Write(k.t, k.t1, {}, late);
  k.Save(k.t1, k.home).when = late;
  k.Reload(k.t1, k.home).when = late;
  k.Read(k.t, k.t1, {}, late);
  k.Close();
  EXPECT_THAT(k.Causes(), IsEmpty());
}

TEST(DataflowPaths, AReloadUnderAPredicateServesNoUseWithoutIt) {
  InLoop k;
  k.DefineAndSave();
  const LoopId i = k.Open(4);
  k.Reload(k.t1, k.home).when = {AtLeastZero(Times(i, 1, -1))};
  k.Read(k.t, k.t1);
  k.Write(k.u, k.t1);
  k.Close();
  EXPECT_EQ(k.Causes().size(), 1u);
}

TEST(DataflowPaths, ASaveWithoutThePredicateOfItsDefinitionSavesTheWrongValue) {
  for (const bool inherits : {true, false}) {
    InLoop k;
    k.DefineAndSave();
    k.Write(k.u, k.t1);
    const LoopId i = k.Open(4);
    const std::vector<Predicate> late = {AtLeastZero(Times(i, 1, -2))};
    k.Write(k.t, k.t1, {}, late);
    Instruction& save = k.Save(k.t1, k.home);
    if (inherits) save.when = late;
    k.Reload(k.t0, k.home);
    k.Read(k.t, k.t0);
    k.Close();
    EXPECT_EQ(k.Causes().size(), inherits ? 0u : 1u);
  }
}

TEST(DataflowPaths, APredicatedDefinitionKeepsTheOldValueNeeded) {
  for (const bool reloads : {true, false}) {
    InLoop k;
    k.DefineAndSave();
    const LoopId i = k.Open(4);
    if (reloads) k.Reload(k.t1, k.home);
    k.Write(k.t, k.t1, {}, {AtLeastZero(Times(i, 1, -2))});
    k.Save(k.t1, k.home).when = {AtLeastZero(Times(i, 1, -2))};
    k.Read(k.t, k.t1);
    k.Close();
    EXPECT_EQ(k.Causes().size(), reloads ? 0u : 1u);
  }
}

// Column by column into the home, then all of it at once.
TEST(DataflowPaths, ColumnsSavedOneByOneMakeAWholeHome) {
  for (const std::int64_t saved : {2, 1}) {
    InLoop k;
    const LoopId i = k.Open(4);
    k.Write(k.t, k.t1, {.offset = Times(i, 2), .count = 2});
    k.Save(k.t1, k.home, {.offset = Times(i, 2), .count = saved});
    k.Close();
    k.Reload(k.t0, k.home);
    k.Read(k.t, k.t0);
    const std::vector<Violation> violations = k.Check().violations;
    ASSERT_EQ(violations.size(), saved == 2 ? 0u : 1u);
    if (saved == 2) continue;
    EXPECT_EQ(violations[0].range, Range(1, 2));
  }
}

TEST(DataflowPaths, RotatingBlocksAreToldApartByTheirIndex) {
  for (const std::int64_t distance : {8, 4}) {
    InLoop k;
    const TensorId ring = k.Program("ring", 64, 8, {2});
    const TensorId ring0 = k.function.Sbuf("ring0", 64, 8, {2});
    k.placement.addresses.push_back({Place(64, 0), Place(64, distance)});
    k.Write(ring, ring0, {.block = {1}});
    const LoopId i = k.Open(6);
    k.Write(ring, ring0, {.block = {Modulo(Times(i, 1), 2)}});
    k.Read(ring, ring0, {.block = {Modulo(Times(i, 1, 1), 2)}});
    k.Close();
    if (distance == 8) {
      EXPECT_THAT(k.Causes(), IsEmpty());
    } else {
      EXPECT_THAT(k.Causes(), ElementsAre("wrong bytes"));
      EXPECT_THAT(k.Check().violations[0].text, HasSubstr("ring block"));
    }
  }
}

// It once found "bytes that nothing wrote before": both loops that write are over, and their last
// iterations touch other blocks.
TEST(DataflowPaths, AHalfThatAnotherBlockTookInALoopThatIsOverIsNoUnwrittenOne) {
  InLoop k;
  const TensorId ring = k.Program("ring", 64, 8, {3});
  const TensorId ring0 = k.function.Sbuf("ring0", 64, 8, {3});
  k.placement.addresses.push_back({Place(64, 0), Place(64, 4), Place(64, 16)});
  const LoopId fill = k.Open(3);
  k.Write(ring, ring0, {.block = {Times(fill, 1)}});
  k.Close();
  const LoopId drain = k.Open(3);
  k.Read(ring, ring0, {.block = {Times(drain, 1)}});
  k.Close();
  const std::vector<Violation> violations = k.Check().violations;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].kind, Kind::kWrongValue);
  EXPECT_EQ(violations[0].range, Range(4, 8));
  EXPECT_THAT(violations[0].text,
              HasSubstr("of ring block 0 in ring0 (partition 64, sbuf byte 4), expected its value, "
                        "found other bytes of ring block 1, written by tensor_copy at point 1"));
}

// What wrote in another iteration of the reader's own loop counts, too, and so does a loop that is
// over in that iteration.
TEST(DataflowPaths, AClobberOfAnEarlierIterationIsNamedWithItsWriter) {
  InLoop k;
  k.Write(k.t, k.t0);
  const LoopId outer = k.Open(3);
  k.Read(k.t, k.t0, {}, {{Times(outer, 1, -2), Comparison::kEqual}});
  const LoopId inner = k.Open(4);
  AffineExpr first = Times(outer, 1);
  first.terms.push_back({inner, 1});
  k.Write(k.u, k.u0, {}, {{first, Comparison::kEqual}});
  k.Close();
  k.Close();
  const std::vector<Violation> violations = k.Check().violations;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_THAT(violations[0].text, HasSubstr("found u, written by tensor_copy at point 4"));
}

TEST(DataflowPaths, AClobberTooManyIterationsAgoIsNamedByWhatLiesThere) {
  InLoop k;
  k.Write(k.t, k.t0);
  const LoopId i = k.Open(1'000'000'000);
  k.Write(k.u, k.u0, {}, {{Times(i, 1), Comparison::kEqual}});
  k.Close();
  k.Read(k.t, k.t0);
  const std::vector<Violation> violations = k.Check().violations;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].kind, Kind::kWrongValue);
  EXPECT_THAT(violations[0].text, ::testing::EndsWith("expected its value, found u"));
}

// A long loop in which the index matters to the caller's memory alone settles at once.
TEST(DataflowPaths, LongLoopsAreFollowedUntilNothingChanges) {
  InLoop k;
  k.DefineAndSave();
  k.Open(1'000'000'000);
  k.Open(1'000'000'000, LoopKind::kDynamic);
  k.Reload(k.t0, k.home);
  k.Read(k.t, k.t0);
  k.Write(k.u, k.u0);
  k.Close();
  k.Close();
  EXPECT_THAT(k.Causes(), IsEmpty());
}

// Each iteration reads the block of the one before it.
TEST(DataflowPaths, LongLoopsOverRotatingBlocksSettleAfterAPeriod) {
  for (const std::int64_t third : {16, 0}) {
    InLoop k;
    const TensorId ring = k.Program("ring", 64, 8, {3});
    const TensorId ring0 = k.function.Sbuf("ring0", 64, 8, {3});
    k.placement.addresses.push_back({Place(64, 0), Place(64, 8), Place(64, third)});
    const LoopId i = k.Open(1'000'000'000);
    k.Write(ring, ring0, {.block = {Modulo(Times(i, 1), 3)}});
    k.Read(ring, ring0, {.block = {Modulo(Times(i, 1, 2), 3)}});
    k.Close();
    EXPECT_EQ(k.Causes().size(), third == 16 ? 0u : 1u);
  }
}

TEST(DataflowPaths, APredicateThatTurnsLateInALongLoopIsMet) {
  for (const std::int64_t turn : {600'000'000, 2'000'000'000}) {
    InLoop k;
    k.DefineAndSave();
    k.Reload(k.t1, k.home);
    const LoopId i = k.Open(1'000'000'000);
    k.Read(k.t, k.t1);
    k.Write(k.u, k.t1, {}, {AtLeastZero(Times(i, 1, -turn))});
    k.Close();
    EXPECT_EQ(k.Causes().size(), turn < 1'000'000'000 ? 1u : 0u);
  }
}

// A predicate on two loops may turn in any iteration.
TEST(DataflowPaths, ALoopTooLongToFollowIsNotProven) {
  InLoop k;
  const LoopId i = k.Open(1'000'000'000);
  const LoopId j = k.Open(2);
  AffineExpr both = Times(i, 1, -5);
  both.terms.push_back({j, 1});
  k.Write(k.t, k.t0, {}, {AtLeastZero(both)});
  k.Close();
  k.Close();
  const std::vector<Violation> violations = k.Check().violations;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_THAT(violations[0].text, HasSubstr("not proven"));
  EXPECT_EQ(violations[0].kind, Kind::kLimit);
}

}  // namespace
}  // namespace spillway
