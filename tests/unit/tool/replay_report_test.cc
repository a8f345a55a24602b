// `spillway pipeline` plays its files: the short line, the table, the JSON key, contradictions.
#include "sim/tool/replay_report.h"

#include <gmock/gmock.h>
#include <rapidjson/document.h>

#include <fstream>
#include <string>

#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "sim/tool/options.h"
#include "sim/tool/pipeline_report.h"
#include "sim/tool/replay_agreement.h"
#include "traces/pipeline_reader.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::int64_t kManyStates = 1'000'000;

ReplayPlan Plan(std::uint64_t seed = 1) { return {FindTarget("trn2").value(), seed}; }

std::string Traces(const std::string& file) {
  return std::string(SPILLWAY_SOURCE_DIR) + "/traces/pipelines/" + file + ".pipeline.json";
}

PipelineReport Played(const std::string& file) {
  return CheckPipelineFile(Traces(file), kManyStates, Plan());
}

rapidjson::Document JsonOf(const PipelineReport& report) {
  rapidjson::Document document;
  document.Parse(ToJson(report).c_str());
  EXPECT_FALSE(document.HasParseError());
  return document;
}

/// A file of the test's own.
PipelineReport PlayedText(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + name + ".pipeline.json";
  std::ofstream(path) << text;
  return CheckPipelineFile(path, kManyStates, Plan());
}

TEST(ReplayReport, OneLineSaysWhatWasPlayedAndWhetherTheChecksAgree) {
  const PipelineReport clean = Played("e1_use_before_release");
  EXPECT_EQ(clean.ExitCode(), 0);
  EXPECT_THAT(ToText(clean),
              HasSubstr(" ns on trn2, 4 runs, no finding; the checks say the same\n"));
  const PipelineReport racy = Played("e4_persistent");
  EXPECT_EQ(racy.ExitCode(), 1);
  EXPECT_THAT(ToText(racy),
              HasSubstr(" 3 races (3 seen to overlap in time); the checks say the same\n"));
}

TEST(ReplayReport, ADeadlockShowsTheBarriers) {
  EXPECT_THAT(ToText(Played("e11_missing_release")),
              HasSubstr("  p empty[0] | 0     | 0      | no contributor   | 0             | "
                        "A:acquire p\n"));
}

TEST(ReplayReport, StandsInTheJsonUnderOneKey) {
  const rapidjson::Document json = JsonOf(Played("e11_missing_release"));
  const auto& replay = json["replay"];
  EXPECT_TRUE(replay["played"].GetBool());
  EXPECT_TRUE(replay["agrees"].GetBool());
  EXPECT_GT(replay["cycles"].GetInt64(), 0);
  EXPECT_EQ(replay["blocked"], json["blocked"]);
  ASSERT_EQ(replay["barriers"].Size(), 2u);
  EXPECT_STREQ(replay["barriers"][0]["name"].GetString(), "p full[0]");
  EXPECT_EQ(replay["barriers"][0]["parity"].GetInt(), 1);
  EXPECT_STREQ(replay["barriers"][0]["waiting"][0].GetString(), "B");
  const rapidjson::Document racy = JsonOf(Played("e0_seed"));
  EXPECT_EQ(racy["replay"]["races"][0]["a"], racy["races"][0]["a"]);
  EXPECT_TRUE(racy["replay"]["races"][0]["overlapped"].GetBool());
}

TEST(ReplayReport, WithoutAPlanNothingIsPlayedAndTheRestIsTheSame) {
  const PipelineReport checked = CheckPipelineFile(Traces("e0_seed"), kManyStates);
  EXPECT_FALSE(checked.replay.has_value());
  EXPECT_FALSE(JsonOf(checked).HasMember("replay"));
  EXPECT_THAT(ToText(checked), Not(HasSubstr("replay")));
  rapidjson::Document played = JsonOf(Played("e0_seed"));
  played.RemoveMember("replay");
  EXPECT_EQ(played, JsonOf(checked));
}

TEST(ReplayReport, AContradictionIsALoudFailure) {
  const task::PipelineSystem system = ReadPipelineFile(Traces("e0_seed")).value();
  const task::Program program = task::Unroll(system, task::LayOutSystem(system).value()).value();
  // Checks that have missed everything.
  const ReplayReport report = PlayPipeline(system, program, task::Verdict(), Plan());
  EXPECT_FALSE(report.IsClean());
  EXPECT_THAT(
      report.contradictions,
      ElementsAre("race: Reader use vec and Writer write sp: the replay finds it, the "
                  "checks don't",
                  "wrong-value: Reader read sp and Reader use vec: the replay finds it, the "
                  "checks don't",
                  "data: Reader read sp #1: other than with memory of its own for every "
                  "resource"));
  EXPECT_THAT(ReplayText(report), HasSubstr("THE CHECKS SAY OTHERWISE\nerror: the static checks"));
  PipelineReport file;
  file.verdict = task::Verdict();
  file.exploration.complete = true;
  EXPECT_EQ(file.ExitCode(), 0);
  file.replay = report;
  EXPECT_EQ(file.VerdictName(), "fail");
  EXPECT_EQ(file.ExitCode(), 1);
}

TEST(ReplayReport, WhatOnlyTheChecksFindIsAContradictionToo) {
  const task::PipelineSystem system = ReadPipelineFile(Traces("e9_crossing_waits")).value();
  const task::Program program = task::Unroll(system, task::LayOutSystem(system).value()).value();
  const task::Verdict verdict = task::CheckSystem(system, program).value();
  EXPECT_THAT(ReplayContradictions(system, verdict, task::Replay()),
              ElementsAre("deadlock: A:wait q: the checks find it, the replay doesn't",
                          "deadlock: B:wait p: the checks find it, the replay doesn't"));
}

