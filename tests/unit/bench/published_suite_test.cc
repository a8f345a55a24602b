// Simulated time, not the computer's: what the suite says doesn't depend on where it runs.
#include "sim/bench/published_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace spillway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

PublishedFigure Figure(double published, double simulated, std::optional<double> bound) {
  return {"copy", published, simulated, "ns", bound, "a document"};
}

TEST(PublishedFigure, HoldsWithinItsBoundOnBothSides) {
  EXPECT_TRUE(Figure(100, 104.9, 0.05).holds());
  EXPECT_TRUE(Figure(100, 95.1, 0.05).holds());
  EXPECT_FALSE(Figure(100, 105.1, 0.05).holds());
  EXPECT_FALSE(Figure(100, 94.9, 0.05).holds());
  EXPECT_TRUE(Figure(100, 900, std::nullopt).holds()) << "for information";
}

TEST(PublishedReport, TheWorstIsTheOneThatUsesMostOfItsBound) {
  PublishedReport report;
  report.in_order = true;
  report.figures = {Figure(100, 104, 0.05), Figure(100, 120, 0.30), Figure(100, 300, std::nullopt)};
  report.figures[1].name = "other";
  EXPECT_EQ(report.Worst().name, "copy");
  EXPECT_TRUE(report.holds());
  EXPECT_THAT(ToText(report),
              ::testing::EndsWith("copy, +4.0% of 5%; largest error: copy, +200.0%\n"));
}

TEST(PublishedReport, AnErrorPastItsBoundOrTheWrongOrderFails) {
  PublishedReport report;
  report.in_order = true;
  report.figures = {Figure(100, 110, 0.05)};
  EXPECT_FALSE(report.holds());
  EXPECT_THAT(ToText(report), HasSubstr("OUT OF BOUND"));
  EXPECT_THAT(ToText(report), HasSubstr("BOUNDS BROKEN"));
  report.figures = {Figure(100, 101, 0.05)};
  report.in_order = false;
  EXPECT_FALSE(report.holds());
  EXPECT_THAT(ToText(report), HasSubstr("OUT OF ORDER"));
}

TEST(PublishedSuite, AllBoundsHold) {
  const PublishedReport report = RunPublishedSuite();
  EXPECT_TRUE(report.holds()) << ToText(report);
  EXPECT_THAT(ToText(report), Not(HasSubstr("OUT OF")));
}

TEST(PublishedSuite, HasEveryFigureWithABoundAndTheBoundsOfTheIssue) {
  const PublishedReport report = RunPublishedSuite();
  std::map<double, int> bounds;
  for (const PublishedFigure& figure : report.figures) {
    if (figure.bound) ++bounds[*figure.bound];
  }
  // The curve's ten sizes and the single engine; the product; the copy; three products' DMA and
  // totals.
  EXPECT_EQ(bounds,
            (std::map<double, int>{{0.02, 1}, {0.05, 11}, {0.10, 1}, {0.30, 3}, {0.35, 3}}));
}

TEST(PublishedSuite, ItsFiguresComeFromTheTarget) {
  Target slow = FindTarget("trn2").value();
  slow.dma_descriptor_floor.value = Picoseconds(210'000);
  slow.pe_rate_percent.value = 49;
  slow.static_overhead.value = Cycles(400);
  const Target trn1 = FindTarget("trn1").value();
  const auto broken = [](const std::vector<PublishedFigure>& figures) {
    return std::count_if(figures.begin(), figures.end(),
                         [](const PublishedFigure& f) { return !f.holds(); });
  };
  EXPECT_EQ(broken(DmaFigures(slow)), 8) << "the sizes up to 4 KiB";
  EXPECT_EQ(broken(InstructionFigures(trn1, slow)), 2);
}

TEST(PublishedSuite, TwoRunsSayTheSame) {
  EXPECT_EQ(ToText(RunPublishedSuite()), ToText(RunPublishedSuite()));
}

}  // namespace
}  // namespace spillway
