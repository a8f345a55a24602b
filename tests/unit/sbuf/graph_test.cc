// Who overlaps whom in time: the index, the explicit graph and the residual capacity over it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "model/alloc/sbuf/interference.h"
#include "model/alloc/sbuf/live_interval_index.h"
#include "model/alloc/sbuf/residual_capacity.h"
#include "tests/unit/sbuf/drawn_nodes.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;

IdVector<NodeId, Node> RandomNodes(std::mt19937& random, std::size_t count, std::uint32_t points) {
  IdVector<NodeId, Node> nodes;
  for (std::size_t n = 0; n < count; ++n) {
    Node node;
    const auto begin = static_cast<std::uint32_t>(random() % points);
    node.tensor = TensorId(n);
    node.life = {PointId(begin), PointId(std::size_t{begin} + 1 + random() % (points - begin))};
    node.size = Granules(1 + random() % 5);
    node.height = static_cast<HeightClass>(random() % kHeightClasses);
    nodes.push_back(node);
  }
  return nodes;
}

std::vector<NodeId> Overlapping(const LiveIntervalIndex& index, const Interval<PointId>& life) {
  std::vector<NodeId> found;
  index.ForEachOverlapping(life, [&](NodeId n) { found.push_back(n); });
  std::sort(found.begin(), found.end());
  return found;
}

TEST(LiveIntervalIndex, FindsWhatAnExhaustiveSearchFindsUnderSwitching) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto nodes = RandomNodes(random, random() % 20, 12);
    LiveIntervalIndex index(nodes);
    std::vector<bool> active(nodes.size(), false);
    for (int step = 0; step < 30 && !nodes.empty(); ++step) {
      const NodeId n(static_cast<std::uint32_t>(random() % nodes.size()));
      active[n.value] = !active[n.value];
      if (active[n.value]) {
        index.Activate(n);
      } else {
        index.Deactivate(n);
      }
      const auto begin = static_cast<std::uint32_t>(random() % 12);
      const Interval<PointId> life{PointId(begin), PointId(std::size_t{begin} + 1 + random() % 3)};
      std::vector<NodeId> expected;
      for (std::size_t m = 0; m < nodes.size(); ++m) {
        if (active[m] && Overlap(nodes[NodeId(m)].life, life)) expected.push_back(NodeId(m));
      }
      ASSERT_EQ(Overlapping(index, life), expected);
    }
  }
}

TEST(LiveIntervalIndex, LivesThatOnlyTouchDontOverlap) {
  const DrawnNodes drawn = Draw(R"(
    a 1 full ###...  1
    b 1 full ...###  1
  )");
  LiveIntervalIndex index(drawn.nodes);
  index.Activate(drawn['a']);
  EXPECT_TRUE(Overlapping(index, drawn.nodes[drawn['b']].life).empty());
}

TEST(LiveIntervalIndex, AnEmptyIndexFindsNothing) {
  const IdVector<NodeId, Node> none;
  EXPECT_TRUE(Overlapping(LiveIntervalIndex(none), {PointId(0), PointId(9)}).empty());
}

TEST(Interference, HasAnEdgeInBothDirectionsWhereLivesOverlapWhateverTheBands) {
  const DrawnNodes drawn = Draw(R"(
    a 1 q0   ####....  1
    b 1 q32  ...###..  1
    c 1 full .....###  1
  )");
  const InterferenceGraph graph = BuildInterference(drawn.nodes);
  EXPECT_THAT(graph.neighbors[drawn['a']], ElementsAre(drawn['b']));
  EXPECT_THAT(graph.neighbors[drawn['b']], ElementsAre(drawn['a'], drawn['c']));
  EXPECT_THAT(graph.neighbors[drawn['c']], ElementsAre(drawn['b']));
}

TEST(Pressure, CountsPinnedTensorsInTheirQuadrantAndOthersWithTheirShare) {
  const DrawnNodes drawn = Draw(R"(
    a 4 q32  ##....  1
    b 8 quad #.....  1
    c 2 half .##...  1
    d 3 full ....##  1
  )");
  const PressureProfile profile = FindPressure(drawn.nodes, drawn.points, Bytes(8), Bytes(64));
  // Point 0: 8/4 everywhere, and 4 more in the second quadrant. Points 4 and 5: 3 everywhere.
  EXPECT_EQ(profile.peak_quadrant_bytes[0], Bytes(24));
  EXPECT_EQ(profile.peak_quadrant_bytes[1], Bytes(48));
  EXPECT_EQ(profile.peak_quadrant_bytes[2], Bytes(24));
  EXPECT_EQ(profile.peak_bytes, Bytes(8 * 12));
  EXPECT_EQ(profile.peak_point, PointId(0));
  EXPECT_DOUBLE_EQ(profile.demand_percent, 75.0);
}

TEST(Pressure, OfNothingIsZero) {
  const PressureProfile profile = FindPressure({}, 3, Bytes(8), Bytes(64));
  EXPECT_EQ(profile.peak_bytes, Bytes(0));
  EXPECT_EQ(profile.demand_percent, 0);
}

// K = 10 + 1 - 3 = 8 for a. b blocks 3 + 2 - 1 = 4 of them, c nothing: it is never live with a.
TEST(ResidualCapacity, SubtractsWhatEachLiveNeighborBlocks) {
  const DrawnNodes drawn = Draw(R"(
    a 3 full ###...  1
    b 2 full ..##..  1
    c 9 full ...###  1
  )");
  const auto residual = MakeResidualCapacity(drawn.nodes, drawn.points, Granules(10));
  EXPECT_EQ(residual->Of(drawn['a']), 4);
  EXPECT_EQ(residual->DegreeOf(drawn['b']), 2);
  residual->Remove(drawn['b']);
  EXPECT_EQ(residual->Of(drawn['a']), 8);
  EXPECT_EQ(residual->DegreeOf(drawn['a']), 0);
}

TEST(ResidualCapacity, QuadrantsPinnedApartTakeNothingFromEachOther) {
  const DrawnNodes drawn = Draw(R"(
    a 3 q0  ###  1
    b 3 q64 ###  1
    c 3 h64 ###  1
  )");
  const auto residual = MakeResidualCapacity(drawn.nodes, drawn.points, Granules(10));
  EXPECT_EQ(residual->Of(drawn['a']), 8);
  EXPECT_EQ(residual->Of(drawn['b']), 8 - 5);
}

TEST(ResidualCapacity, RemovingANodeTwiceIsABug) {
  const DrawnNodes drawn = Draw("a 3 full ### 1");
  const auto residual = MakeResidualCapacity(drawn.nodes, drawn.points, Granules(10));
  residual->Remove(drawn['a']);
  EXPECT_THROW(residual->Remove(drawn['a']), ContractViolation);
}

}  // namespace
}  // namespace spillway
