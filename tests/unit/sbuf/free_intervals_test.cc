#include "model/alloc/sbuf/free_intervals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway {

void PrintTo(const BandInterval& i, std::ostream* out) {
  *out << "[" << i.lower << ", " << i.upper << ") x " << static_cast<int>(i.band);
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr QuadrantMask kFullBand = 0b1111;
constexpr QuadrantMask kLower = 0b0011;
constexpr QuadrantMask kUpper = 0b1100;

// 7 ....      a: a half at the bottom; b: a quadrant in the middle
// 6 ....
// 5 ....
// 4 ..b.
// 3 ..b.
// 2 ....
// 1 aa..
// 0 aa..
const std::vector<BandInterval> kReserved = {{3, 5, 0b0100}, {0, 2, kLower}};

TEST(FreePools, AreWhatReservationsThatTouchABandLeaveOfIt) {
  const FreePools pools(kReserved, 8);
  EXPECT_THAT(pools.Find(std::array{kFullBand}),
              ElementsAre(BandInterval{2, 3, kFullBand}, BandInterval{5, 8, kFullBand}));
  EXPECT_THAT(pools.Find(std::array{kLower}), ElementsAre(BandInterval{2, 8, kLower}));
  EXPECT_THAT(pools.Find(std::array<QuadrantMask, 1>{0b0100}),
              ElementsAre(BandInterval{0, 3, 0b0100}, BandInterval{5, 8, 0b0100}));
  EXPECT_THAT(pools.Find(std::array<QuadrantMask, 1>{0b1000}),
              ElementsAre(BandInterval{0, 8, 0b1000}));
}

TEST(FreePools, OfSeveralBandsAreSortedByStart) {
  const FreePools pools(kReserved, 8);
  EXPECT_THAT(pools.Find(std::array{kLower, kUpper}),
              ElementsAre(BandInterval{0, 3, kUpper}, BandInterval{2, 8, kLower},
                          BandInterval{5, 8, kUpper}));
}

TEST(FreePools, LeftoversLieBesideWhatTheWiderBandHasFree) {
  const FreePools pools(kReserved, 8);
  // The full band has [2, 3) and [5, 8) free.
  EXPECT_THAT(pools.FindLeftovers(std::array{kLower, kUpper}),
              ElementsAre(BandInterval{0, 2, kUpper}, BandInterval{3, 5, kLower}));
  // The upper half has [0, 3) and [5, 8) free, so only its other quadrant has something beside.
  EXPECT_THAT(pools.FindLeftovers(std::array<QuadrantMask, 2>{0b0100, 0b1000}),
              ElementsAre(BandInterval{3, 5, 0b1000}));
}

TEST(FreePools, OverlappingReservationsMerge) {
  const std::vector<BandInterval> reserved = {{0, 4, 0b0001}, {2, 3, 0b0010}, {3, 6, kLower}};
  EXPECT_THAT(FreePools(reserved, 8).Find(std::array{kLower}),
              ElementsAre(BandInterval{6, 8, kLower}));
}

TEST(FreePools, ReservationsBeyondTheMemoryLeaveNothingThere) {
  const std::vector<BandInterval> reserved = {{6, 12, kFullBand}, {20, 24, kFullBand}};
  EXPECT_THAT(FreePools(reserved, 8).Find(std::array{kFullBand}),
              ElementsAre(BandInterval{0, 6, kFullBand}));
  const std::vector<BandInterval> outside = {{9, 12, kFullBand}};
  EXPECT_THAT(FreePools(outside, 8).Find(std::array{kFullBand}),
              ElementsAre(BandInterval{0, 8, kFullBand}));
}

TEST(FreePools, AFullMemoryHasNothingFree) {
  const std::vector<BandInterval> reserved = {{0, 8, kFullBand}};
  const FreePools pools(reserved, 8);
  EXPECT_THAT(pools.Find(std::array{kFullBand}), IsEmpty());
  EXPECT_THAT(pools.Find(BandsOf(HeightClass::kAnyQuadrant)), IsEmpty());
  EXPECT_THAT(pools.FindLeftovers(BandsOf(HeightClass::kAnyQuadrant)), IsEmpty());
}

TEST(FreePools, WithNothingReservedHaveNoLeftovers) {
  const FreePools pools({}, 8);
  EXPECT_THAT(pools.FindLeftovers(BandsOf(HeightClass::kAnyQuadrant)), IsEmpty());
  EXPECT_THAT(pools.FindLeftovers(BandsOf(HeightClass::kAnyHalf)), IsEmpty());
}

const std::vector<BandInterval> kFree = {{0, 2, kFullBand}, {3, 7, kFullBand}, {8, 12, kFullBand}};

TEST(SearchBottomUp, TakesTheLowEndOfTheLowestRangeThatHoldsTheSize) {
  EXPECT_EQ(SearchBottomUp(kFree, {0, 12}, Granules(2)), (BandInterval{0, 2, kFullBand}));
  EXPECT_EQ(SearchBottomUp(kFree, {0, 12}, Granules(3)), (BandInterval{3, 6, kFullBand}));
  EXPECT_EQ(SearchBottomUp(kFree, {0, 12}, Granules(5)), std::nullopt);
}

TEST(SearchTopDown, TakesTheHighEndOfTheHighestRangeThatHoldsTheSize) {
  EXPECT_EQ(SearchTopDown(kFree, {0, 12}, Granules(2)), (BandInterval{10, 12, kFullBand}));
  EXPECT_EQ(SearchTopDown(kFree, {0, 8}, Granules(3)), (BandInterval{4, 7, kFullBand}));
  EXPECT_EQ(SearchTopDown(kFree, {0, 12}, Granules(5)), std::nullopt);
}

TEST(Searches, StayInsideTheirWindow) {
  EXPECT_EQ(SearchBottomUp(kFree, {4, 12}, Granules(2)), (BandInterval{4, 6, kFullBand}));
  EXPECT_EQ(SearchBottomUp(kFree, {6, 9}, Granules(2)), std::nullopt);
  EXPECT_EQ(SearchTopDown(kFree, {0, 10}, Granules(2)), (BandInterval{8, 10, kFullBand}));
  EXPECT_EQ(SearchTopDown(kFree, {0, 6}, Granules(3)), (BandInterval{3, 6, kFullBand}));
}

TEST(SearchTopDown, ComparesEndsWhereRangesOfSeveralBandsInterleave) {
  const std::vector<BandInterval> free = {{0, 12, kLower}, {5, 9, kUpper}};
  EXPECT_EQ(SearchTopDown(free, {0, 12}, Granules(2)), (BandInterval{10, 12, kLower}));
}

TEST(CompareStarts, GoesByLowerEndThenByTheWiderBand) {
  EXPECT_TRUE(CompareStarts({0, 9, 0b0001}, {1, 2, kFullBand}));
  EXPECT_TRUE(CompareStarts({1, 2, kFullBand}, {1, 9, kLower}));
  EXPECT_TRUE(CompareStarts({1, 2, kLower}, {1, 9, 0b0001}));
  EXPECT_FALSE(CompareStarts({1, 2, kLower}, {1, 2, kLower}));
}

}  // namespace
}  // namespace spillway
