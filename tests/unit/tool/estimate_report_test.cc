// The compiler's own estimate in what a run reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/tool/html_tables.h"
#include "sim/tool/json_report.h"
#include "sim/tool/pipeline.h"
#include "sim/tool/text_report.h"
#include "tests/unit/tool/sample_run.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunReport Sample(std::optional<Estimate> estimate, std::string note = "") {
  RunReport report = SampleRun().report;
  report.estimate = estimate;
  report.estimate_note = std::move(note);
  return report;
}

constexpr Estimate kEstimate{Cycles(12250), Cycles(9800)};
constexpr const char* kReason = "fixed prices don't price iota on pool";

TEST(EstimateReport, JsonHasBothCyclesAndTheirRatio) {
  const std::string json = ToJson({Sample(kEstimate)});
  EXPECT_THAT(json, HasSubstr("\"estimate_cycles\": 12250,"));
  EXPECT_THAT(json, HasSubstr("\"estimate_cycles_without_anti_dependences\": 9800,"));
  EXPECT_THAT(json, HasSubstr("\"slack_of_anti_dependences\": 1.25,"));
  EXPECT_THAT(json, Not(HasSubstr("estimate_note")));
}

TEST(EstimateReport, WithoutAnEstimateJsonHasNullsAndTheReason) {
  const std::string json = ToJson({Sample(std::nullopt, kReason)});
  EXPECT_THAT(json, HasSubstr("\"estimate_cycles\": null,"));
  EXPECT_THAT(json, HasSubstr("\"estimate_cycles_without_anti_dependences\": null,"));
  EXPECT_THAT(json, HasSubstr("\"slack_of_anti_dependences\": null,"));
  EXPECT_THAT(json, HasSubstr(std::string("\"estimate_note\": \"") + kReason + "\""));
}

TEST(EstimateReport, TheTextComparesItWithTheSimulation) {
  EXPECT_THAT(ToText(Sample(kEstimate)),
              HasSubstr("\n      compiler's estimate: 12,250 cycles (1.25 x simulated), 9,800 "
                        "without anti-dependences (slack 1.250)\n"));
  EXPECT_THAT(ToText(Sample(std::nullopt, kReason)),
              HasSubstr(std::string("\n      no estimate: ") + kReason + "\n"));
  EXPECT_THAT(ToText(Sample(std::nullopt)), Not(HasSubstr("estimate")));
}

TEST(UnpricedOps, AreNamedInEveryReport) {
  RunReport report = SampleRun().report;
  report.unpriced_ops = {"frobnicate", "twiddle"};
  EXPECT_THAT(ToText(report), HasSubstr("no price is known for frobnicate, twiddle: a cycle an "
                                        "element, so the time is a guess\n"));
  EXPECT_THAT(ToJson({report}), HasSubstr("\"frobnicate\""));
  EXPECT_THAT(html::Notes(report), HasSubstr("twiddle"));
  EXPECT_THAT(ToText(SampleRun().report), Not(HasSubstr("no price")));
}

TEST(EstimateReport, HtmlListsItBesideTheSimulatedCycles) {
  const std::string html = html::Numbers(Sample(kEstimate));
  const std::size_t simulated = html.find("9,800</td>");
  const std::size_t estimate = html.find("12,250 cycles (1.25 x simulated)");
  ASSERT_NE(simulated, std::string::npos);
  ASSERT_NE(estimate, std::string::npos);
  EXPECT_LT(simulated, estimate);
  EXPECT_THAT(html::Numbers(Sample(std::nullopt)), Not(HasSubstr("estimate")));
}

TEST(EstimateReport, ARunHasAnEstimateOrSaysWhyNot) {
  ToolOptions options;
  options.values = ValueMode::kNone;
  const std::string folder = std::string(SPILLWAY_SOURCE_DIR) + "/traces/";
  const auto expect_one = [](const RunReport& report) {
    ASSERT_EQ(report.verdict, Verdict::kPass) << report.message;
    EXPECT_NE(report.estimate.has_value(), !report.estimate_note.empty()) << report.file;
    EXPECT_GT(report.estimate.value_or(kEstimate).cycles, Cycles(0)) << report.file;
  };
  expect_one(RunKernel(folder + "rolled/tiled_matmul.kernel.jsonl", options, {}).report);
  expect_one(ReplayKernel(folder + "cases/quadrants_share_bytes.kernel.jsonl", options, {}).report);
}

}  // namespace
}  // namespace spillway
