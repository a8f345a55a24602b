// `spillway pipeline`: verdicts of files as text, as JSON and as exit status.
#include "sim/tool/pipeline_report.h"

#include <gmock/gmock.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace spillway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::int64_t kManyStates = 1'000'000;

std::string Traces(const std::string& file) {
  return std::string(SPILLWAY_SOURCE_DIR) + "/traces/" + file + ".pipeline.json";
}

rapidjson::Document JsonOf(const PipelineReport& report) {
  rapidjson::Document document;
  document.Parse(ToJson(report).c_str());
  EXPECT_FALSE(document.HasParseError());
  return document;
}

/// Keys of the table that a row of expected.json has and the report must have alike.
TEST(PipelineReport, HasTheKeysOfTheTableForEveryExample) {
  std::ifstream in(std::string(SPILLWAY_SOURCE_DIR) + "/traces/pipelines/expected.json");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  rapidjson::Document expected;
  expected.Parse(text.c_str());
  ASSERT_FALSE(expected.HasParseError());
  ASSERT_GE(expected.MemberCount(), 31u);
  for (const auto& row : expected.GetObject()) {
    const PipelineReport report =
        CheckPipelineFile(Traces(std::string("pipelines/") + row.name.GetString()), kManyStates);
    const rapidjson::Document found = JsonOf(report);
    bool is_clean = true;
    for (const auto& key : row.value.GetObject()) {
      const std::string name = key.name.GetString();
      if (name == "id") continue;
      ASSERT_TRUE(found.HasMember(key.name)) << row.name.GetString() << " " << name;
      EXPECT_EQ(found[key.name], key.value) << row.name.GetString() << " " << name;
      const bool is_list = key.value.IsArray();
      is_clean = is_clean && !(is_list && !key.value.Empty()) && !key.value.IsTrue();
    }
    EXPECT_EQ(report.ExitCode(), is_clean ? 0 : 1) << row.name.GetString();
    EXPECT_STREQ(found["verdict"].GetString(), is_clean ? "pass" : "fail");
  }
}

TEST(PipelineReport, EveryFindingStandsInTheTextWithItsRun) {
  const PipelineReport report = CheckPipelineFile(Traces("pipelines/e0_seed"), kManyStates);
  const std::string text = ToText(report);
  EXPECT_THAT(
      text,
      StartsWith("fail          e0_seed  20 events  29 states  smem 16 B, tmem 64 columns\n"));
  EXPECT_THAT(text,
              HasSubstr("race: Reader use vec #0 and Writer write sp #1 can touch tmem[0:64)"));
  EXPECT_THAT(text, HasSubstr("8    | write sp #1 begins | use vec #0 begins"));
  EXPECT_THAT(text, HasSubstr("wrong-value: Reader read sp #1 may see Reader use vec #0"));
  const rapidjson::Document json = JsonOf(report);
  ASSERT_EQ(json["violations"].Size(), 2u);
  EXPECT_STREQ(json["violations"][0]["kind"].GetString(), "race");
  EXPECT_EQ(json["violations"][0]["witness"]["rows"].Size(), 8u);
}

TEST(PipelineReport, AReportSaysWhatLongerLoopsMayShow) {
  const PipelineReport report =
      CheckPipelineFile(Traces("pipelines/x1_slots_have_not_met"), kManyStates);
  EXPECT_THAT(ToText(report), HasSubstr("clean for 15 iterations; if there may be more, check 31"));
  const rapidjson::Document json = JsonOf(report);
  EXPECT_EQ(json["iterations"].GetInt(), 15);
  EXPECT_EQ(json["cut_off"].GetInt(), 31);
}

