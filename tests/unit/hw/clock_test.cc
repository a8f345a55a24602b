#include "model/hw/clock.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

constexpr std::int64_t kVectorTrn1 = 1'120'000'000;
constexpr std::int64_t kVectorTrn2 = 960'000'000;
constexpr std::int64_t kVectorTrn3 = 1'200'000'000;

// Source: isa_costs §3.5: 1300 ns are 1456, 1248 and 1560 Vector cycles.
TEST(Clock, TheStartOfADmaTakesThePublishedCycles) {
  EXPECT_EQ(CyclesIn(Picoseconds(1'300'000), kVectorTrn1), Cycles(1456));
  EXPECT_EQ(CyclesIn(Picoseconds(1'300'000), kVectorTrn2), Cycles(1248));
  EXPECT_EQ(CyclesIn(Picoseconds(1'300'000), kVectorTrn3), Cycles(1560));
}

TEST(Clock, ATimeThatEndsWithinACycleTakesAllOfIt) {
  EXPECT_EQ(CyclesIn(Picoseconds(0), 1'000'000'000), Cycles(0));
  EXPECT_EQ(CyclesIn(Picoseconds(1), 1'000'000'000), Cycles(1));
  EXPECT_EQ(CyclesIn(Picoseconds(1000), 1'000'000'000), Cycles(1));
  EXPECT_EQ(CyclesIn(Picoseconds(1001), 1'000'000'000), Cycles(2));
}

TEST(Clock, DurationsAreRoundedToTheNearestPicosecond) {
  EXPECT_EQ(DurationOf(Cycles(1), kVectorTrn2), Picoseconds(1042));  // 1041.67
  EXPECT_EQ(DurationOf(Cycles(3), kVectorTrn2), Picoseconds(3125));
  EXPECT_EQ(DurationOf(Cycles(264), 1'400'000'000),
            Picoseconds(188'571));  // isa_costs §3.3: 189 ns
}

TEST(Clock, LongTimesStayExact) {
  const Picoseconds day(86'400LL * 1'000'000'000'000LL / 100);  // 864 s, near the stated limit
  EXPECT_EQ(CyclesIn(day, 2'800'000'000), Cycles(864LL * 2'800'000'000LL));
  EXPECT_EQ(DurationOf(Cycles(864LL * 2'800'000'000LL), 2'800'000'000), day);
}

}  // namespace
}  // namespace spillway
