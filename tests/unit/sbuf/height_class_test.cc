#include "model/alloc/sbuf/height_class.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

constexpr std::int64_t kCapacity = 9;

struct Place {
  QuadrantMask band = 0;
  std::int64_t lower = 0;
};

std::vector<Place> AllPlaces(HeightClass height, std::int64_t size) {
  std::vector<Place> places;
  for (const QuadrantMask band : BandsOf(height)) {
    for (std::int64_t lower = 0; lower + size <= kCapacity; ++lower)
      places.push_back({band, lower});
  }
  return places;
}

std::int64_t Blocked(HeightClass height, std::int64_t size, const Place& by, std::int64_t by_size) {
  std::int64_t blocked = 0;
  for (const Place& place : AllPlaces(height, size)) {
    const bool bytes = place.lower < by.lower + by_size && by.lower < place.lower + size;
    blocked += (place.band & by.band) != 0 && bytes ? 1 : 0;
  }
  return blocked;
}

// Every cell of the table, with every pair of sizes: what the formula says is what a neighbour in
// its worst place takes away, where the memory is large enough that no edge helps.
TEST(HeightClass, ImpactIsTheMostPlacesThatANeighborBlocks) {
  for (std::size_t i = 0; i < kHeightClasses; ++i) {
    for (std::size_t j = 0; j < kHeightClasses; ++j) {
      const auto node = static_cast<HeightClass>(i);
      const auto neighbor = static_cast<HeightClass>(j);
      for (std::int64_t size = 1; size <= 3; ++size) {
        for (std::int64_t other = 1; other <= 3; ++other) {
          std::int64_t most = 0;
          for (const Place& place : AllPlaces(neighbor, other)) {
            most = std::max(most, Blocked(node, size, place, other));
          }
          EXPECT_EQ(Impact(node, Granules(size), neighbor, Granules(other)), most)
              << "classes " << i << " and " << j << ", sizes " << size << " and " << other;
        }
      }
    }
  }
}

TEST(HeightClass, PossiblePlacementsCountsBandsTimesOffsets) {
  for (std::size_t i = 0; i < kHeightClasses; ++i) {
    const auto height = static_cast<HeightClass>(i);
    for (std::int64_t size = 1; size <= kCapacity + 1; ++size) {
      EXPECT_EQ(PossiblePlacements(height, Granules(size), Granules(kCapacity)),
                static_cast<std::int64_t>(AllPlaces(height, size).size()))
          << "class " << i << ", size " << size;
    }
  }
}

TEST(HeightClass, ANodeAsLargeAsTheMemoryHasOnePlaceInItsBand) {
  EXPECT_EQ(PossiblePlacements(HeightClass::kFull, Granules(9), Granules(9)), 1);
  EXPECT_EQ(PossiblePlacements(HeightClass::kAnyHalf, Granules(9), Granules(9)), 2);
  EXPECT_EQ(PossiblePlacements(HeightClass::kAnyQuadrant, Granules(9), Granules(9)), 4);
  EXPECT_EQ(PossiblePlacements(HeightClass::kFull, Granules(10), Granules(9)), 0);
}

TEST(HeightClass, ThirtyTwoPartitionsAreAQuadrantAndSixtyFourAHalf) {
  EXPECT_EQ(ClassOf(PartitionCount(1)), HeightClass::kAnyQuadrant);
  EXPECT_EQ(ClassOf(PartitionCount(32)), HeightClass::kAnyQuadrant);
  EXPECT_EQ(ClassOf(PartitionCount(33)), HeightClass::kAnyHalf);
  EXPECT_EQ(ClassOf(PartitionCount(64)), HeightClass::kAnyHalf);
  EXPECT_EQ(ClassOf(PartitionCount(65)), HeightClass::kFull);
  EXPECT_EQ(ClassOf(PartitionCount(128)), HeightClass::kFull);
}

TEST(HeightClass, EveryQuadrantAndHalfHasAPinnedClassOfItsOwn) {
  for (std::int64_t q = 0; q < 4; ++q) {
    const HeightClass pinned = PinnedClassOf(PartitionCount(20), Partition(32 * q));
    ASSERT_EQ(BandsOf(pinned).size(), 1u);
    EXPECT_EQ(BandsOf(pinned).front(), 1 << q);
  }
  EXPECT_EQ(BandsOf(PinnedClassOf(PartitionCount(64), Partition(0))).front(), 0b0011);
  EXPECT_EQ(BandsOf(PinnedClassOf(PartitionCount(40), Partition(64))).front(), 0b1100);
  EXPECT_EQ(PinnedClassOf(PartitionCount(128), Partition(0)), HeightClass::kFull);
}

TEST(HeightClass, AStartThatNoClassHasCountsAsTheWholeHeight) {
  EXPECT_EQ(PinnedClassOf(PartitionCount(20), Partition(16)), HeightClass::kFull);
  EXPECT_EQ(PinnedClassOf(PartitionCount(40), Partition(32)), HeightClass::kFull);
}

TEST(HeightClass, QuadrantsThatARangeOnlyTouchesAtItsEdgeDontCount) {
  EXPECT_EQ(QuadrantsOf({Partition(0), Partition(32)}), 0b0001);
  EXPECT_EQ(QuadrantsOf({Partition(0), Partition(33)}), 0b0011);
  EXPECT_EQ(QuadrantsOf({Partition(31), Partition(32)}), 0b0001);
  EXPECT_EQ(QuadrantsOf({Partition(48), Partition(112)}), 0b1110);
  EXPECT_EQ(QuadrantsOf({Partition(0), Partition(128)}), 0b1111);
}

TEST(HeightClass, ABandStartsAtItsLowestQuadrant) {
  EXPECT_EQ(StartOf(0b0001), Partition(0));
  EXPECT_EQ(StartOf(0b1000), Partition(96));
  EXPECT_EQ(StartOf(0b1100), Partition(64));
  EXPECT_EQ(StartOf(0b1111), Partition(0));
}

}  // namespace
}  // namespace spillway
