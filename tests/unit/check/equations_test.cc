// Spill code that keeps values, and spill code that doesn't, each named after its cause.
#include "model/alloc/check/equations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/check/spill_pair.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// `t` at byte 0, its home at 0 in DRAM, and a copy of it at byte 8.
struct OneSpill : SpillPair {
  Both t = Sbuf("t", 0);
  Both other = Sbuf("other", 0);
  TensorId home = Home("t_home", 0);
  TensorId copy = Copy("t_copy", 8);
};

TEST(Equations, ASavedAndReloadedTensorIsWhatItsUseReads) {
  OneSpill s;
  s.Write(s.t);
  s.Move(s.t.allocated, s.home);
  s.Write(s.other);
  s.Read(s.other);
  s.Move(s.home, s.copy);
  s.Read(s.t.original, s.copy);
  const CheckResult result = s.Result();
  EXPECT_EQ(result.name, "equations");
  EXPECT_EQ(result.checked, 2);
  EXPECT_THAT(result.violations, IsEmpty());
}

TEST(Equations, AnUpdateWithoutASaveLeavesAStaleHome) {
  OneSpill s;
  s.Write(s.t);
  s.Move(s.t.allocated, s.home);
  s.Write(s.t, {.offset = 1, .count = 2});
  s.Move(s.home, s.copy);
  s.Read(s.t.original, s.copy);
  const CheckResult result = s.Result();
  ASSERT_EQ(result.violations.size(), 1u);
  const Violation& violation = result.violations.front();
  EXPECT_EQ(violation.kind, Kind::kWrongValue);
  EXPECT_THAT(violation.tensors, ElementsAre("t"));
  EXPECT_EQ(violation.range, Range(1, 3));
  EXPECT_EQ(violation.time, Points(2, 5));
  EXPECT_THAT(violation.text, HasSubstr("the definition at point 2 never comes"));
}

TEST(Equations, ASaveBeforeTheDefinitionSavesNothing) {
  OneSpill s;
  s.Move(s.t.allocated, s.home);
  s.Write(s.t);
  s.Move(s.home, s.copy);
  s.Read(s.t.original, s.copy);
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kWrongValue));
}

TEST(Equations, AReloadAfterTheUseComesTooLate) {
  OneSpill s;
  s.Write(s.t);
  s.Move(s.t.allocated, s.home);
  s.Read(s.t.original, s.copy);
  s.Move(s.home, s.copy);
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kWrongValue));
}

// Both iterations read the copy; the first one also destroys it.
TEST(Equations, AReloadBeforeALoopCoversItsFirstIterationAlone) {
  OneSpill s;
  const auto over = s.Sbuf("over", 8);
  s.Write(s.t);
  s.Move(s.t.allocated, s.home);
  s.Move(s.home, s.copy);
  s.Open(2);
  s.Read(s.t.original, s.copy);
  s.Write(over);
  s.Close();
  const CheckResult result = s.Result();
  ASSERT_EQ(result.violations.size(), 1u);
  EXPECT_EQ(result.violations.front().kind, Kind::kOverlap);
  EXPECT_THAT(result.violations.front().tensors, ElementsAre("t", "over"));
}

TEST(Equations, AReloadThatIsMissingAfterAClobberIsFound) {
  OneSpill s;
  const auto over = s.Sbuf("over", 8);
  s.Write(s.t);
  s.Move(s.t.allocated, s.home);
  s.Move(s.home, s.copy);
  s.Read(s.t.original, s.copy);
  s.Write(over);
  s.Read(s.t.original, s.copy);
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kOverlap));
}

// The value that the second iteration reads was updated at home, not in the copy.
TEST(Equations, ACopyKeptAcrossTheBackEdgeIsStale) {
  for (const std::int64_t trips : {1, 2}) {
    OneSpill s;
    s.Write(s.t);
    s.Move(s.t.allocated, s.home);
    s.Move(s.home, s.copy);
    s.Open(trips);
    s.Read(s.t.original, s.copy);
    s.Write(s.t);
    s.Move(s.t.allocated, s.home);
    s.Close();
    EXPECT_EQ(s.Found().size(), trips - 1u) << trips;
  }
}

TEST(Equations, HomesThatShareOneByteAreFound) {
  for (const std::int64_t byte : {511, 512}) {
    OneSpill s;
    const TensorId other_home = s.Home("other_home", byte);
    const TensorId other_copy = s.Copy("other_copy", 16);
    s.Write(s.t);
    s.Move(s.t.allocated, s.home);
    s.Write(s.other);
    s.Move(s.other.allocated, other_home);
    s.Move(s.home, s.copy);
    s.Move(other_home, other_copy);
    s.Read(s.t.original, s.copy);
    s.Read(s.other.original, other_copy);
    EXPECT_EQ(s.Found().size(), byte == 511 ? 1 : 0);
  }
}

