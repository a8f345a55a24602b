#include "sim/tool/shrink_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

namespace spillway {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

// `spillway shrink FILE --judges legality` with what `change` makes of its options.
template <class Change>
Outcome Shrink(const std::string& file, Change change) {
  ToolOptions options;
  options.command = Command::kShrink;
  options.files = {SPILLWAY_SOURCE_DIR "/traces/" + file};
  options.judges = "legality";
  options.output = (std::filesystem::temp_directory_path() /
                    ("shrunk-" + std::to_string(getpid()) + ".kernel.jsonl"))
                       .string();
  change(options);
  std::ostringstream out;
  std::ostringstream err;
  std::streambuf* const to_out = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const to_err = std::cerr.rdbuf(err.rdbuf());
  const int status = ShrinkCommand(options);
  std::cout.rdbuf(to_out);
  std::cerr.rdbuf(to_err);
  std::filesystem::remove(options.output);
  return {status, out.str(), err.str()};
}

TEST(ShrinkCommand, SaysOfARefusedKernelThatNothingWasJudged) {
  const Outcome outcome = Shrink("cases/instruction_exceeds_sbuf.kernel.jsonl", [](auto&) {});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.out, HasSubstr("can't be allocated"));
  EXPECT_THAT(outcome.out, HasSubstr("instruction-working-set"));
}

TEST(ShrinkCommand, RefusesForWantOfMemoryAsRunDoes) {
  const Outcome outcome = Shrink("cases/quadrants_share_bytes.kernel.jsonl", [](ToolOptions& o) {
    o.sbuf_bytes = Bytes(1);
    o.reallocate = true;
  });
  EXPECT_EQ(outcome.status, 4);
}

TEST(ShrinkCommand, TakesNoMoreMemoryThanTheTargetHas) {
  const char* file = "cases/quadrants_share_bytes.kernel.jsonl";
  const Outcome bytes = Shrink(file, [](ToolOptions& o) { o.sbuf_bytes = Bytes(999'999'999'999); });
  EXPECT_EQ(bytes.status, 3);
  EXPECT_THAT(bytes.err, HasSubstr("--sbuf-bytes 999999999999 is more than"));
  const Outcome banks = Shrink(file, [](ToolOptions& o) { o.psum_banks = BankCount(4000); });
  EXPECT_EQ(banks.status, 3);
  EXPECT_THAT(banks.err, HasSubstr("--psum-banks 4000 is more than"));
}

// It ends by its own limit, which is told as such, and not by that of the case.
TEST(ShrinkCommand, LetsAnAllocatorThatSleepsReachItsOwnLimit) {
  const Outcome outcome = Shrink("cases/quadrants_share_bytes.kernel.jsonl", [](ToolOptions& o) {
    o.allocator = "external:sleep 1000 #";
    o.allocator_limits.seconds = 0.2;
    o.seconds = 0.001;
  });
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("--allocator-seconds"));
}

}  // namespace
}  // namespace spillway
