// Equal runs give equal bytes, whatever the number of threads.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "sim/tool/kernel_commands.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

std::string FileText(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Wall-clock seconds are the only figures that may differ; each has a line of its own.
std::string Comparable(const fs::path& path) {
  std::istringstream in(FileText(path));
  std::string kept;
  for (std::string line; std::getline(in, line);) {
    bool is_seconds = false;
    for (const char* stage :
         {"\"read\": ", "\"allocate\": ", "\"check\": ", "\"estimate\": ", "\"simulate\": "}) {
      const std::size_t at = line.find(stage);
      is_seconds = is_seconds || (at != std::string::npos && at == line.find_first_not_of(' '));
    }
    if (!is_seconds) kept += line + "\n";
  }
  return kept;
}

std::map<std::string, std::string> FilesIn(const fs::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), directory)] = Comparable(entry.path());
  }
  return files;
}

class Determinism : public testing::Test {
 protected:
  Determinism() { fs::remove_all(root_); }
  ~Determinism() override { fs::remove_all(root_); }

  std::map<std::string, std::string> RunInto(const std::string& name,
                                             std::vector<std::string> kernels, int threads) {
    const fs::path directory = root_ / name;
    fs::create_directories(directory);
    ToolOptions options;
    for (const std::string& kernel : kernels)
      options.files.push_back(SPILLWAY_SOURCE_DIR "/traces/" + kernel);
    options.threads = threads;
    options.json = directory / "report.json";
    options.report = directory / "report.html";
    if (kernels.size() == 1) {
      options.timeline = directory / "timeline.json";
      options.tables = directory / "tables";
      options.dump = directory / "dump";
      options.sbuf_bytes = Bytes(24576);
      options.reallocate = true;
    }
    testing::internal::CaptureStdout();
    const int code = KernelCommand(options);
    std::ofstream(directory / "stdout.txt") << testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, 0);
    return FilesIn(directory);
  }

 private:
  fs::path root_ =
      fs::temp_directory_path() / ("spillway_determinism_" + std::to_string(::getpid()));
};

TEST_F(Determinism, EverythingThatASpillingRunWritesIsTheSameOnTwoThreads) {
  const std::vector<std::string> kernels = {"captured/matmul_fully_optimized.kernel.jsonl.zst"};
  const auto first = RunInto("a", kernels, 1);
  EXPECT_GE(first.size(), 8u);
  EXPECT_EQ(first, RunInto("b", kernels, 1));
  EXPECT_EQ(first, RunInto("c", kernels, 2));
}

TEST_F(Determinism, SeveralKernelsComeOutInTheirOrderOnTwoThreads) {
  const std::vector<std::string> kernels = {
      "captured/conv1d.kernel.jsonl.zst",    "captured/matmul_basic.kernel.jsonl.zst",
      "rolled/double_buffered.kernel.jsonl", "rolled/running_maximum_and_sum.kernel.jsonl",
      "captured/cumsum.kernel.jsonl.zst",    "rolled/tiled_matmul.kernel.jsonl"};
  EXPECT_EQ(RunInto("a", kernels, 1), RunInto("b", kernels, 2));
}

}  // namespace
}  // namespace spillway
