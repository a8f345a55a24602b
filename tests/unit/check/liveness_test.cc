#include "model/alloc/check/liveness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/check/test_kernel.h"

namespace spillway::check {
namespace {

using ::testing::ElementsAre;

std::vector<Interval<PointId>> LifeOf(const TestKernel& kernel, TensorId id) {
  const std::vector<BlockLife> lives = LivesOf(kernel.Linear(), id);
  EXPECT_EQ(lives.size(), 1u);
  return lives.empty() ? std::vector<Interval<PointId>>() : lives.front().stretches;
}

TEST(Liveness, RunsFromTheWriteToTheLastReadWithBothEnds) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Write(other);
  k.Write(t);
  k.Read(other);
  k.Read(t);
  k.Read(other);
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(1, 4)));
}

//   0 write  1 read  2 (nothing)  3 write  4 read
//   #########                     ########
TEST(Liveness, ATensorWrittenAgainAfterItsLastReadHasTwoStretches) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Write(t);
  k.Read(t);
  k.Write(other);
  k.Write(t);
  k.Read(t);
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 2), Points(3, 5)));
}

TEST(Liveness, APartialRewriteKeepsTheTensorAlive) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Write(t);
  k.Read(t);
  k.Write(other);
  k.Write(t, {.offset = 0, .count = 7});
  k.Read(t);
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 5)));
}

TEST(Liveness, PartialRewritesThatCoverEverythingTogetherEndTheOldValue) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Write(t);
  k.Read(t);
  k.Write(other);
  k.Write(t, {.offset = 0, .count = 5});
  k.Write(t, {.offset = 5, .count = 3, .partitions = 64});
  k.Write(t, {.offset = 5, .count = 3, .partition = 64, .partitions = 64});
  k.Read(t);
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 2), Points(3, 7)));
}

TEST(Liveness, APredicatedRewriteKeepsTheTensorAlive) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const LoopId i = k.Open(4);                        // 0
  k.Write(t);                                        // 1
  k.Read(t);                                         // 2
  k.Write(t).when = {AtLeastZero(Times(i, 1, -1))};  // 3
  k.Read(t);                                         // 4
  k.Close();                                         // 5
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(1, 5)));
}

TEST(Liveness, AWriteThatNobodyReadsStillTakesItsPoint) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Write(other);
  k.Write(t);
  k.Read(other);
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(1, 2)));
}

TEST(Liveness, BytesThatNothingWroteDoNotReachBackToTheStart) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Write(other);
  k.Write(t, {.offset = 0, .count = 4});
  k.Read(t);
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(1, 3)));
}

TEST(Liveness, AnAccumulatorLivesThroughItsWholeGroup) {
  TestKernel k;
  const TensorId t = k.Psum("t", 128, 8);
  k.Write(t);
  k.Accumulate(t);
  k.Accumulate(t);
  k.Read(t);
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 4)));
}

//   header . read . write . terminator
//   ############    ##################     dead between the read and the next write
TEST(Liveness, AValueFromThePreviousIterationCrossesTheBackEdge) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Write(t);      // 0
  k.Open(3);       // 1
  k.Write(other);  // 2
  k.Read(t);       // 3
  k.Write(other);  // 4
  k.Write(t);      // 5
  k.Write(other);  // 6
  k.Close();       // 7
  k.Write(other);  // 8
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 4), Points(5, 8)));
}

TEST(Liveness, AValueDefinedInsideAnIterationDoesNotCrossTheBackEdge) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Open(3);       // 0
  k.Write(other);  // 1
  k.Write(t);      // 2
  k.Read(t);       // 3
  k.Write(other);  // 4
  k.Close();       // 5
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(2, 4)));
}

TEST(Liveness, AValueFromBeforeALoopLivesToItsTerminator) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Write(t);      // 0
  k.Open(3);       // 1
  k.Read(t);       // 2
  k.Open(2);       // 3
  k.Write(other);  // 4
  k.Close();       // 5
  k.Close();       // 6
  k.Write(other);  // 7
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 7)));
}

