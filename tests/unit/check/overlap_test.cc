#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "model/alloc/check/rules.h"
#include "tests/unit/check/test_kernel.h"

namespace spillway::check {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CheckResult Overlaps(const TestKernel& k, const Placement& placement) {
  const LinearKernel linear = k.Linear();
  return CheckOverlap({linear, placement, FindTarget("trn2").value(), {}});
}

// `a` and `b`, both alive at once.
struct Pair {
  TestKernel kernel;
  Pair(std::int64_t partitions_a, std::int64_t bytes_a, std::int64_t partitions_b,
       std::int64_t bytes_b, Space space = Space::kSbuf) {
    const TensorId a = kernel.Add(space, "a", partitions_a, bytes_a);
    const TensorId b = kernel.Add(space, "b", partitions_b, bytes_b);
    kernel.Write(a);
    kernel.Write(b);
    kernel.Read(a);
    kernel.Read(b);
  }
};

//   byte 32             115
//   stack ################
//   heap        ######       84 to 100
TEST(Overlap, NamesTensorsBytesPartitionsAndPoints) {
  const CheckResult result =
      Overlaps(Pair(128, 16, 128, 83).kernel, PlacementOf({Place(0, 84), Place(0, 32)}));
  ASSERT_EQ(result.violations.size(), 1u);
  const Violation& violation = result.violations.front();
  EXPECT_EQ(violation.kind, Kind::kOverlap);
  EXPECT_THAT(violation.tensors, ElementsAre("a", "b"));
  EXPECT_EQ(violation.space, Space::kSbuf);
  EXPECT_EQ(violation.range, Range(84, 100));
  EXPECT_EQ(violation.time, Points(1, 3));
  EXPECT_THAT(violation.text, HasSubstr("[84, 100)"));
  EXPECT_THAT(violation.text, HasSubstr("[0, 128)"));
}

TEST(Overlap, TouchingBytesAreLegal) {
  EXPECT_TRUE(Overlaps(Pair(128, 16, 128, 16).kernel, PlacementOf({Place(0, 0), Place(0, 16)}))
                  .violations.empty());
  EXPECT_EQ(Overlaps(Pair(128, 16, 128, 16).kernel, PlacementOf({Place(0, 0), Place(0, 15)}))
                .violations.size(),
            1u);
}

//   partitions  0 a a a
//              32 b b b     the same bytes
TEST(Overlap, TensorsInDifferentQuadrantsMayShareByteOffsets) {
  EXPECT_TRUE(Overlaps(Pair(32, 16, 32, 16).kernel, PlacementOf({Place(0, 0), Place(32, 0)}))
                  .violations.empty());
  EXPECT_TRUE(Overlaps(Pair(64, 16, 32, 16).kernel, PlacementOf({Place(0, 0), Place(64, 0)}))
                  .violations.empty());
}

TEST(Overlap, AHalfReachesIntoItsSecondQuadrant) {
  EXPECT_EQ(Overlaps(Pair(64, 16, 32, 16).kernel, PlacementOf({Place(0, 0), Place(32, 0)}))
                .violations.size(),
            1u);
  EXPECT_EQ(Overlaps(Pair(128, 16, 32, 16).kernel, PlacementOf({Place(0, 0), Place(96, 0)}))
                .violations.size(),
            1u);
}

TEST(Overlap, PsumTilesOfOneBankMayShareItButNotItsBytes) {
  const TestKernel k = Pair(128, 512, 128, 512, Space::kPsum).kernel;
  EXPECT_TRUE(Overlaps(k, PlacementOf({Place(0, 2048), Place(0, 2560)})).violations.empty());
  EXPECT_EQ(Overlaps(k, PlacementOf({Place(0, 2048), Place(0, 2304)})).violations.size(), 1u);
}

TEST(Overlap, HomesInDramMustNotOverlapEither) {
  const TestKernel k = Pair(0, 5000, 0, 5000, Space::kDram).kernel;
  EXPECT_TRUE(Overlaps(k, PlacementOf({Place(0, 0), Place(0, 8192)})).violations.empty());
  const CheckResult result = Overlaps(k, PlacementOf({Place(0, 0), Place(0, 4096)}));
  ASSERT_EQ(result.violations.size(), 1u);
  EXPECT_EQ(result.violations.front().space, Space::kDram);
  EXPECT_EQ(result.violations.front().range, Range(4096, 5000));
}

TEST(Overlap, DifferentMemoriesNeverMeet) {
  TestKernel k;
  const TensorId a = k.Sbuf("a", 128, 16);
  const TensorId b = k.Psum("b", 128, 16);
  k.Write(a);
  k.Write(b);
  k.Read(a);
  k.Read(b);
  EXPECT_TRUE(Overlaps(k, PlacementOf({Place(0, 0), Place(0, 0)})).violations.empty());
}

TEST(Overlap, AReadAndAWriteOfOneInstructionMeet) {
  TestKernel k;
  const TensorId a = k.Sbuf("a", 128, 16);
  const TensorId b = k.Sbuf("b", 128, 16);
  k.Write(a);
  k.Op({k.At(b)}, {k.At(a)});
  k.Read(b);
  const CheckResult result = Overlaps(k, PlacementOf({Place(0, 0), Place(0, 8)}));
  ASSERT_EQ(result.violations.size(), 1u);
  EXPECT_EQ(result.violations.front().time, Points(1, 2));
}

TEST(Overlap, TensorsAliveOneAfterTheOtherMayShare) {
  TestKernel k;
  const TensorId a = k.Sbuf("a", 128, 16);
  const TensorId b = k.Sbuf("b", 128, 16);
  k.Write(a);
  k.Read(a);
  k.Write(b);
  k.Read(b);
  EXPECT_TRUE(Overlaps(k, PlacementOf({Place(0, 0), Place(0, 0)})).violations.empty());
}

TEST(Overlap, ATensorMayLieInTheGapBetweenTwoLivesOfAnother) {
  TestKernel k;
  const TensorId a = k.Sbuf("a", 128, 16);
  const TensorId b = k.Sbuf("b", 128, 16);
  k.Write(a);
  k.Read(a);
  k.Write(b);
  k.Read(b);
  k.Write(a);
  k.Read(a);
  EXPECT_TRUE(Overlaps(k, PlacementOf({Place(0, 0), Place(0, 0)})).violations.empty());
}

TEST(Overlap, ADeadWriteDestroysWhatLiesThere) {
  TestKernel k;
  const TensorId a = k.Sbuf("a", 128, 16);
  const TensorId dead = k.Sbuf("dead", 128, 16);
  k.Write(a);
  k.Write(dead);
  k.Read(a);
  EXPECT_EQ(Overlaps(k, PlacementOf({Place(0, 0), Place(0, 8)})).violations.size(), 1u);
}

//   t is read in each iteration and written in the one before: u may not lie there after the write
TEST(Overlap, AValueThatCrossesIterationsMeetsWhatIsWrittenAfterItsWrite) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 16);
  const TensorId u = k.Sbuf("u", 128, 16);
  k.Write(t);
  k.Open(2);
  k.Read(t);
  k.Write(t);
  k.Write(u);
  k.Read(u);
  k.Close();
  EXPECT_EQ(Overlaps(k, PlacementOf({Place(0, 0), Place(0, 0)})).violations.size(), 1u);
}