TEST(PipelineReport, MoreStatesAreProposedOnlyWhereStatesWereTheBound) {
  task::Exploration explored;
  explored.bound = task::ExplorationBound::kStates;
  EXPECT_THAT(WhyInconclusive(explored), HasSubstr("--states N explores further"));
  for (const auto bound :
       {task::ExplorationBound::kNumbers, task::ExplorationBound::kComparisons}) {
    explored.bound = bound;
    EXPECT_THAT(WhyInconclusive(explored), Not(HasSubstr("--states")));
    EXPECT_THAT(WhyInconclusive(explored), HasSubstr("fewer iterations may fit"));
  }
}

TEST(PipelineReport, ABoundOfTheExplorationIsInconclusiveAndNeverAPass) {
  const PipelineReport report = CheckPipelineFile(Traces("pipelines/n1_neuroncore_ring"), 1000);
  EXPECT_EQ(report.ExitCode(), 1);
  const rapidjson::Document json = JsonOf(report);
  EXPECT_STREQ(json["verdict"].GetString(), "inconclusive");
  EXPECT_TRUE(json["states"].IsNull());
  EXPECT_TRUE(json["inconclusive"].GetBool());
  EXPECT_THAT(ToText(report), HasSubstr("--states N explores further"));
  // What was found is a failure all the same.
  const PipelineReport seed = CheckPipelineFile(Traces("pipelines/e0_seed"), 5);
  EXPECT_EQ(seed.VerdictName(), "fail");
  EXPECT_TRUE(seed.IsInconclusive());
}

TEST(PipelineReport, FindingsWithoutARunAreCounted) {
  PipelineReport report;
  report.system.emplace();
  const auto add = [&](Kind kind, bool with_run) {
    task::Finding finding{kind, "code", "text", std::nullopt};
    if (with_run) finding.witness.emplace();
    report.findings.push_back(std::move(finding));
  };
  add(Kind::kRace, true);
  add(Kind::kShape, false);  // no run shows structure
  EXPECT_THAT(ToText(report), Not(HasSubstr("have no run")));
  EXPECT_FALSE(JsonOf(report).HasMember("without_witness"));
  add(Kind::kRace, false);
  add(Kind::kWrongValue, false);
  EXPECT_THAT(ToText(report), HasSubstr("2 more findings have no run beside them"));
  EXPECT_EQ(JsonOf(report)["without_witness"].GetInt(), 2);
}

TEST(PipelineReport, WhatABoundLeftOutIsNullAndNotMissing) {
  PipelineReport report;
  report.system.emplace();
  report.error = Error{Kind::kLimit, "limit", "too many pairs", "", 0};
  const rapidjson::Document json = JsonOf(report);
  EXPECT_STREQ(json["verdict"].GetString(), "inconclusive");
  EXPECT_TRUE(json["inconclusive"].GetBool());
  for (const char* key : {"deadlock", "blocked", "races", "clobbers", "uninitialized", "structure",
                          "events", "states"})
    EXPECT_TRUE(json.HasMember(key) && json[key].IsNull()) << key;
}

TEST(PipelineReport, BadFilesAndTooSmallMemoriesHaveTheirOwnStatus) {
  const PipelineReport bad =
      CheckPipelineFile(Traces("invalid_pipelines/unknown_name_of_a_task"), kManyStates);
  EXPECT_EQ(bad.ExitCode(), 3);
  EXPECT_STREQ(JsonOf(bad)["error"]["code"].GetString(), "unknown-name");
  EXPECT_THAT(ToText(bad), StartsWith("bad-input"));
  const PipelineReport full = CheckPipelineFile(Traces("invalid_pipelines/capacity"), kManyStates);
  EXPECT_EQ(full.ExitCode(), 4);
  EXPECT_EQ(full.VerdictName(), "cannot-allocate");
  const PipelineReport limit =
      CheckPipelineFile(Traces("invalid_pipelines/limit_operations"), kManyStates);
  EXPECT_EQ(limit.ExitCode(), 3);
  const PipelineReport missing = CheckPipelineFile("no/such/file", kManyStates);
  EXPECT_EQ(missing.ExitCode(), 3);
  EXPECT_THAT(ToText(missing), Not(HasSubstr("events")));
}

}  // namespace
}  // namespace spillway