TEST(Equations, AHomeThatIsReusedWhileAliveIsFound) {
  OneSpill s;
  const TensorId other_home = s.Home("other_home", 0);
  s.Write(s.t);
  s.Move(s.t.allocated, s.home);
  s.Write(s.other);
  s.Move(s.other.allocated, other_home);
  s.Move(s.home, s.copy);
  s.Read(s.t.original, s.copy);
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kOverlap));
}

TEST(Equations, AReloadFromTheHomeOfAnotherTensorIsFound) {
  OneSpill s;
  const TensorId other_home = s.Home("other_home", 512);
  s.Write(s.t);
  s.Move(s.t.allocated, s.home);
  s.Write(s.other);
  s.Move(s.other.allocated, other_home);
  s.Move(other_home, s.copy);
  s.Read(s.t.original, s.copy);
  // What t is wanted for lies where `other` is defined, so `other` is what destroys it.
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kOverlap));
}

/// Two bytes a partition from byte `offset` on, `row` bytes apart at home.
Operand AtHome(const SpillPair& s, TensorId home, std::int64_t offset, std::int64_t row) {
  Operand operand = s.allocated.At(home);
  operand.free_offset = offset;
  operand.free_dims = {{row, 128}, {1, 2}};
  return operand;
}

TEST(Equations, APartialReloadBringsTheBytesThatAreReadAndNoOthers) {
  struct Case {
    std::int64_t offset;
    std::int64_t row;
    std::size_t faults;
  };
  for (const Case& c : {Case{1, 4, 0}, Case{2, 4, 1}, Case{1, 2, 1}}) {
    OneSpill s;
    s.Write(s.t);
    s.Move(s.t.allocated, s.home);
    const Part middle{.offset = 1, .count = 2};
    s.Move(AtHome(s, s.home, c.offset, c.row), s.allocated.At(s.copy, middle));
    s.Read(s.t.original, s.copy, middle);
    EXPECT_EQ(s.Found().size(), c.faults) << c.offset << " " << c.row;
  }
}

TEST(Equations, APartialReloadDoesNotBringTheRest) {
  OneSpill s;
  s.Write(s.t);
  s.Move(s.t.allocated, s.home);
  s.Move(AtHome(s, s.home, 1, 4), s.allocated.At(s.copy, {.offset = 1, .count = 2}));
  s.Read(s.t.original, s.copy);
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kWrongValue));
}

TEST(Equations, ASaveThatLostItsPredicateDestroysTheHome) {
  for (const bool guarded : {true, false}) {
    OneSpill s;
    s.Write(s.t);
    s.Move(s.t.allocated, s.home);
    const LoopId i = s.Open(3);
    const std::vector<Predicate> first = {AtLeastZero(Times(i, -1))};
    s.Write(s.t.original, s.copy, {}, first);
    Instruction& save = s.Move(s.copy, s.home);
    if (guarded) save.when = first;
    const TensorId over = s.Sbuf("over", 8).allocated;
    s.Write(TensorId(s.original.kernel().tensors.size() - 1), over);
    s.Close();
    s.Move(s.home, s.t.allocated);
    s.Read(s.t);
    EXPECT_EQ(s.Found().size(), guarded ? 0 : 1);
  }
}

TEST(Equations, AReloadThatRunsInTheWrongIterationsIsFound) {
  OneSpill s;
  s.Write(s.t);
  s.Move(s.t.allocated, s.home);
  const LoopId i = s.Open(2);
  s.Move(s.home, s.copy).when = {AtLeastZero(Times(i, 1, -1))};
  s.Read(s.t.original, s.copy, {}, {AtLeastZero(Times(i, -1))});
  s.Close();
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kWrongValue));
}