TEST(Liveness, AValueFromBeforeALoopThatRunsOnceEndsAtItsRead) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Write(t);      // 0
  k.Open(1);       // 1
  k.Read(t);       // 2
  k.Write(other);  // 3
  k.Close();       // 4
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 3)));
}

TEST(Liveness, AFullDefinitionInALoopUsedAfterItStartsAtTheDefinition) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Open(3);       // 0
  k.Write(other);  // 1
  k.Write(t);      // 2
  k.Close();       // 3
  k.Read(t);       // 4
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(2, 5)));
}

TEST(Liveness, APredicatedDefinitionInALoopUsedAfterItStartsAtTheHeader) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  const LoopId i = k.Open(3);                        // 0
  k.Write(other);                                    // 1
  k.Write(t).when = {AtLeastZero(Times(i, 1, -1))};  // 2
  k.Close();                                         // 3
  k.Read(t);                                         // 4
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 5)));
}

TEST(Liveness, APartPerIterationUsedAfterTheLoopStartsAtTheOutermostHeader) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Write(other);              // 0
  const LoopId i = k.Open(2);  // 1
  const LoopId j = k.Open(4);  // 2
  AffineExpr place = Times(i, 4);
  place.terms.push_back({j, 1});
  k.Write(t, {.offset = place, .count = 1});  // 3
  k.Close();                                  // 4
  k.Close();                                  // 5
  k.Read(t);                                  // 6
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(1, 7)));
}

TEST(Liveness, PartsThatALoopWritesEndTheOldValueOnceTheyCoverIt) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Open(3);                                        // 0
  const LoopId i = k.Open(4);                       // 1
  k.Write(t, {.offset = Times(i, 2), .count = 2});  // 2
  k.Close();                                        // 3
  const LoopId j = k.Open(2);                       // 4
  k.Read(t, {.offset = Times(j, 4), .count = 4});   // 5
  k.Close();                                        // 6
  k.Write(other);                                   // 7
  k.Close();                                        // 8
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(1, 7)));
}

TEST(Liveness, PartsThatALoopLeavesOutKeepTheOldValueAcrossTheBackEdge) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Open(3);                                        // 0
  const LoopId i = k.Open(3);                       // 1
  k.Write(t, {.offset = Times(i, 2), .count = 2});  // 2
  k.Close();                                        // 3
  k.Read(t);                                        // 4
  k.Write(t, {.offset = 6, .count = 2});            // 5
  k.Write(other);                                   // 6
  k.Close();                                        // 7
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 8)));
}

TEST(Liveness, ALoopThatMayNotRunEndsNoValue) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Write(t);                     // 0
  k.Write(other);                 // 1
  k.Open(3, LoopKind::kDynamic);  // 2
  k.Write(t);                     // 3
  k.Close();                      // 4
  k.Read(t);                      // 5
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 6)));
}

TEST(Liveness, EqualPlacesOfOneIterationMatch) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  const LoopId i = k.Open(4);                         // 0
  k.Write(other);                                     // 1
  k.Write(t, {.offset = Times(i, 2), .count = 2});    // 2
  k.Read(t, {.offset = Times(i, 2, 1), .count = 1});  // 3
  k.Close();                                          // 4
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(2, 4)));
}

TEST(Liveness, PlacesOfDifferentIterationsDoNot) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 10);
  const TensorId other = k.Sbuf("other", 128, 8);
  const LoopId i = k.Open(4);                          // 0
  k.Write(other);                                      // 1
  k.Write(t, {.offset = Times(i, 2, 2), .count = 2});  // 2
  k.Read(t, {.offset = Times(i, 2), .count = 2});      // 3
  k.Close();                                           // 4
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 5)));
}

