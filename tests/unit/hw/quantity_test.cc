#include "model/hw/quantity.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <type_traits>

#include "model/hw/units.h"

namespace spillway {
namespace {

TEST(Quantity, CountsOfOneUnitAddAndScale) {
  EXPECT_EQ(Bytes(3) + Bytes(4), Bytes(7));
  EXPECT_EQ(Bytes(3) - Bytes(4), Bytes(-1));
  EXPECT_EQ(Bytes(3) * 4, Bytes(12));
  EXPECT_EQ(4 * Bytes(3), Bytes(12));
  Bytes total(1);
  total += Bytes(5);
  total -= Bytes(2);
  EXPECT_EQ(total, Bytes(4));
}

TEST(Quantity, DividingCountsTellsHowOftenOneFits) {
  EXPECT_EQ(Bytes(17) / Bytes(5), 3);
  static_assert(std::is_same_v<decltype(Bytes(1) / Bytes(1)), std::int64_t>);
}

TEST(Quantity, CountsOrderByTheirNumber) {
  EXPECT_LT(Cycles(-1), Cycles(0));
  EXPECT_GE(Cycles(2), Cycles(2));
}

TEST(Quantity, StartsAtZero) {
  EXPECT_EQ(Bytes(), Bytes(0));
  EXPECT_EQ(ByteOffset(), ByteOffset(0));
  EXPECT_EQ(TensorId(), TensorId(0));
}

TEST(Position, PlacesMoveByStepsAndSubtractToSteps) {
  EXPECT_EQ(Partition(32) + PartitionCount(64), Partition(96));
  EXPECT_EQ(Partition(96) - PartitionCount(64), Partition(32));
  EXPECT_EQ(Partition(96) - Partition(32), PartitionCount(64));
  static_assert(std::is_same_v<decltype(Partition(1) - Partition(0)), PartitionCount>);
}

TEST(IdVector, GivesTheIdUnderWhichAnItemCanBeFound) {
  IdVector<TensorId, std::string> names;
  EXPECT_TRUE(names.empty());
  const TensorId a = names.push_back("a");
  const TensorId b = names.push_back("b");
  EXPECT_NE(a, b);
  EXPECT_EQ(names[a], "a");
  EXPECT_EQ(names[b], "b");
  EXPECT_EQ(names.size(), 2u);
}

TEST(IdVector, KnowsWhichIdsItHolds) {
  const IdVector<TensorId, int> ones(2, 1);
  EXPECT_TRUE(ones.contains(TensorId(1)));
  EXPECT_FALSE(ones.contains(TensorId(2)));
  EXPECT_THROW(ones.at(TensorId(2)), std::out_of_range);
}

TEST(Id, EqualIdsHashEqually) {
  const std::hash<TensorId> hash;
  EXPECT_EQ(hash(TensorId(7)), hash(TensorId(7)));
  EXPECT_NE(hash(TensorId(7)), hash(TensorId(8)));
}

TEST(RoundUp, ReachesTheNextMultipleAndKeepsMultiples) {
  EXPECT_EQ(RoundUp(0, 8), 0);
  EXPECT_EQ(RoundUp(1, 8), 8);
  EXPECT_EQ(RoundUp(8, 8), 8);
  EXPECT_EQ(RoundUp(Bytes(9), Bytes(8)), Bytes(16));
}

}  // namespace
}  // namespace spillway