// What is destroyed in front of a loop is missed behind it, whatever the loop's length and its
// ring.
TEST(Equations, AClobberInFrontOfALongLoopIsFound) {
  for (const std::int64_t slots : {1, 3, 33}) {
    for (const bool turns : {false, true}) {
      OneSpill s;
      std::vector<Address> places;
      for (std::int64_t slot = 0; slot < slots; ++slot) places.push_back(Place(0, 64 + 4 * slot));
      const auto ring = s.Add(Space::kSbuf, "ring", 128, 4, places, {slots});
      s.Write(s.t);
      s.Write(s.other);
      const LoopId i = s.Open(1'000'000'000);
      std::vector<Predicate> when;
      if (turns) when = {AtLeastZero(Times(i, 1, -600'000'000))};
      s.Write(ring, {.block = {Modulo(Times(i, 1), slots)}}, when);
      s.Read(ring, {.block = {Modulo(Times(i, 1), slots)}}, when);
      s.Close();
      s.Read(s.t);
      EXPECT_THAT(s.Found(), ElementsAre(Kind::kOverlap)) << slots << " slots";
    }
  }
}

// A predicate whose period is longer than any that is looked for; it never holds.
TEST(Equations, ALoopTooLongToWalkIsNotProven) {
  OneSpill s;
  s.Write(s.t);
  s.Write(s.other);
  const LoopId i = s.Open(1'000'000'000);
  s.Write(s.other, {}, {{Modulo(Times(i, 1), 5003), Comparison::kLess}});
  s.Close();
  s.Read(s.t);
  const CheckResult result = s.Result();
  ASSERT_EQ(result.violations.size(), 1u);
  EXPECT_EQ(result.violations[0].kind, Kind::kLimit);
  EXPECT_THAT(result.violations[0].text, HasSubstr("not proven"));
}

TEST(Equations, ALoadMayComeAgainFromItsInput) {
  OneSpill s;
  const auto x = s.Input("x");
  s.Load(x, s.t.original, {});
  s.Move(x.allocated, s.copy);
  s.Read(s.t.original, s.copy);
  s.Move(x.allocated, s.t.allocated);
  s.Read(s.t);
  EXPECT_THAT(s.Found(), IsEmpty());
}

TEST(Equations, ALoadThatComesAgainFromAnotherInputIsFound) {
  OneSpill s;
  const auto x = s.Input("x");
  const auto y = s.Input("y");
  s.Load(x, s.t.original, {});
  s.Move(y.allocated, s.copy);
  s.Read(s.t.original, s.copy);
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kUninitializedRead));
}

TEST(Equations, ALoadThatIsGoneWithoutAReloadIsFound) {
  OneSpill s;
  const auto x = s.Input("x");
  s.Load(x, s.t.original, {});
  s.Read(s.t);
  EXPECT_THAT(s.Found(), ElementsAre(Kind::kUninitializedRead));
}

// Which of two equal loads is gone can't be told, and needn't.
TEST(Equations, OneOfTwoEqualLoadsMayBeGone) {
  OneSpill s;
  const auto x = s.Input("x");
  s.Load(x, s.t.original, {});
  s.Load(x, s.other.original, {s.copy});
  const TensorId again = s.Copy("t_again", 16);
  s.Move(x.allocated, again);
  s.Read(s.t.original, again);
  s.Read(s.other.original, s.copy);
  EXPECT_THAT(s.Found(), IsEmpty());
}

TEST(Equations, WhatTheOriginalNeverDefinesMayBeAnything) {
  OneSpill s;
  s.Write(s.t, {.offset = 0, .count = 2});
  s.Write(s.other, {.offset = 2, .count = 2});
  s.Move(s.t.allocated, s.home);
  s.Move(s.home, s.copy);
  s.Read(s.t.original, s.copy);
  EXPECT_THAT(s.Found(), IsEmpty());
}

TEST(Equations, CopiesOfAnotherAllocatorNeedNoMark) {
  OneSpill s;
  s.Write(s.t);
  s.Move(s.t.allocated, s.home).spill = SpillRole::kNone;
  s.Write(s.other);
  s.Move(s.home, s.copy).spill = SpillRole::kNone;
  s.Read(s.t.original, s.copy);
  EXPECT_THAT(s.Found(), IsEmpty());
}

// Four bytes backwards: no row of the one side is a row of the other.
TEST(Equations, ACopyThatTurnsBytesAroundIsFollowedByteByByte) {
  for (const bool twice : {true, false}) {
    OneSpill s;
    Operand backwards = s.allocated.At(s.copy);
    backwards.free_offset = 3;
    backwards.free_dims = {{-1, 4}};
    s.Write(s.t);
    s.Move(s.allocated.At(s.t.allocated), backwards);
    const TensorId end = s.Copy("t_end", 16);
    s.Move(twice ? backwards : s.allocated.At(s.copy), s.allocated.At(end));
    s.Read(s.t.original, end);
    EXPECT_EQ(s.Found().size(), twice ? 0 : 1);
  }
}

TEST(Equations, AnInstructionThatIsMissingIsNamed) {
  OneSpill s;
  s.Write(s.t);
  s.original.Op({}, {s.original.At(s.t.original)}, "work");
  const CheckResult result = s.Result();
  ASSERT_EQ(result.violations.size(), 1u);
  EXPECT_EQ(result.checked, 0);
  EXPECT_EQ(result.violations.front().text,
            "item 1 of the original, work, doesn't stand at point 1, which is its end");
}

}  // namespace
}  // namespace spillway
