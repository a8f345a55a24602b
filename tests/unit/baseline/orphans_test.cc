// What is left of an external allocator when those that wait for it are killed: nothing.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "model/alloc/baseline/external_process.h"
#include "properties/campaign.h"
#include "properties/isolated.h"

namespace spillway {
namespace {

using ::testing::IsEmpty;

void Wait() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

// A folder for temporary files of its own, and a command in it that writes its number and sleeps.
class SleepingCommand {
 public:
  SleepingCommand() {
    std::string name = (std::filesystem::temp_directory_path() / "orphans-").string();
    name.append(6, 'X');  // mkdtemp replaces them
    SPILLWAY_CHECK(mkdtemp(name.data()) != nullptr, "a folder can be made");
    folder_ = name;
    before_ = getenv("TMPDIR") == nullptr ? "" : getenv("TMPDIR");
    setenv("TMPDIR", folder_.c_str(), 1);
    allocator_ = MakeExternalAllocator(
        fmt::format("sleep 1000 & echo $! > {0}.new; mv {0}.new {0}; wait #", Numbers()), {});
  }
  ~SleepingCommand() {
    before_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

  Result<Allocation> Allocate(const AllocationProblem& problem) const {
    return allocator_->Allocate(problem.kernel, problem.target, ClosedFormFor(problem.target), {});
  }
  bool HasStarted() const { return std::filesystem::exists(Numbers()); }
  void WaitForStart() const {
    while (!HasStarted()) Wait();
  }
  // What is left after a while that is long enough on any machine, or as soon as nothing is.
  std::vector<std::string> Left() const {
    std::vector<std::string> left;
    for (int i = 0; i < 1000; ++i) {
      left = LeftNow();
      if (left.empty()) break;
      Wait();
    }
    return left;
  }

 private:
  std::string Numbers() const { return folder_ + "/number"; }
  std::vector<std::string> LeftNow() const {
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("spillway-")) left.push_back(name);
    }
    std::string number;
    std::ifstream(Numbers()) >> number;
    std::string stat;
    std::getline(std::ifstream("/proc/" + number + "/stat"), stat);
    // One that has ended and that nobody has waited for yet is a Z.
    if (!stat.empty() && stat.find(") Z") == std::string::npos) left.push_back("sleep " + number);
    return left;
  }

  std::string folder_;
  std::string before_;
  std::unique_ptr<Allocator> allocator_;
};

struct Death {
  const char* name;
  int signal;
  bool to_group;     ///< as a terminal does
  bool is_isolated;  ///< another process between the one that is killed and the command
};

class Orphans : public testing::TestWithParam<Death> {};

TEST_P(Orphans, AreNotLeftBehind) {
  const SleepingCommand command;
  const pid_t tool = fork();
  ASSERT_GE(tool, 0);
  if (tool == 0) {
    setpgid(0, 0);
    const auto work = [&] {
      command.Allocate(CampaignProblem(1, 0));
      return std::string();
    };
    if (GetParam().is_isolated) {
      RunIsolated(work);
    } else {
      work();
    }
    _exit(0);
  }
  command.WaitForStart();
  kill(GetParam().to_group ? -tool : tool, GetParam().signal);
  waitpid(tool, nullptr, 0);
  EXPECT_THAT(command.Left(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Deaths, Orphans,
                         testing::Values(Death{"Killed", SIGKILL, false, false},
                                         Death{"KilledAboveAWorker", SIGKILL, false, true},
                                         Death{"Terminated", SIGTERM, false, true},
                                         Death{"Interrupted", SIGINT, true, true}),
                         [](const auto& death) { return std::string(death.param.name); });

// One worker fails at once, and ends the campaign while the other waits for its command.
TEST(Orphans, OfACampaignThatHasFoundEnoughAreNotLeftBehind) {
  const SleepingCommand command;
  CampaignOptions options;
  options.cases = 100;
  options.workers = 2;
  options.most_failures = 1;
  options.shrink_seconds = 0.01;
  options.allocate = [&](const Kernel& kernel, const Target& target, const Hwm&,
                         const AllocateOptions&) -> Result<Allocation> {
    const std::int64_t index = IntAttr(kernel.origin, "case").value_or(-1);
    if (index % 2 == 0) return command.Allocate({kernel, target, {}, {}});
    command.WaitForStart();
    return Fail({Kind::kAllocator, "planted", "planted", "", 0});
  };
  const CampaignReport report = RunCampaign(options);
  EXPECT_FALSE(report.failures.empty());
  EXPECT_THAT(command.Left(), IsEmpty());
}

}  // namespace
}  // namespace spillway
