#include "sim/tool/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway {
namespace {

ParsedArguments Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "spillway");
  return ParseArguments(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, RunTakesKernelsAndDefaultsToNumbersAndTheColourer) {
  const ParsedArguments parsed = Parse({"run", "a.kernel.jsonl", "b.kernel.jsonl"});
  ASSERT_FALSE(parsed.stop) << parsed.text;
  EXPECT_EQ(parsed.options.command, Command::kRun);
  EXPECT_THAT(parsed.options.files, testing::ElementsAre("a.kernel.jsonl", "b.kernel.jsonl"));
  EXPECT_EQ(parsed.options.values, ValueMode::kNumeric);
  EXPECT_EQ(parsed.options.allocator, "coloring");
  EXPECT_EQ(parsed.options.oracle, "measured");
  EXPECT_FALSE(parsed.options.sbuf_bytes);
}

TEST(Options, LimitsOfTheMemoriesArriveWithTheirUnits) {
  const ParsedArguments parsed =
      Parse({"run", "k", "--sbuf-bytes", "4096", "--psum-banks", "3", "--reallocate"});
  ASSERT_FALSE(parsed.stop) << parsed.text;
  EXPECT_EQ(parsed.options.sbuf_bytes, Bytes(4096));
  EXPECT_EQ(parsed.options.psum_banks, BankCount(3));
  EXPECT_TRUE(parsed.options.reallocate);
}

TEST(Options, ACampaignTakesSeedsJudgesAndAnAllocatorButNoOracle) {
  const ParsedArguments parsed =
      Parse({"campaign", "--seed", "7", "--first", "10", "--cases", "20", "--execute-every", "5",
             "--judges", "static", "--allocator", "linear-scan", "--threads", "2"});
  ASSERT_FALSE(parsed.stop) << parsed.text;
  EXPECT_EQ(parsed.options.command, Command::kCampaign);
  EXPECT_EQ(parsed.options.seed, 7U);
  EXPECT_EQ(parsed.options.first, 10U);
  EXPECT_EQ(parsed.options.cases, 20U);
  EXPECT_EQ(parsed.options.execute_every, 5U);
  EXPECT_EQ(parsed.options.judges, "static");
  EXPECT_EQ(parsed.options.allocator, "linear-scan");
  EXPECT_EQ(Parse({"campaign", "--oracle", "measured"}).exit_code, 2);
  EXPECT_EQ(Parse({"campaign", "--cases", "0"}).exit_code, 2);
}

TEST(Options, PipelinesTakeFilesAndABoundOfStates) {
  const ParsedArguments parsed = Parse({"pipeline", "a.pipeline.json", "b", "--states", "7"});
  ASSERT_FALSE(parsed.stop) << parsed.text;
  EXPECT_EQ(parsed.options.command, Command::kPipeline);
  EXPECT_THAT(parsed.options.files, testing::ElementsAre("a.pipeline.json", "b"));
  EXPECT_EQ(parsed.options.max_states, 7);
  EXPECT_EQ(Parse({"pipeline", "a"}).options.max_states, 1'000'000);
  EXPECT_EQ(Parse({"pipeline"}).exit_code, 2);
  EXPECT_EQ(Parse({"pipeline", "a", "--report", "page.html"}).options.report, "page.html");
  EXPECT_EQ(Parse({"pipeline", "a", "--report", "-"}).exit_code, 2);
  EXPECT_EQ(Parse({"bench", "--suite", "pipelines"}).options.suite, "pipelines");
  EXPECT_EQ(Parse({"bench", "--suite", "pipelines", "a"}).exit_code, 2);
  EXPECT_EQ(Parse({"pipeline", "a", "--states", "0"}).exit_code, 2);
}

