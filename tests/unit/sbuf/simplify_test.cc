#include "model/alloc/sbuf/simplify.h"

#include <gtest/gtest.h>

#include "tests/unit/sbuf/drawn_nodes.h"

namespace spillway {
namespace {

NodeStack Simplified(const DrawnNodes& drawn, std::int64_t capacity,
                     SpillMetric metric = SpillMetric::kCostPerOverload) {
  const auto residual = MakeResidualCapacity(drawn.nodes, drawn.points, Granules(capacity));
  return Simplify(drawn.nodes, drawn.costs, drawn.partners, *residual, metric);
}

TEST(Simplify, PushesTriviallyColourableNodesSmallFirstAsDefinite) {
  const DrawnNodes drawn = Draw(R"(
    a 3 full ###  1
    b 1 full ###  1
    c 2 full ###  1
  )");
  const NodeStack stack = Simplified(drawn, 20);
  EXPECT_EQ(drawn.NamesOf(stack.definite), "bca");
  EXPECT_TRUE(stack.optimistic.empty());
  EXPECT_EQ(stack.spill_candidates, 0);
}

TEST(Simplify, OrdersByAreaNotByBytesAlone) {
  // a: 3 granules x 1 quadrant, b: 2 granules x 4 quadrants.
  const DrawnNodes drawn = Draw(R"(
    b 2 full ###  1
    a 3 quad ###  1
  )");
  EXPECT_EQ(drawn.NamesOf(Simplified(drawn, 20).definite), "ab");
}

// Capacity 4: each of b and c blocks 3 + 2 - 1 = 4 places of the other two's 3, so nothing is
// trivially colourable. Once the cheapest is out, the others are.
TEST(Simplify, PushesTheCheapestCandidateWhenStuckAndGoesOnDraining) {
  const DrawnNodes drawn = Draw(R"(
    a 2 full ###  50
    b 2 full ###  10
    c 2 full ###  30
  )");
  const NodeStack stack = Simplified(drawn, 4);
  EXPECT_TRUE(stack.definite.empty());
  // After b (10 / 4) a and c still block all of each other's places; c (30) goes, then a is safe.
  EXPECT_EQ(drawn.NamesOf(stack.optimistic), "bca");
  EXPECT_EQ(stack.spill_candidates, 2);
}

TEST(Simplify, WhatDrainsBeforeTheFirstCandidateIsDefinite) {
  const DrawnNodes drawn = Draw(R"(
    a 2 full ###.  50
    b 2 full ###.  10
    c 2 full ###.  30
    d 1 full ...#  30
  )");
  const NodeStack stack = Simplified(drawn, 4);
  EXPECT_EQ(drawn.NamesOf(stack.definite), "d");
  EXPECT_EQ(drawn.NamesOf(stack.optimistic), "bca");
}

// Overloads at capacity 6 (1 - cap): a: K = 2, blocked by b (5 + 2 - 1 = 6) and c (6): 1 + 10 = 11.
// b: K = 5, blocked by a (6) and c (3): 5. Costs 33 and 20: 3.0 for a against 4.0 for b under
// metric 0; squared, 0.27 against 0.8; by degree (both 2, so 9), 3.7 against 2.2.
TEST(Simplify, MetricsDivideTheCostByOverloadItsSquareOrTheSquaredDegree) {
  const DrawnNodes drawn = Draw(R"(
    a 5 full ###  33
    b 2 full ###  20
    c 2 full ###  90
  )");
  const auto first = [&](SpillMetric metric) {
    return drawn.NameOf(Simplified(drawn, 6, metric).optimistic.front());
  };
  EXPECT_EQ(first(SpillMetric::kCostPerOverload), 'a');
  EXPECT_EQ(first(SpillMetric::kCostPerSquaredOverload), 'a');
  EXPECT_EQ(first(SpillMetric::kCostPerSquaredDegree), 'b');
}

TEST(Simplify, SquaringTheOverloadCanChangeTheCandidate) {
  // Overloads 11 and 5 as above: 66 / 11 = 6 against 20 / 5 = 4, squared 0.55 against 0.8.
  const DrawnNodes drawn = Draw(R"(
    a 5 full ###  66
    b 2 full ###  20
    c 2 full ###  900
  )");
  EXPECT_EQ(drawn.NameOf(Simplified(drawn, 6).optimistic.front()), 'b');
  EXPECT_EQ(
      drawn.NameOf(Simplified(drawn, 6, SpillMetric::kCostPerSquaredOverload).optimistic.front()),
      'a');
}

TEST(Simplify, UnspillableNodesAreNeverCandidatesAndComeLast) {
  const DrawnNodes drawn = Draw(R"(
    a 3 full ###  inf
    b 3 full ###  inf
    c 3 full ###  7
  )");
  const NodeStack stack = Simplified(drawn, 4);
  EXPECT_EQ(drawn.NamesOf(stack.optimistic), "cab");
  EXPECT_EQ(stack.spill_candidates, 1);
}

TEST(Simplify, UnspillableNodesArePromotedOnceTheyAreSafe) {
  const DrawnNodes drawn = Draw(R"(
    a 2 full ###  inf
    b 3 full ###  7
  )");
  // Without b, a has K = 3 places for certain.
  const NodeStack stack = Simplified(drawn, 4);
  EXPECT_EQ(drawn.NamesOf(stack.optimistic), "ba");
  EXPECT_EQ(stack.spill_candidates, 1);
}

TEST(Simplify, PartnersOfAnUnspillableNodeStayBesideItOnTheStack) {
  DrawnNodes drawn = Draw(R"(
    a 3 full ###  inf
    b 4 full ###  inf
    c 5 full ###  inf
  )");
  drawn.partners.of[TensorId(0)] = {TensorId(2)};
  drawn.partners.of[TensorId(2)] = {TensorId(0)};
  EXPECT_EQ(drawn.NamesOf(Simplified(drawn, 5).optimistic), "acb");
}

TEST(Simplify, FixedNodesAreNeverPushedAndNeverRemoved) {
  const DrawnNodes drawn = Draw(R"(
    a 2 full ###  9
    f 3 full ###  inf at 0
  )");
  // f blocks 2 + 3 - 1 = 4 of a's 4 places whatever else leaves: not trivially colourable.
  const NodeStack stack = Simplified(drawn, 5);
  EXPECT_TRUE(stack.definite.empty());
  EXPECT_EQ(drawn.NamesOf(stack.optimistic), "a");
}

TEST(Simplify, EqualRatiosGoByNodeNumber) {
  const DrawnNodes drawn = Draw(R"(
    a 3 full ###  5
    b 3 full ###  5
    c 3 full ###  5
  )");
  EXPECT_EQ(drawn.NamesOf(Simplified(drawn, 4).optimistic), "abc");
}

TEST(Simplify, NothingGivesAnEmptyStack) {
  const NodeStack stack = Simplified(DrawnNodes{}, 4);
  EXPECT_TRUE(stack.definite.empty());
  EXPECT_TRUE(stack.optimistic.empty());
}

}  // namespace
}  // namespace spillway
