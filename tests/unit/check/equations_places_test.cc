// Places that hold a value as long as it is wanted, and places that don't.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/check/spill_pair.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EquationPlaces, AValueThatLivesAcrossTheBackEdgeIsDestroyedInTheLoop) {
  for (const std::int64_t trips : {1, 2}) {
    SpillPair s;
    const auto t = s.Sbuf("t", 0);
    const auto u = s.Sbuf("u", 0);
    s.Write(t);
    s.Open(trips);
    s.Read(t);
    s.Write(u);
    s.Close();
    EXPECT_EQ(s.Found().size(), trips - 1u) << trips;
  }
}

// The inner loop ends before the write, the outer one doesn't.
TEST(EquationPlaces, AValueLivesThroughTheOutermostLoopThatExcludesItsDefinition) {
  SpillPair s;
  const auto t = s.Sbuf("t", 0);
  const auto u = s.Sbuf("u", 0);
  s.Write(t);
  s.Open(2);
  s.Open(2);
  s.Read(t);
  s.Close();
  s.Write(u);
  s.Close();
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kOverlap));
}

TEST(EquationPlaces, AWriteThatNobodyReadsStillDestroys) {
  SpillPair s;
  const auto t = s.Sbuf("t", 0);
  const auto dead = s.Sbuf("dead", 2);
  s.Write(t);
  s.Write(dead);
  s.Read(t);
  const CheckResult result = s.Result();
  ASSERT_EQ(result.violations.size(), 1u);
  EXPECT_THAT(result.violations.front().tensors, ElementsAre("t", "dead"));
  EXPECT_EQ(result.violations.front().range, Range(2, 4));
}

TEST(EquationPlaces, AnAccumulationReadsWhatItAddsTo) {
  SpillPair s;
  const auto p = s.Add(Space::kPsum, "p", 128, 4, {Place(0, 0)});
  const auto q = s.Add(Space::kPsum, "q", 128, 4, {Place(0, 0)});
  s.Write(p);
  s.Write(q);
  s.original.Accumulate(p.original);
  s.allocated.Accumulate(p.allocated);
  s.Read(p);
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kOverlap));
}

// Where the predicate fails, the old value is what is read: it lies elsewhere.
TEST(EquationPlaces, ADefinitionUnderAPredicateIsNoWholeDefinition) {
  SpillPair s;
  const auto t = s.Sbuf("t", 0);
  const TensorId renamed = s.Copy("t_2", 8);
  s.Write(t);
  const LoopId i = s.Open(2);
  s.Write(t.original, renamed, {}, {AtLeastZero(Times(i, 1, -1))});
  s.Read(t.original, renamed);
  s.Close();
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kWrongValue));
}

TEST(EquationPlaces, ADefinitionOfAPartIsNoWholeDefinition) {
  SpillPair s;
  const auto t = s.Sbuf("t", 0);
  const TensorId renamed = s.Copy("t_2", 8);
  s.Write(t);
  s.Write(t.original, renamed, {.partitions = 64});
  s.Read(t.original, renamed);
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kWrongValue));
}

TEST(EquationPlaces, ATensorMayMoveWhenAllOfItIsWrittenAgain) {
  SpillPair s;
  const auto t = s.Sbuf("t", 0);
  const TensorId renamed = s.Copy("t_2", 8);
  s.Write(t);
  s.Read(t);
  s.Write(t.original, renamed, {.partitions = 64});
  s.Write(t.original, renamed, {.partition = 64, .partitions = 64});
  s.Read(t.original, renamed);
  EXPECT_THAT(s.Found(), IsEmpty());
}

// The loop may run no times, and then nobody has written the place that is read.
TEST(EquationPlaces, ALoopThatMayRunNoTimesDefinesNothing) {
  for (const LoopKind kind : {LoopKind::kDynamic, LoopKind::kSequential}) {
    SpillPair s;
    const auto t = s.Sbuf("t", 0);
    const TensorId renamed = s.Copy("t_2", 8);
    s.Write(t);
    s.Open(2, kind);
    s.Write(t.original, renamed);
    s.Close();
    s.Read(t.original, renamed);
    EXPECT_EQ(s.Found().size(), kind == LoopKind::kDynamic ? 1 : 0);
  }
}

// A dynamic loop may end after the iteration that leaves the value in the other buffer.
TEST(EquationPlaces, ADynamicLoopMayEndAfterAnyIteration) {
  for (const LoopKind kind : {LoopKind::kDynamic, LoopKind::kSequential}) {
    SpillPair s;
    const auto t = s.Sbuf("t", 0);
    const TensorId renamed = s.Copy("t_2", 8);
    s.Write(t);
    const LoopId i = s.Open(3, kind);
    s.Move(t.allocated, renamed).when = {AtLeastZero(Times(i, 1, -2))};
    s.Close();
    s.Read(t.original, renamed);
    EXPECT_EQ(s.Found().size(), kind == LoopKind::kDynamic ? 1 : 0);
  }
}