TEST(Overlap, ReportsEveryPairOnceAndCountsItsStretches) {
  TestKernel k;
  const TensorId a = k.Sbuf("a", 128, 16);
  const TensorId b = k.Sbuf("b", 128, 16);
  const TensorId c = k.Sbuf("c", 128, 16);
  k.Write(a);
  k.Write(c);
  k.Write(b);
  k.Read(b);
  k.Write(b);
  k.Read(b);
  k.Read(a);
  k.Read(c);
  const CheckResult result = Overlaps(k, PlacementOf({Place(0, 0), Place(0, 8), Place(0, 64)}));
  ASSERT_EQ(result.violations.size(), 1u);
  const CheckResult all = Overlaps(k, PlacementOf({Place(0, 0), Place(0, 0), Place(0, 0)}));
  EXPECT_EQ(all.violations.size(), 3u);
  EXPECT_EQ(all.checked, 3);
}

// A ring of `slots` for three blocks, the block of iteration i read `distance` iterations later.
CheckResult CheckRing(int slots, int distance) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 16, {3});
  const LoopId i = k.Open(6);
  k.Write(t, {.block = {Modulo(Times(i, 1), 3)}});
  k.Read(t, {.block = {Modulo(Times(i, 1, 3 - distance), 3)}}).when = {
      AtLeastZero(Times(i, 1, -distance))};
  k.Close();
  Placement placement;
  placement.addresses.push_back({});
  for (int block = 0; block < 3; ++block)
    placement.addresses[t].push_back(Place(0, block % slots * 16));
  return Overlaps(k, placement);
}

TEST(Overlap, BlocksOfARingMayShareASlotWhileTheirLivesDoNotMeet) {
  EXPECT_TRUE(CheckRing(3, 2).violations.empty());
  EXPECT_TRUE(CheckRing(1, 0).violations.empty());
}

// Found by a campaign: the guarded read touches block 0 alone and the write both, so that each
// block has a life of its own, and yet they take turns.
TEST(Overlap, BlocksThatTakeTurnsMayShareASlotThoughAGuardedReadTouchesOneAlone) {
  TestKernel k;
  const TensorId ring = k.Sbuf("ring", 1, 4, {2});
  const LoopId i = k.Open(2);
  k.Write(ring, {.block = {Modulo(Times(i, 1), 2)}});
  k.Read(ring, {.block = {Modulo(Times(i, 1), 2)}}).when = {{Times(i, 1), Comparison::kEqual}};
  k.Close();
  Placement placement;
  placement.addresses.push_back({Place(0, 0), Place(0, 0)});
  EXPECT_TRUE(Overlaps(k, placement).violations.empty());
}