TEST(Liveness, AReadUnderTheSamePredicateSeesTheWriteOfItsIteration) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  const LoopId i = k.Open(4);  // 0
  const Predicate odd = AtLeastZero(Times(i, 1, -1));
  const Predicate late = AtLeastZero(Times(i, 1, -2));
  k.Write(other);                // 1
  k.Write(t).when = {odd};       // 2
  k.Read(t).when = {late, odd};  // 3
  k.Close();                     // 4
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(2, 4)));
}

Predicate Zero(AffineExpr expr) { return {std::move(expr), Comparison::kEqual}; }

// Every round opens the sum anew: nothing lives round the outer loop.
TEST(Liveness, ASumThatItsFirstTermOverwritesStartsAtItsLoop) {
  TestKernel k;
  const TensorId t = k.Psum("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Open(4);                                              // 0
  k.Write(other);                                         // 1
  const LoopId i = k.Open(3);                             // 2
  k.Write(t).when = {Zero(Times(i, 1))};                  // 3
  k.Accumulate(t).when = {AtLeastZero(Times(i, 1, -1))};  // 4
  k.Close();                                              // 5
  k.Read(t);                                              // 6
  k.Write(other);                                         // 7
  k.Close();                                              // 8
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(2, 7)));
}

AffineExpr Sum(AffineExpr a, const AffineExpr& b) {
  a.terms.insert(a.terms.end(), b.terms.begin(), b.terms.end());
  a.constant += b.constant;
  return Normalized(std::move(a));
}

TEST(Liveness, ASumOverTwoLoopsStartsAtTheOuterOfThem) {
  TestKernel k;
  const TensorId t = k.Psum("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Open(4);                    // 0
  k.Write(other);               // 1
  const LoopId i = k.Open(3);   // 2
  const LoopId j = k.Open(16);  // 3
  const AffineExpr term = Sum(Times(i, 16), Times(j, 1));
  k.Write(t).when = {Zero(term)};                       // 4
  k.Accumulate(t).when = {AtLeastZero(Sum(term, -1))};  // 5
  k.Close();                                            // 6
  k.Close();                                            // 7
  k.Read(t);                                            // 8
  k.Close();                                            // 9
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(2, 9)));
}

// The second round reads what the first one left.
TEST(Liveness, ASumThatItsFirstRoundAloneOverwritesLivesRoundTheLoop) {
  TestKernel k;
  const TensorId t = k.Psum("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  const LoopId i = k.Open(3);                             // 0
  k.Write(other);                                         // 1
  k.Write(t).when = {Zero(Times(i, 1))};                  // 2
  k.Accumulate(t).when = {AtLeastZero(Times(i, 1, -1))};  // 3
  k.Write(other);                                         // 4
  k.Close();                                              // 5
  k.Read(t);                                              // 6
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 7)));
}

TEST(Liveness, BlocksThatConstantsNameLiveApart) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8, {2, 2});
  k.Write(t, {.block = {0, 1}});
  k.Write(t, {.block = {1, 0}});
  k.Read(t, {.block = {0, 1}});
  k.Read(t, {.block = {1, 0}});
  const std::vector<BlockLife> lives = LivesOf(k.Linear(), t);
  ASSERT_EQ(lives.size(), 2u);
  EXPECT_THAT(lives[0].blocks, ElementsAre(1));
  EXPECT_THAT(lives[0].stretches, ElementsAre(Points(0, 3)));
  EXPECT_THAT(lives[1].blocks, ElementsAre(2));
  EXPECT_THAT(lives[1].stretches, ElementsAre(Points(1, 4)));
}

TEST(Liveness, BlocksThatLoopsNameLiveTogether) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8, {2});
  const TensorId other = k.Sbuf("other", 128, 8);
  const LoopId i = k.Open(4);                       // 0
  k.Write(other);                                   // 1
  k.Write(t, {.block = {Modulo(Times(i, 1), 2)}});  // 2
  k.Read(t, {.block = {Modulo(Times(i, 1), 2)}});   // 3
  k.Close();                                        // 4
  const std::vector<BlockLife> lives = LivesOf(k.Linear(), t);
  ASSERT_EQ(lives.size(), 1u);
  EXPECT_THAT(lives[0].blocks, ElementsAre(0, 1));
  EXPECT_THAT(lives[0].stretches, ElementsAre(Points(2, 4)));
}

