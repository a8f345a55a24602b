#include "model/alloc/sbuf/colour_best.h"

#include <gtest/gtest.h>

#include "tests/unit/sbuf/drawn_nodes.h"

namespace spillway {
namespace {

Colouring Best(const DrawnNodes& drawn, std::int64_t capacity, std::int64_t attempts) {
  return ColourBest(drawn.kernel, drawn.nodes, drawn.costs, drawn.partners, drawn.points,
                    Granules(capacity), SpillMetric::kCostPerOverload, attempts);
}

// Of two tensors in each other's way, the long one is dearer, but by its overload the cheaper
// candidate: it leaves first and is left without a place. By the squared degree it stays.
DrawnNodes OneTooMany() {
  return Draw(R"(
    a 5 full ######  40
    b 2 full ##....  30
    c 2 full ....##  31
  )");
}

TEST(ColourBest, WithOneAttemptIsSimplifyAndSelect) {
  const DrawnNodes drawn = OneTooMany();
  const auto residual = MakeResidualCapacity(drawn.nodes, drawn.points, Granules(6));
  const NodeStack stack =
      Simplify(drawn.nodes, drawn.costs, drawn.partners, *residual, SpillMetric::kCostPerOverload);
  const Colouring kept = Best(drawn, 6, 1);
  EXPECT_EQ(kept.attempt, 0);
  EXPECT_EQ(kept.stack.definite, stack.definite);
  EXPECT_EQ(kept.stack.optimistic, stack.optimistic);
}

TEST(ColourBest, StopsAtTheFirstOrderThatPlacesEverything) {
  const DrawnNodes drawn = OneTooMany();
  const Colouring kept = Best(drawn, 7, 100);
  EXPECT_EQ(kept.attempt, 0);
  EXPECT_TRUE(kept.selection.unplaced.empty());
}

TEST(ColourBest, KeepsTheCheapestAndNotTheLast) {
  const DrawnNodes drawn = OneTooMany();
  double cheapest = Best(drawn, 6, 1).selection.score;
  for (std::int64_t attempts = 2; attempts <= 40; ++attempts) {
    const Colouring kept = Best(drawn, 6, attempts);
    EXPECT_LE(kept.selection.score, cheapest) << attempts;
    cheapest = kept.selection.score;
  }
  EXPECT_EQ(cheapest, 40);
  EXPECT_EQ(Best(drawn, 6, 40).selection.unplaced, std::vector<NodeId>{drawn['a']});
}

TEST(ColourBest, AnUnspillableNodeWithoutAPlaceIsWorseThanAnyCost) {
  const DrawnNodes drawn = Draw(R"(
    a 5 full ######  inf
    b 2 full ##....  3000
    c 2 full ....##  3000
  )");
  for (const std::int64_t attempts : {1, 5, 20}) {
    const Colouring kept = Best(drawn, 6, attempts);
    EXPECT_TRUE(kept.selection.notes.empty());
    EXPECT_EQ(kept.selection.score, 6000);
  }
}

TEST(ColourBest, IsTheSameEveryTime) {
  const DrawnNodes drawn = OneTooMany();
  const Colouring once = Best(drawn, 6, 25);
  const Colouring twice = Best(drawn, 6, 25);
  EXPECT_EQ(once.attempt, twice.attempt);
  EXPECT_EQ(once.stack.optimistic, twice.stack.optimistic);
}

}  // namespace
}  // namespace spillway