TEST(Overlap, BlocksOfARingThatIsTooShortDestroyEachOther) {
  const CheckResult result = CheckRing(2, 2);
  ASSERT_FALSE(result.violations.empty());
  EXPECT_THAT(result.violations.front().text, HasSubstr("destroys what point 2 reads"));
  EXPECT_FALSE(CheckRing(1, 1).violations.empty());
}

// Each of a thousand million iterations reads the block of the one before it; the last block lies
// on the first one or not.
TEST(Overlap, ALongRingIsFollowedUntilItRepeats) {
  for (const std::int64_t third : {32, 0}) {
    TestKernel k;
    const TensorId t = k.Sbuf("t", 128, 16, {4});
    const LoopId i = k.Open(1'000'000'000);
    k.Write(t, {.block = {Modulo(Times(i, 1), 3)}});
    k.Read(t, {.block = {Modulo(Times(i, 1, 2), 3)}});
    k.Close();
    Placement placement;
    // The fourth block is never touched: it makes the ring share bytes in both cases.
    placement.addresses.push_back({Place(0, 0), Place(0, 16), Place(0, third), Place(0, 0)});
    const CheckResult result = Overlaps(k, placement);
    ASSERT_EQ(result.violations.size(), third == 32 ? 0u : 1u);
    for (const Violation& violation : result.violations) EXPECT_EQ(violation.kind, Kind::kOverlap);
  }
}

// A predicate whose period is longer than any that is looked for; it never holds.
TEST(Overlap, ARingTooLongToFollowIsNotProven) {
  TestKernel k;
  const TensorId t = k.Sbuf("t", 128, 16, {2});
  const LoopId i = k.Open(1'000'000'000);
  k.Write(t, {.block = {Modulo(Times(i, 1), 2)}}).when = {
      {Modulo(Times(i, 1), 5003), Comparison::kLess}};
  k.Close();
  Placement placement;
  placement.addresses.push_back({Place(0, 0), Place(0, 0)});
  const CheckResult result = Overlaps(k, placement);
  ASSERT_EQ(result.violations.size(), 1u);
  EXPECT_EQ(result.violations[0].kind, Kind::kLimit);
  EXPECT_THAT(result.violations[0].text, HasSubstr("not proven: blocks of t share bytes"));
}

// Random tensors with one or two lives each, at random places, against all pairs of bytes.
RC_GTEST_PROP(Overlap, FindsThePairsThatAComparisonOfAllPairsFinds, ()) {
  struct Box {
    Interval<std::int64_t> partitions, bytes;
    std::vector<std::pair<std::size_t, std::size_t>> lives;
  };
  const auto count = *rc::gen::inRange<std::size_t>(2, 12);
  const std::size_t length = 24;
  TestKernel k;
  Placement placement;
  std::vector<Box> boxes;
  std::vector<std::vector<std::pair<TensorId, bool>>> events(length);
  for (std::size_t i = 0; i < count; ++i) {
    const auto partitions = *rc::gen::element<std::int64_t>(32, 64, 128);
    const auto start = *rc::gen::element<std::int64_t>(0, 32, 64, 96);
    const auto bytes = *rc::gen::inRange<std::int64_t>(1, 12);
    const auto at = *rc::gen::inRange<std::int64_t>(0, 20);
    const TensorId id = k.Sbuf("t" + std::to_string(i), partitions, bytes);
    placement.addresses.push_back({Place(start, at)});
    Box box{{start, start + partitions}, {at, at + bytes}, {}};
    const auto first = *rc::gen::inRange<std::size_t>(0, length / 2);
    const auto last = *rc::gen::inRange<std::size_t>(first, length / 2);
    box.lives.push_back({first, last});
    if (*rc::gen::arbitrary<bool>()) {
      const auto again = *rc::gen::inRange<std::size_t>(length / 2, length);
      box.lives.push_back({again, *rc::gen::inRange<std::size_t>(again, length)});
    }
    for (const auto& [from, to] : box.lives) {
      events[from].push_back({id, true});
      if (to != from) events[to].push_back({id, false});
    }
    boxes.push_back(box);
  }
  for (const auto& at_point : events) {
    std::vector<Operand> outputs, inputs;
    for (const auto& [id, is_write] : at_point) (is_write ? outputs : inputs).push_back(k.At(id));
    k.Op(std::move(outputs), std::move(inputs));
  }
  std::set<std::pair<std::string, std::string>> expected;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      bool meet = false;
      for (const auto& x : boxes[a].lives) {
        for (const auto& y : boxes[b].lives)
          meet = meet || (x.first <= y.second && y.first <= x.second);
      }
      if (meet && Overlap(boxes[a].partitions, boxes[b].partitions) &&
          Overlap(boxes[a].bytes, boxes[b].bytes)) {
        expected.insert({"t" + std::to_string(a), "t" + std::to_string(b)});
      }
    }
  }
  std::set<std::pair<std::string, std::string>> found;
  for (const Violation& violation : Overlaps(k, placement).violations) {
    found.insert({violation.tensors.at(0), violation.tensors.at(1)});
  }
  RC_CLASSIFY(!expected.empty(), "overlaps");
  RC_ASSERT(found == expected);
}

}  // namespace
}  // namespace spillway::check
