#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/tool/write_artifacts.h"
#include "tests/unit/tool/sample_run.h"

namespace spillway {
namespace {

// A folder of the test's own, empty at its start and gone after it.
class Artifacts : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  bool Exists(const std::string& path) const {
    return std::filesystem::is_regular_file(folder_ / path);
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      ("spillway-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
       std::to_string(::getpid()));
};

TEST_F(Artifacts, NothingIsWrittenUnasked) {
  ToolOptions options;
  EXPECT_TRUE(WriteArtifacts(SampleRun(), options).has_value());
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Artifacts, TimelineAndTablesGoToThePathsAsGiven) {
  ToolOptions options;
  options.timeline = folder_ / "trace.json";
  options.tables = folder_ / "new" / "tables";
  ASSERT_TRUE(WriteArtifacts(SampleRun(), options).has_value());
  EXPECT_TRUE(Exists("trace.json"));
  for (const char* table :
       {"SbufAllocation", "SbufUsage", "PsumUsage", "Dma", "Instructions", "Summary"}) {
    EXPECT_TRUE(Exists(std::string("new/tables/") + table + ".csv")) << table;
  }
}

TEST_F(Artifacts, ARunWithoutSimulationHasNoTimeline) {
  ToolOptions options;
  options.timeline = folder_ / "trace.json";
  KernelRun run = SampleRun();
  run.simulation.reset();
  EXPECT_TRUE(WriteArtifacts(run, options).has_value());
  EXPECT_FALSE(Exists("trace.json"));
}

TEST_F(Artifacts, AFolderThatCantBeMadeIsAnError) {
  std::ofstream(folder_ / "file") << "x";
  ToolOptions options;
  options.tables = folder_ / "file" / "tables";
  const Result<void> written = WriteArtifacts(SampleRun(), options);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().kind, Kind::kFile);
}

}  // namespace
}  // namespace spillway
