#include "model/alloc/check/plane_set.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "tests/unit/check/test_kernel.h"

namespace spillway::check {
namespace {

PlaneSet Box(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) {
  return PlaneSet({Partition(top), Partition(bottom)}, {Range(left, right)});
}

//   ####....      ##......
//   ####....  -   ##......  leaves columns 2 and 3
TEST(PlaneSet, SubtractingTheLeftHalfLeavesTheRightHalf) {
  PlaneSet set = Box(0, 2, 0, 4);
  set.Subtract(Box(0, 2, 0, 2));
  EXPECT_EQ(set, Box(0, 2, 2, 4));
}

//   ####        ....
//   ####   -    ####   leaves the first row
TEST(PlaneSet, SubtractingARowLeavesTheOther) {
  PlaneSet set = Box(0, 2, 0, 4);
  set.Subtract(Box(1, 2, 0, 4));
  EXPECT_EQ(set, Box(0, 1, 0, 4));
}

TEST(PlaneSet, TwoHalvesMakeTheWholeInEitherDirection) {
  PlaneSet by_bytes = Box(0, 2, 0, 2);
  by_bytes.Unite(Box(0, 2, 2, 4));
  EXPECT_EQ(by_bytes, Box(0, 2, 0, 4));
  PlaneSet by_partitions = Box(1, 2, 0, 4);
  by_partitions.Unite(Box(0, 1, 0, 4));
  EXPECT_EQ(by_partitions, Box(0, 2, 0, 4));
}

TEST(PlaneSet, AHoleInTheMiddleLeavesThreeBands) {
  PlaneSet set = Box(0, 3, 0, 6);
  set.Subtract(Box(1, 2, 2, 4));
  ASSERT_EQ(set.bands().size(), 3u);
  EXPECT_EQ(set.bands()[1].runs, (Runs{Range(0, 2), Range(4, 6)}));
}

constexpr std::int64_t kSide = 6;
using Bitmap = std::array<std::array<bool, kSide>, kSide>;

Bitmap Draw(const PlaneSet& set) {
  Bitmap bitmap{};
  for (const PlaneSet::Band& band : set.bands()) {
    for (auto p = band.partitions.begin.value; p < band.partitions.end.value; ++p) {
      for (const Interval<ByteOffset>& run : band.runs) {
        for (auto b = run.begin.value; b < run.end.value; ++b) {
          bitmap.at(static_cast<std::size_t>(p)).at(static_cast<std::size_t>(b)) = true;
        }
      }
    }
  }
  return bitmap;
}

RC_GTEST_PROP(PlaneSet, DoesWhatABitmapDoes, ()) {
  PlaneSet set;
  Bitmap expected{};
  const auto steps = *rc::gen::inRange(1, 12);
  for (int i = 0; i < steps; ++i) {
    const auto top = *rc::gen::inRange<std::int64_t>(0, kSide);
    const auto bottom = *rc::gen::inRange<std::int64_t>(top + 1, kSide + 1);
    const auto left = *rc::gen::inRange<std::int64_t>(0, kSide);
    const auto right = *rc::gen::inRange<std::int64_t>(left + 1, kSide + 1);
    const int what = *rc::gen::weightedElement<int>({{4, 0}, {3, 1}, {1, 2}});
    const PlaneSet box = Box(top, bottom, left, right);
    if (what == 0) set.Unite(box);
    if (what == 1) set.Subtract(box);
    if (what == 2) set.IntersectWith(box);
    const Bitmap drawn = Draw(box);
    for (std::size_t p = 0; p < kSide; ++p) {
      for (std::size_t b = 0; b < kSide; ++b) {
        if (what == 0) expected[p][b] = expected[p][b] || drawn[p][b];
        if (what == 1) expected[p][b] = expected[p][b] && !drawn[p][b];
        if (what == 2) expected[p][b] = expected[p][b] && drawn[p][b];
      }
    }
  }
  RC_ASSERT(Draw(set) == expected);
  // One form a set: rebuilding it from its own bands changes nothing.
  PlaneSet rebuilt;
  for (auto band = set.bands().rbegin(); band != set.bands().rend(); ++band) {
    for (const Interval<ByteOffset>& run : band->runs)
      rebuilt.Unite(PlaneSet(band->partitions, {run}));
  }
  RC_ASSERT(rebuilt == set);
}

}  // namespace
}  // namespace spillway::check