// Two groups of tiles that take turns: loops choose the tile, the program text the group.
TEST(Liveness, BlocksLiveApartWhereNoAccessMayTouchBoth) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8, {2, 3});
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Open(4);                                      // 0
  for (const std::int64_t group : {0, 1}) {       //    both groups
    const LoopId i = k.Open(3);                   // 1,  7
    k.Write(t, {.block = {group, Times(i, 1)}});  // 2,  8
    k.Read(t, {.block = {group, Times(i, 1)}});   // 3,  9
    k.Close();                                    // 4, 10
    k.Write(other);                               // 5, 11
    k.Write(other);                               // 6, 12
  }
  k.Close();  // 13
  const std::vector<BlockLife> lives = LivesOf(k.Linear(), t);
  ASSERT_EQ(lives.size(), 2u);
  EXPECT_THAT(lives[0].blocks, ElementsAre(0, 1, 2));
  EXPECT_THAT(lives[0].stretches, ElementsAre(Points(2, 4)));
  EXPECT_THAT(lives[1].blocks, ElementsAre(3, 4, 5));
  EXPECT_THAT(lives[1].stretches, ElementsAre(Points(8, 10)));
}

TEST(Liveness, AnIndirectReadMaySeeEverythingAndAnIndirectWriteEndsNothing) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.Write(t);                                                                    // 0
  k.Write(other);                                                                // 1
  k.Write(t).outputs.front().operands.front().indirect = "offsets";              // 2
  k.Write(other);                                                                // 3
  k.Read(t, {.count = 1}).inputs.front().operands.front().indirect = "offsets";  // 4
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 5)));
}

TEST(Liveness, AnInputLivesFromTheStartAndAnOutputToTheEnd) {
  TestKernel k;
  const TensorId in = k.Sbuf("in", 128, 8);
  const TensorId out = k.Sbuf("out", 128, 8);
  const TensorId other = k.Sbuf("other", 128, 8);
  k.tensor(in).role = Role::kConstant;
  k.tensor(out).role = Role::kOutput;
  k.Write(other);  // 0
  k.Read(in);      // 1
  k.Write(out);    // 2
  k.Write(other);  // 3
  EXPECT_THAT(LifeOf(k, in), ElementsAre(Points(0, 2)));
  EXPECT_THAT(LifeOf(k, out), ElementsAre(Points(2, 4)));
}

//   for i in [0, 4):  1 write t[i mod 2]  2 read some byte of t[i mod 2]  3 (nothing)
TEST(Liveness, ABlockThatIsWrittenWholeEndsReadsOfItAtAnyOffset) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 32, 8, {2});
  const TensorId other = k.Sbuf("other", 32, 8);
  const LoopId i = k.Open(4);
  const AffineExpr block = Modulo(Times(i, 1), 2);
  k.Write(t, {.block = {block}});
  k.Read(t, {.offset = Times(i, 2), .count = 2, .block = {block}});
  k.Write(other);
  k.Close();
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(1, 3)));
}

TEST(Liveness, ABlockThatIsWrittenButForOneByteDoesNotEndReadsAtAnyOffset) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 32, 8, {2});
  const TensorId other = k.Sbuf("other", 32, 8);
  const LoopId both = k.Open(2);
  k.Write(t, {.block = {Times(both, 1)}});
  k.Close();
  const LoopId i = k.Open(4);
  const AffineExpr block = Modulo(Times(i, 1), 2);
  k.Write(t, {.offset = 0, .count = 7, .block = {block}});
  k.Read(t, {.offset = Times(i, 2), .count = 2, .block = {block}});
  k.Write(other);
  k.Close();
  EXPECT_THAT(LifeOf(k, t), ElementsAre(Points(0, 8)));
}

}  // namespace
}  // namespace spillway::check
