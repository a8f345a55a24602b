#include "model/alloc/baseline/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace spillway {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

Result<ChildOutcome> Shell(const std::string& script, const ChildLimits& limits = {}) {
  return RunChild({"/bin/sh", "-c", script}, {"SPILLWAY_PLANTED=17"}, limits);
}

TEST(ChildProcess, TellsStatusAndWhatWasWritten) {
  const Result<ChildOutcome> outcome = Shell("echo out; echo err >&2; exit 7");
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->end, ChildEnd::kExited);
  EXPECT_EQ(outcome->code, 7);
  EXPECT_EQ(outcome->output, "out\nerr\n");
  EXPECT_FALSE(outcome->output_cut);
}

TEST(ChildProcess, SeesTheEnvironmentOnTopOfOurs) {
  EXPECT_EQ(Shell("echo $SPILLWAY_PLANTED; test -n \"$PATH\"")->output, "17\n");
  setenv("SPILLWAY_PLANTED", "of the parent", 1);
  EXPECT_EQ(Shell("echo $SPILLWAY_PLANTED")->output, "17\n");
  unsetenv("SPILLWAY_PLANTED");
}

TEST(ChildProcess, ReadsAnEmptyStandardInput) {
  EXPECT_EQ(Shell("cat; echo end")->output, "end\n");
}

TEST(ChildProcess, ThatIsKilledTellsTheSignal) {
  const Result<ChildOutcome> outcome = Shell("kill -ABRT $$");
  EXPECT_EQ(outcome->end, ChildEnd::kSignalled);
  EXPECT_EQ(outcome->code, SIGABRT);
}

TEST(ChildProcess, ThatTakesTooLongIsKilledWithWhatItStarted) {
  const Result<ChildOutcome> outcome = Shell("sleep 100 & echo $!; sleep 100", {.seconds = 0.3});
  ASSERT_EQ(outcome->end, ChildEnd::kTimedOut);
  const int child = std::stoi(outcome->output);
  // Whoever inherits it may take a moment to notice.
  for (int i = 0; i < 100 && kill(child, 0) == 0; ++i) {
    if (Shell("grep -q Z /proc/" + std::to_string(child) + "/stat")->code == 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_NE(kill(child, 0), 0);
}

TEST(ChildProcess, ThatClosesItsOutputIsStillWaitedFor) {
  const Result<ChildOutcome> outcome = Shell("exec >&- 2>&-; sleep 0.1; exit 5");
  EXPECT_EQ(outcome->code, 5);
}

TEST(ChildProcess, ThatEndsIsNotWaitedForByItsChildrensOutput) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Shell("sleep 100 & exit 3")->code, 3);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 30);
}

TEST(ChildProcess, OfAFloodTheEndIsKept) {
  const Result<ChildOutcome> outcome =
      Shell("head -c 9000000 /dev/zero | tr '\\0' x; echo last", {.output_bytes = 100});
  EXPECT_EQ(outcome->output.size(), 100u);
  EXPECT_THAT(outcome->output, EndsWith("xlast\n"));
  EXPECT_TRUE(outcome->output_cut);
}

TEST(ChildProcess, MayNotTakeMoreMemoryThanItsLimit) {
  const Result<ChildOutcome> outcome =
      Shell("python3 -c 'x = bytearray(1 << 30); print(len(x))'", {.megabytes = 256});
  EXPECT_NE(outcome->code, 0);
  EXPECT_THAT(outcome->output, HasSubstr("MemoryError"));
}

TEST(ChildProcess, MayNotWriteALargerFileThanItsLimit) {
  const std::string file = testing::TempDir() + "/spillway_large_file";
  const Result<ChildOutcome> outcome =
      Shell("head -c 100000 /dev/zero > " + file + "; wc -c < " + file, {.file_bytes = 5000});
  std::remove(file.c_str());
  EXPECT_THAT(outcome->output, HasSubstr("5000\n"));
}

TEST(ChildProcess, ThatDoesNotExistIsAnExitStatus) {
  EXPECT_EQ(RunChild({"/nowhere/at/all"}, {}, {})->code, 127);
}

TEST(ChildProcess, RunsInSeveralThreadsWithoutMixingOutputs) {
  std::vector<std::string> outputs(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      threads.emplace_back([&, i] { outputs[i] = Shell("echo " + std::to_string(i))->output; });
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(outputs[i], std::to_string(i) + "\n");
  }
}

}  // namespace
}  // namespace spillway