TEST(Options, WhatAKernelsRingsWouldIgnoreIsRefused) {
  const std::vector<std::vector<const char*>> given = {
      {"--states", "1000000"}, {"--target", "trn1"}, {"--seed", "1"}, {"--no-replay"}};
  for (const std::vector<const char*>& option : given) {
    std::vector<const char*> arguments = {"pipeline", "a.pipeline.json"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    EXPECT_FALSE(Parse(arguments).stop) << option.front();
    // Even with the number that it has by default, and even beside a file that takes it.
    for (const char* const kernel : {"k.kernel.jsonl", "k.kernel.jsonl.zst"}) {
      std::vector<const char*> with_kernel = arguments;
      with_kernel.push_back(kernel);
      const ParsedArguments refused = Parse(with_kernel);
      EXPECT_EQ(refused.exit_code, 2) << option.front();
      EXPECT_THAT(refused.text, testing::HasSubstr(option.front()));
      EXPECT_THAT(refused.text, testing::HasSubstr(kernel));
    }
  }
  EXPECT_FALSE(Parse({"pipeline", "k.kernel.jsonl", "--json", "-"}).stop);
  EXPECT_EQ(Parse({"pipeline", "k.kernel.jsonl", "--report", "page.html"}).options.report,
            "page.html");
}

TEST(Options, ShrinkingNeedsAKernelAndAPlaceForTheResult) {
  EXPECT_EQ(Parse({"shrink", "k", "-o", "s"}).options.command, Command::kShrink);
  EXPECT_EQ(Parse({"shrink", "k"}).exit_code, 2);
  EXPECT_EQ(Parse({"gen", "--case", "3"}).options.first, 3U);
}

TEST(Options, TheOracleIsChosenWhereSpillsArePriced) {
  for (const char* oracle : {"measured", "closed-form", "calibrated"}) {
    EXPECT_EQ(Parse({"run", "k", "--oracle", oracle}).options.oracle, oracle);
    EXPECT_EQ(Parse({"alloc", "k", "-o", "p", "--oracle", oracle}).options.oracle, oracle);
    EXPECT_EQ(Parse({"bench", "k", "--oracle", oracle}).options.oracle, oracle);
  }
}

TEST(Options, HwmTakesATarget) {
  const ParsedArguments parsed = Parse({"hwm", "--target", "trn1", "--json", "-"});
  ASSERT_FALSE(parsed.stop) << parsed.text;
  EXPECT_EQ(parsed.options.command, Command::kHwm);
  EXPECT_EQ(parsed.options.target, "trn1");
}

TEST(Options, AnExternalAllocatorHasLimits) {
  const ParsedArguments parsed =
      Parse({"run", "k", "--allocator", "external:python3 mine.py", "--allocator-seconds", "0.5",
             "--allocator-megabytes", "128"});
  ASSERT_FALSE(parsed.stop) << parsed.text;
  EXPECT_EQ(parsed.options.allocator, "external:python3 mine.py");
  EXPECT_EQ(parsed.options.allocator_limits.seconds, 0.5);
  EXPECT_EQ(parsed.options.allocator_limits.megabytes, 128);
}

struct WrongUsage {
  std::vector<const char*> arguments;
  const char* mentions;
};

class Wrong : public testing::TestWithParam<WrongUsage> {};

TEST_P(Wrong, IsExitStatusTwoAndSaysWhy) {
  const ParsedArguments parsed = Parse(GetParam().arguments);
  EXPECT_TRUE(parsed.stop);
  EXPECT_EQ(parsed.exit_code, 2);
  EXPECT_THAT(parsed.text, testing::HasSubstr(GetParam().mentions));
}

INSTANTIATE_TEST_SUITE_P(
    Usage, Wrong,
    testing::Values(
        WrongUsage{{}, "subcommand"}, WrongUsage{{"frob"}, "unknown command 'frob'"},
        WrongUsage{{"run"}, "kernels"}, WrongUsage{{"run", "k", "--values", "words"}, "words"},
        WrongUsage{{"run", "k", "--sbuf-bytes", "0"}, "0"},
        WrongUsage{{"run", "k", "--sbuf-bytes", "many"}, "many"},
        WrongUsage{{"run", "k", "--allocator", "flat"},
                   "coloring, linear-scan, stack, scoped, external:COMMAND"},
        WrongUsage{{"run", "k", "--allocator", "external:"}, "unknown allocator"},
        WrongUsage{{"run", "k", "--allocator-seconds", "0"}, "0"},
        WrongUsage{{"run", "k", "--oracle", "delphi"}, "closed-form"},
        WrongUsage{{"check", "k", "--oracle", "measured"}, "oracle"},
        WrongUsage{{"run", "k", "--target", "trn9"}, "trn1"},
        WrongUsage{{"run", "a", "b", "--dump", "d"}, "--dump takes one kernel"},
        WrongUsage{{"run", "k", "--values", "none", "--dump", "d"}, "--dump needs data"},
        WrongUsage{{"run", "k", "--threads", "0"}, "0"}, WrongUsage{{"run", "k", "--frob"}, "frob"},
        WrongUsage{{"bench"}, "needs kernel files"},
        WrongUsage{{"bench", "--suite", "machine", "k"}, "takes no kernel files"},
        WrongUsage{{"bench", "--suite", "speed"}, "published"},
        WrongUsage{{"bench", "--suite", "published", "--target", "trn1"}, "--target"},
        WrongUsage{{"bench", "k", "--json", "-"}, "--json"}, WrongUsage{{"alloc", "k"}, "--output"},
        WrongUsage{{"campaign", "--first", "18446744073709551615"}, "expected a number from 0 to"},
        WrongUsage{{"campaign", "--seed", "99999999999999999999999"}, "from 0 to"},
        WrongUsage{{"campaign", "--seed", "-1"}, "from 0 to"},
        WrongUsage{{"gen", "--case", "1e3"}, "from 0 to"},
        WrongUsage{{"campaign", "--seconds", "nan"}, "nan: expected a number from 0.001 to 86400"},
        WrongUsage{{"campaign", "--seconds", "0"}, "from 0.001 to 86400"},
        WrongUsage{{"campaign", "--corpus", SPILLWAY_SOURCE_DIR "/README.md"},
                   "expected a directory"}));

TEST(Options, HelpIsNoError) {
  for (const char* command : {"run", "alloc", "check", "replay", "targets", "hwm", "bench"}) {
    const ParsedArguments parsed = Parse({command, "--help"});
    EXPECT_TRUE(parsed.stop);
    EXPECT_EQ(parsed.exit_code, 0) << command;
    EXPECT_THAT(parsed.text, testing::HasSubstr("--json")) << command;
  }
}

}  // namespace
}  // namespace spillway
