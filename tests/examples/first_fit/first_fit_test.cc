// The tool on an allocator that it knows nothing about: a command in another language.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <regex>
#include <string>
#include <thread>

namespace spillway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kExample = SPILLWAY_SOURCE_DIR "/tests/examples/first_fit/";
constexpr const char* kRolled = SPILLWAY_SOURCE_DIR "/traces/rolled/";

std::string Rolled(const std::string& name) { return kRolled + name + ".kernel.jsonl "; }

struct ToolRun {
  int exit_code = 0;
  std::string output;
};

// `spillway run` with the allocator that the Python call says.
ToolRun RunTool(const std::string& python, const std::string& arguments) {
  const std::string command = SPILLWAY_TOOL " run --values tags --allocator 'external:python3 " +
                              (kExample + python) + "' " + arguments + " 2>&1";
  ToolRun run;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {-1, "no shell"};
  std::array<char, 4096> piece;
  while (const std::size_t count = fread(piece.data(), 1, piece.size(), pipe)) {
    run.output.append(piece.data(), count);
  }
  const int status = pclose(pipe);
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return run;
}

TEST(FirstFit, IsFoundRightOnKernelsWithLoopsAndOnCapturedOnes) {
  const std::string captured = SPILLWAY_SOURCE_DIR "/traces/captured/";
  const ToolRun run = RunTool("first_fit.py", SPILLWAY_SOURCE_DIR "/traces/rolled/*.jsonl " +
                                                  captured + "cumsum.kernel.jsonl.zst " + captured +
                                                  "conv1d.kernel.jsonl.zst");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("7 passed, 0 failed"));
  EXPECT_THAT(run.output, HasSubstr("allocator: external:python3"));
}

TEST(FirstFit, ThatForgetsBackEdgesIsFoundOut) {
  const ToolRun run = RunTool("first_fit.py --fault no-back-edge",
                              SPILLWAY_SOURCE_DIR "/traces/published/matmul_v1.kernel.jsonl");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, AllOf(HasSubstr("overlap: result block 0 and lhs_tiles block 0"),
                                HasSubstr("0 passed, 1 failed")));
}

TEST(FirstFit, ThatTakesTheLastUseAsExclusiveIsFoundOut) {
  const ToolRun run =
      RunTool("first_fit.py --fault exclusive-last-use", Rolled("value_used_after_loop"));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, HasSubstr("share bytes [0, 4) of partitions [0, 128) of sbuf"));
}

TEST(FirstFit, SaysItselfWhatHasNoRoom) {
  const ToolRun run = RunTool("first_fit.py", Rolled("double_buffered") + "--sbuf-bytes 1024");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.output,
              AllOf(HasSubstr("has no room for 128 x 1024 bytes in 1024 bytes of sbuf"),
                    HasSubstr("[capacity/external-refused]"), HasSubstr("1 can't be allocated")));
}

struct Misbehaviour {
  const char* how;
  int exit_code;
  const char* mentions;
};
void PrintTo(const Misbehaviour& misbehaviour, std::ostream* out) { *out << misbehaviour.how; }

class Misbehaving : public testing::TestWithParam<Misbehaviour> {};

TEST_P(Misbehaving, IsAVerdictThatSaysWhatWasExpectedAndFound) {
  const ToolRun run = RunTool(std::string("misbehaving.py ") + GetParam().how,
                              Rolled("double_buffered") + "--allocator-megabytes 512");
  EXPECT_EQ(run.exit_code, GetParam().exit_code) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr(GetParam().mentions), HasSubstr("0 passed"),
                                Not(HasSubstr("a bug of this tool"))));
  EXPECT_LT(run.output.size(), 8192u);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, Misbehaving,
    testing::Values(
        Misbehaviour{"crash", 1, "was killed by signal 11 (Segmentation fault)"},
        Misbehaviour{"raise", 1, "RuntimeError: no idea [allocator/external-status]"},
        Misbehaviour{"eat-memory", 1, "MemoryError"},
        Misbehaviour{"fill-the-disk", 1, "File too large"},
        Misbehaviour{"print-garbage", 1, "is no kernel file: PLACED_OUT:1: error"},
        Misbehaviour{"flood", 1, "[allocator/external-unreadable]"},
        Misbehaviour{"answer-with-a-pipe", 1, "[allocator/external-no-answer]"},
        Misbehaviour{"answer-nothing", 1, "expected a placed kernel as a regular file"},
        Misbehaviour{"drop-the-last-instruction", 1, "output-never-written"},
        Misbehaviour{"rename-an-operation", 1, "changed-kernel: the allocator changed the kernel"},
        Misbehaviour{"place-nothing", 1, "out-of-range: loaded has 2 block(s) but 0 address(es)"},
        Misbehaviour{"refuse", 4, "too tight [capacity/external-refused]"}),
    [](const auto& way) { return std::regex_replace(way.param.how, std::regex("-"), "_"); });

TEST(Misbehaving, AHangEndsInTimeAndTheOtherKernelsStillRun) {
  const auto start = std::chrono::steady_clock::now();
  const ToolRun run =
      RunTool("misbehaving.py hang",
              Rolled("double_buffered") + Rolled("tiled_matmul") + "--allocator-seconds 1");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, AllOf(HasSubstr("took over 1 seconds and was killed"),
                                HasSubstr("fail  double_buffered"), HasSubstr("fail  tiled_matmul"),
                                HasSubstr("about to hang")));
  EXPECT_LT(took.count(), 60);
}

TEST(Misbehaving, AChildThatIsLeftBehindIsKilled) {
  const ToolRun run = RunTool("misbehaving.py leave-a-child", Rolled("double_buffered"));
  EXPECT_EQ(run.exit_code, 1);
  std::smatch child;
  ASSERT_TRUE(std::regex_search(run.output, child, std::regex("child ([0-9]+)"))) << run.output;
  // A killed process keeps its number until whoever inherited it has noticed.
  bool is_gone = false;
  for (int i = 0; i < 100 && !is_gone; ++i) {
    std::FILE* status = std::fopen(("/proc/" + child[1].str() + "/cmdline").c_str(), "r");
    is_gone = status == nullptr || std::fgetc(status) == EOF;
    if (status != nullptr) std::fclose(status);
    if (!is_gone) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(is_gone) << "process " << child[1] << " still runs";
}

}  // namespace
}  // namespace spillway