// By §8 the read may see this: the last write is through its own resource.
TEST(ReplayReport, AFillWithoutAWriteIsANoteAndTheFilePasses) {
  const PipelineReport report = PlayedText("stale", R"({
    "system": "stale", "version": 1,
    "allocations": [{"name": "p", "space": "smem", "size": 64}],
    "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"}],
    "resources": [{"name": "p", "regions": [{"allocation": "p"}], "pipeline": "p"}],
    "tasks": [{"name": "A", "ops": [{"acquire": "p"}, {"write": "p"}, {"commit": "p"},
                                    {"acquire": "p"}, {"commit": "p"}]},
              {"name": "B", "ops": [{"loop": 2, "ops": [{"wait": "p"}, {"read": "p"}, {"release": "p"}]}]}]
  })");
  ASSERT_FALSE(report.error.has_value()) << report.error->ToString();
  EXPECT_TRUE(report.verdict->IsClean());
  EXPECT_TRUE(report.replay->IsClean());
  EXPECT_EQ(report.VerdictName(), "pass");
  EXPECT_EQ(report.ExitCode(), 0);
  EXPECT_THAT(ToText(report),
              HasSubstr(" no finding; the checks say the same\n"
                        "  note: stale-fill: B read p #1 got what A write p #0 wrote: expected "
                        "fill #1 of its pipeline, found fill #0; "));
  const rapidjson::Document json = JsonOf(report);
  EXPECT_TRUE(json["replay"]["findings"].Empty());
  ASSERT_EQ(json["replay"]["notes"].Size(), 1u);
  EXPECT_STREQ(json["replay"]["notes"][0]["code"].GetString(), "stale-fill");
  EXPECT_EQ(json["replay"]["stale"][0]["fills"][1].GetInt64(), 0);
}

TEST(ReplayReport, AFillThatARaceBringsIsNoNote) {
  // A fills again while B may still be waiting for the stage that it reads.
  const PipelineReport report = PlayedText("racing", R"({
    "system": "racing", "version": 1,
    "allocations": [{"name": "p", "space": "smem", "size": 64}],
    "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"}],
    "resources": [{"name": "p", "regions": [{"allocation": "p"}], "pipeline": "p"}],
    "tasks": [{"name": "A", "ops": [{"loop": 2, "ops": [{"acquire": "p"}, {"write": "p"}, {"commit": "p"}]}]},
              {"name": "B", "ops": [{"loop": 2, "ops": [{"wait": "p"}, {"release": "p"}, {"read": "p"}]}]}]
  })");
  ASSERT_FALSE(report.error.has_value()) << report.error->ToString();
  EXPECT_EQ(report.ExitCode(), 1);
  EXPECT_FALSE(report.replay->replay->stale.empty());
  EXPECT_TRUE(report.replay->notes.empty());
}

TEST(ReplayReport, AWaiterThatMayLagTwoPhasesFailsAFileThatTheChecksPass) {
  const PipelineReport report = PlayedText("lagging", R"({
    "system": "lagging", "version": 1,
    "allocations": [{"name": "p", "space": "smem", "size": 64}],
    "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"}],
    "resources": [{"name": "p", "regions": [{"allocation": "p"}], "pipeline": "p"}],
    "tasks": [{"name": "A", "ops": [{"loop": 3, "ops": [{"acquire": "p"}, {"write": "p"}, {"commit": "p"}]}]},
              {"name": "B", "ops": [{"loop": 3, "ops": [{"wait": "p"}, {"read": "p"}, {"release": "p"}]}]},
              {"name": "C", "ops": [{"loop": 3, "ops": [{"wait": "p"}]}]}]
  })");
  ASSERT_FALSE(report.error.has_value()) << report.error->ToString();
  EXPECT_EQ(report.ExitCode(), 1);
  EXPECT_THAT(ToText(report), HasSubstr("phase-skew: C may wait for fill #0 of p"));
}

TEST(ReplayReport, ASkippedReplayIsLoudAndNoFinding) {
  ReplayReport report;
  report.skipped = Error{Kind::kLimit, "limit", "tasks: expected at most 64", "", 0};
  EXPECT_TRUE(report.IsClean());
  EXPECT_EQ(ReplayText(report), "REPLAY SKIPPED: tasks: expected at most 64\n");
}

TEST(ReplayReport, JitterChangesNoFinding) {
  for (const std::uint64_t seed : {0u, 2u, 3u}) {
    const PipelineReport report =
        CheckPipelineFile(Traces("e0c_seed_two_stages"), kManyStates, Plan(seed));
    EXPECT_THAT(report.replay->contradictions, IsEmpty());
    EXPECT_EQ(report.replay->replay->races.size(), 1u);
    EXPECT_EQ(report.replay->cycles, Played("e0c_seed_two_stages").replay->cycles);
  }
}

TEST(ReplayReport, IsAskedForUnlessTheCommandLineSaysNo) {
  const char* const plain[] = {"spillway", "pipeline", "x.pipeline.json"};
  EXPECT_TRUE(ParseArguments(3, plain).options.play);
  const char* const without[] = {"spillway", "pipeline", "--no-replay",
                                 "--seed",   "7",        "x.pipeline.json"};
  const ParsedArguments parsed = ParseArguments(6, without);
  EXPECT_FALSE(parsed.stop) << parsed.text;
  EXPECT_FALSE(parsed.options.play);
  EXPECT_EQ(parsed.options.seed, 7u);
}

}  // namespace
}  // namespace spillway