//   partition 0 ...33    32 ...63
//   t         ########...#
//   u                    ######    one partition in common
TEST(EquationPlaces, TensorsThatShareTheirLastPartitionAreFound) {
  for (const std::int64_t height : {32, 33}) {
    SpillPair s;
    const auto t = s.Sbuf("t", 0, height);
    const auto u = s.Add(Space::kSbuf, "u", 32, 4, {Place(32, 0)});
    s.Write(t);
    s.Write(u);
    s.Read(t);
    EXPECT_EQ(s.Found().size(), height == 33 ? 1 : 0);
  }
}

TEST(EquationPlaces, ARingAsDeepAsItsUsesKeepsItsValues) {
  for (const std::int64_t depth : {2, 3}) {
    SpillPair s;
    std::vector<Address> at;
    // One buffer too few for three blocks of which two are wanted an iteration later.
    for (std::int64_t b = 0; b < 3; ++b) at.push_back(Place(0, 8 * (b % depth)));
    const auto ring = s.Add(Space::kSbuf, "ring", 128, 4, at, {3});
    const LoopId i = s.Open(1'000'000);
    s.Write(ring, {.block = {Modulo(Times(i, 1), 3)}});
    s.Read(ring, {.block = {Modulo(Times(i, 1, 1), 3)}}, {AtLeastZero(Times(i, 1, -2))});
    s.Close();
    const CheckResult result = s.Result();
    EXPECT_GT(result.checked, 0);
    EXPECT_EQ(result.violations.size(), depth == 2 ? 1 : 0);
  }
}

// Only the first of very many iterations destroys what the last one needs.
TEST(EquationPlaces, OneIterationOfManyIsNotOverlooked) {
  SpillPair s;
  const auto t = s.Sbuf("t", 0);
  const auto u = s.Sbuf("u", 0);
  s.Write(t);
  const LoopId i = s.Open(1'000'000);
  s.Read(t);
  s.Write(u, {}, {AtLeastZero(Times(i, -1, 7)), AtLeastZero(Times(i, 1, -7))});
  s.Close();
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kOverlap));
}

TEST(EquationPlaces, ColumnsThatALoopOfTheirOwnWritesAreOneDefinition) {
  for (const std::int64_t trips : {4, 3}) {
    SpillPair s;
    const auto t = s.Sbuf("t", 0);
    const TensorId renamed = s.Copy("t_2", 8);
    s.Write(t);
    const LoopId i = s.Open(trips);
    s.Write(t.original, renamed, {.offset = Times(i, 1), .count = 1});
    s.Close();
    s.Read(t.original, renamed);
    EXPECT_EQ(s.Found().size(), trips == 3 ? 1 : 0);
  }
}

/// `part` of `tensor` at offsets that come at run time.
Operand Indirect(const TestKernel& k, TensorId tensor) {
  Operand operand = k.At(tensor);
  operand.indirect = "offsets";
  return operand;
}

TEST(EquationPlaces, AnIndirectWriteMayLeaveAnyByteAlone) {
  for (const bool moved : {false, true}) {
    SpillPair s;
    const auto t = s.Sbuf("t", 0);
    const TensorId place = moved ? s.Copy("t_2", 8) : t.allocated;
    s.Write(t);
    s.original.Op({Indirect(s.original, t.original)}, {}, "scatter");
    s.allocated.Op({Indirect(s.allocated, place)}, {}, "scatter");
    s.Read(t.original, place);
    EXPECT_EQ(s.Found().size(), moved ? 1 : 0);
  }
}

TEST(EquationPlaces, AnIndirectWriteMayDestroyAnyByteOfAnother) {
  SpillPair s;
  const auto t = s.Sbuf("t", 0);
  const auto u = s.Sbuf("u", 2);
  s.Write(t);
  s.original.Op({Indirect(s.original, u.original)}, {}, "scatter");
  s.allocated.Op({Indirect(s.allocated, u.allocated)}, {}, "scatter");
  s.Read(t);
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kOverlap));
}

// An output in SBUF is read by whoever called.
TEST(EquationPlaces, OutputsAreWantedAtTheEnd) {
  SpillPair s;
  const auto t = s.Sbuf("t", 0);
  const auto u = s.Sbuf("u", 0);
  s.original.tensor(t.original).role = Role::kOutput;
  s.Write(t);
  s.Write(u);
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kOverlap));
}

TEST(EquationPlaces, LoopsKeepTheirBounds) {
  SpillPair s;
  const auto t = s.Sbuf("t", 0);
  s.original.Open(2);
  s.allocated.Open(3);
  s.Write(t);
  s.Close();
  const CheckResult result = s.Result();
  ASSERT_EQ(result.violations.size(), 1u);
  EXPECT_EQ(result.violations.front().text, "loop l0 has other bounds in the allocated function");
}

}  // namespace
}  // namespace spillway
