#include "model/alloc/sbuf/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/sbuf/drawn_nodes.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Pops the letters of `optimistic` from the back, then those of `definite`.
Selection Selected(const DrawnNodes& drawn, const std::string& definite,
                   const std::string& optimistic, std::int64_t capacity) {
  NodeStack stack;
  for (const char c : definite) stack.definite.push_back(drawn[c]);
  for (const char c : optimistic) stack.optimistic.push_back(drawn[c]);
  return Select(drawn.kernel, drawn.nodes, drawn.costs, stack, Granules(capacity));
}

TEST(Select, PacksLargeNodesFromTheTopInPopOrder) {
  const DrawnNodes drawn = Draw(R"(
    a 3 full #  1
    b 4 full #  1
  )");
  EXPECT_EQ(DrawMemory(drawn, Selected(drawn, "", "ba", 8), 8, 0), R"(
aaaa
aaaa
aaaa
bbbb
bbbb
bbbb
bbbb
....
)");
}

// At the boundary to the definite part the watermarks are seeded anew: a quarter of the capacity is
// small there, so a goes to the bottom. In the optimistic part only a 48th is small.
TEST(Select, ReseedsTheWatermarksAtTheBoundaryToTheDefinitePart) {
  const DrawnNodes drawn = Draw(R"(
    a 2 full #  1
    b 3 full #  1
  )");
  EXPECT_EQ(DrawMemory(drawn, Selected(drawn, "a", "b", 8), 8, 0), R"(
bbbb
bbbb
bbbb
....
....
....
aaaa
aaaa
)");
  EXPECT_EQ(DrawMemory(drawn, Selected(drawn, "", "ab", 8), 8, 0), R"(
bbbb
bbbb
bbbb
aaaa
aaaa
....
....
....
)");
}

TEST(Watermarks, AreFractionsOfTheCapacity) {
  const Watermarks seed = Watermarks::Seed(96);
  EXPECT_EQ(seed.small_size, 2);
  EXPECT_THAT(seed.low_top, ElementsAre(72, 72, 72));
  EXPECT_THAT(seed.high_bottom, ElementsAre(96, 96, 96));
  const Watermarks again = Watermarks::Reseed(96);
  EXPECT_EQ(again.small_size, 24);
  EXPECT_THAT(again.low_top, ElementsAre(48, 48, 48));
}

TEST(Select, SharesBytesAmongQuadrantsThatDontMeet) {
  const DrawnNodes drawn = Draw(R"(
    a 4 quad #  1
    b 4 quad #  1
    c 4 quad #  1
    d 4 quad #  1
  )");
  const Selection selection = Selected(drawn, "", "dcba", 4);
  EXPECT_THAT(selection.unplaced, IsEmpty());
  EXPECT_EQ(DrawMemory(drawn, selection, 4, 0), R"(
abcd
abcd
abcd
abcd
)");
}

// a leaves the upper half beside it; b fits there and must not break up the free full band below.
TEST(Select, FillsWhatWiderTensorsCantUseFirst) {
  const DrawnNodes drawn = Draw(R"(
    a 3 h0   #  1
    b 3 half #  1
    c 5 full #  1
  )");
  EXPECT_EQ(DrawMemory(drawn, Selected(drawn, "", "cba", 8), 8, 0), R"(
aabb
aabb
aabb
cccc
cccc
cccc
cccc
cccc
)");
}

TEST(Select, AQuadrantPrefersTheLeftoverOfAHalfToAFreeHalf) {
  const DrawnNodes drawn = Draw(R"(
    a 2 q0   #  1
    b 2 quad #  1
    c 2 half #  1
  )");
  EXPECT_EQ(DrawMemory(drawn, Selected(drawn, "", "cba", 2), 2, 0), R"(
abcc
abcc
)");
}

TEST(Select, ReusesBytesOfNodesThatAreDead) {
  const DrawnNodes drawn = Draw(R"(
    a 4 full ##..  1
    b 4 full ..##  1
  )");
  const Selection selection = Selected(drawn, "", "ba", 4);
  EXPECT_THAT(selection.unplaced, IsEmpty());
  EXPECT_EQ(selection.placed[drawn['a']], selection.placed[drawn['b']]);
}

TEST(Select, TouchingRectanglesDontMeet) {
  const DrawnNodes drawn = Draw(R"(
    a 4 full #  1
    b 4 full #  1
  )");
  EXPECT_THAT(Selected(drawn, "", "ba", 8).unplaced, IsEmpty());
}

TEST(Select, ReportsWhatFindsNoPlaceWithTheSumOfItsCosts) {
  const DrawnNodes drawn = Draw(R"(
    a 4 full #  5
    b 4 full #  7
    c 1 full #  11
  )");
  const Selection selection = Selected(drawn, "", "cba", 4);
  EXPECT_EQ(drawn.NamesOf(selection.unplaced), "bc");
  EXPECT_DOUBLE_EQ(selection.score, 18);
  EXPECT_THAT(selection.notes, IsEmpty());
}

TEST(Select, NamesUnspillableNodesWithoutAPlace) {
  const DrawnNodes drawn = Draw(R"(
    a 4 full #  5
    b 4 full #  inf
  )");
  const Selection selection = Selected(drawn, "", "ba", 4);
  EXPECT_THAT(selection.notes, ElementsAre("infinite node b"));
  EXPECT_DOUBLE_EQ(selection.score, 0);
}

TEST(Select, ANodeLargerThanTheMemoryFindsNoPlace) {
  const DrawnNodes drawn = Draw("a 5 quad # 5");
  EXPECT_EQ(drawn.NamesOf(Selected(drawn, "", "a", 4).unplaced), "a");
}

TEST(Select, ReservesFixedNodesFromTheStart) {
  const DrawnNodes drawn = Draw(R"(
    f 2 h64  #  inf at 5
    a 3 full #  1
    b 3 half #  1
  )");
  EXPECT_EQ(DrawMemory(drawn, Selected(drawn, "", "ba", 8), 8, 0), R"(
bb..
bbff
bbff
aaaa
aaaa
aaaa
....
....
)");
}

TEST(Select, TwoFixedNodesMayOverlapSinceTheirAuthorSaysSo) {
  const DrawnNodes drawn = Draw(R"(
    f 2 full #  inf at 0
    g 2 full #  inf at 1
  )");
  EXPECT_NO_THROW(Selected(drawn, "", "", 8));
}

TEST(Select, PoppingANodeTwiceIsABug) {
  const DrawnNodes drawn = Draw("a 2 full # 1");
  EXPECT_THROW(Selected(drawn, "", "aa", 8), ContractViolation);
}

TEST(Select, GivesATriviallyColourableStackAPlaceForEveryNode) {
  const DrawnNodes drawn = Draw(R"(
    a 2 full ####...  1
    b 3 half .####..  1
    c 1 quad ..####.  1
    d 2 q96  ...####  1
    e 2 h0   .....##  1
  )");
  EXPECT_THAT(Coloured(drawn, 12).unplaced, IsEmpty());
}

}  // namespace
}  // namespace spillway
