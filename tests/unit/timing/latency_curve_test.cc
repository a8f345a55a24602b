#include "model/hw/timing/latency_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace spillway {
namespace {

PhaseTimes Exec(std::int64_t picoseconds) {
  return {Picoseconds(0), Picoseconds(picoseconds), Picoseconds(0)};
}

using Law = std::function<std::int64_t(std::int64_t)>;

LatencyCurve Sampled(const Law& law, std::int64_t last = 4096) {
  return LatencyCurve::Sample(last, [&](std::int64_t size) { return Exec(law(size)); });
}

double WorstError(const Law& law, const LatencyCurve& curve, std::int64_t last) {
  double worst = 0;
  for (std::int64_t size = 1; size <= last; ++size) {
    const auto truth = static_cast<double>(law(size));
    worst = std::max(worst,
                     std::abs(static_cast<double>(curve.At(size).total().value) - truth) / truth);
  }
  return worst;
}

TEST(LatencyCurve, AStraightLineNeedsOnlyPowersOfTwoAndIsExact) {
  const auto law = [](std::int64_t n) { return 60'000 + 1042 * n; };
  const LatencyCurve curve = Sampled(law);
  EXPECT_EQ(curve.points().size(), 13u);
  EXPECT_EQ(WorstError(law, curve, 10'000), 0) << "beyond the last point too";
}

TEST(LatencyCurve, ABendBetweenPowersOfTwoIsFound) {
  const auto law = [](std::int64_t n) { return std::max<std::int64_t>(105'000, 6000 + 43 * n); };
  const LatencyCurve curve = Sampled(law);
  EXPECT_GT(curve.points().size(), 13u);
  EXPECT_LE(WorstError(law, curve, 4096), 0.01);
}

TEST(LatencyCurve, AStepIsFoundToTheElement) {
  const auto law = [](std::int64_t n) { return 124'000 + 1000 * n + (n <= 64 ? 100'000 : 0); };
  const LatencyCurve curve = Sampled(law);
  EXPECT_LE(WorstError(law, curve, 4096), 0.01);
  EXPECT_EQ(curve.At(64).total().value, law(64));
  EXPECT_EQ(curve.At(65).total().value, law(65));
}

TEST(LatencyCurve, SizesBelowOneCostWhatOneDoes) {
  const LatencyCurve curve = Sampled([](std::int64_t n) { return 100 + n; });
  EXPECT_EQ(curve.At(0), curve.At(1));
  EXPECT_EQ(curve.At(-5), curve.At(1));
}

TEST(LatencyCurve, HugeSizesDoNotOverflow) {
  const LatencyCurve curve = Sampled([](std::int64_t n) { return 1000 * n; });
  EXPECT_EQ(curve.At(std::int64_t{1} << 40).total().value, 1000 * (std::int64_t{1} << 40));
}

TEST(LatencyCurve, EveryPhaseIsInterpolatedByItself) {
  const LatencyCurve curve = LatencyCurve::Sample(8, [](std::int64_t n) {
    return PhaseTimes{Picoseconds(7), Picoseconds(10 * n), Picoseconds(n)};
  });
  EXPECT_EQ(curve.At(6), (PhaseTimes{Picoseconds(7), Picoseconds(60), Picoseconds(6)}));
}

std::vector<LatencyPoint> PointsAt(std::vector<std::int64_t> sizes) {
  std::vector<LatencyPoint> points;
  for (const std::int64_t size : sizes) points.push_back({size, Exec(10 * size)});
  return points;
}

TEST(IsCurve, HoldsForWhatSampleMakesAndForNothingThatCannotBeLookedUp) {
  EXPECT_TRUE(IsCurve(PointsAt({1, 2, 4})));
  EXPECT_TRUE(IsCurve(PointsAt({1, 2, 4, 5, 6, 8})));
  EXPECT_FALSE(IsCurve({}));
  EXPECT_FALSE(IsCurve(PointsAt({1})));
  EXPECT_FALSE(IsCurve(PointsAt({2, 4}))) << "begins at 1";
  EXPECT_FALSE(IsCurve(PointsAt({1, 4}))) << "2 is missing";
  EXPECT_FALSE(IsCurve(PointsAt({1, 2, 4, 7, 8}))) << "3 is no power of two";
  EXPECT_FALSE(IsCurve(PointsAt({1, 2, 2, 4}))) << "no progress";
  EXPECT_FALSE(IsCurve(PointsAt({1, 2, 4, 6}))) << "ends at a power of two";
  std::vector<LatencyPoint> negative = PointsAt({1, 2, 4});
  negative[1].times.exec = Picoseconds(-1);
  EXPECT_FALSE(IsCurve(negative));
}

// The two laws of two sizes that the machine has: shares of descriptors, and products.
TEST(LatencyGrid, AProductOfTwoSizesIsExactBetweenItsRows) {
  const auto law = [](std::int64_t rows, std::int64_t bytes) {
    return std::min<std::int64_t>(rows, 8) * (6000 + 43 * bytes);
  };
  const LatencyGrid grid = LatencyGrid::Sample(
      128, 4096, [&](std::int64_t rows, std::int64_t bytes) { return Exec(law(rows, bytes)); });
  for (const std::int64_t rows : {1, 3, 7, 8, 9, 100, 128, 500}) {
    for (const std::int64_t bytes : {1, 77, 3000, 4096, 9000})
      EXPECT_EQ(grid.At(rows, bytes).total().value, law(rows, bytes)) << rows << " x " << bytes;
  }
}

TEST(LatencyGrid, ABendAlongTheDiagonalIsWithinTwoPerCent) {
  const auto law = [](std::int64_t stationary, std::int64_t moving) {
    return 417 * std::max(std::min<std::int64_t>(64, stationary), moving);
  };
  const LatencyGrid grid = LatencyGrid::Sample(
      128, 512,
      [&](std::int64_t stationary, std::int64_t moving) { return Exec(law(stationary, moving)); });
  for (std::int64_t stationary = 1; stationary <= 128; ++stationary) {
    for (std::int64_t moving = 1; moving <= 512; ++moving) {
      const auto truth = static_cast<double>(law(stationary, moving));
      ASSERT_NEAR(static_cast<double>(grid.At(stationary, moving).total().value), truth,
                  0.02 * truth)
          << stationary << " x " << moving;
    }
  }
}

}  // namespace
}  // namespace spillway
