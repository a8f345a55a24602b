// `spillway pipeline` on placed kernels: rings as text, as JSON, as a pipeline file.
#include "sim/tool/rings_report.h"

#include <gmock/gmock.h>
#include <rapidjson/document.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/tool/options.h"
#include "sim/tool/pipeline_report.h"
#include "sim/tool/rings_file.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Traces(const std::string& file) {
  return std::string(SPILLWAY_SOURCE_DIR) + "/traces/" + file + ".kernel.jsonl";
}

/// A file of that name that goes away again.
class Written {
 public:
  explicit Written(const std::string& name)
      : path_(std::filesystem::path(::testing::TempDir()) / name) {}
  ~Written() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(RingsReport, HasARowForEachTensorWithSeveralPlaces) {
  const RingsReport report = CheckKernelRings(Traces("allocated/prefetched_rms_norm"), "");
  EXPECT_EQ(
      ToText(report),
      "pass          prefetched_rms_norm  37 instances on 4 streams  2 pipelines, "
      "2 semaphores  230 events\n"
      "  tensor        memory  fills  stages  needed  runs with\n"
      "  hidden_tiles  sbuf        6       3       3          1  exact; with 2: wrong-value: "
      "Dve read hidden_tiles_fill0 #0 may see Load.dma write hidden_tiles_fill2 #0\n"
      "  normalised    sbuf        6       2       1          1  1 more than the order needs, "
      "2,048 B a partition\n"
      "  placement: 0 findings with the 37 waits that the kernel is lowered to\n");
  EXPECT_EQ(report.ExitCode(), 0);
}

TEST(RingsReport, ARingThatIsTooShortFailsAndSaysWhatIsReadInstead) {
  const RingsReport report =
      CheckKernelRings(Traces("allocated/broken/double_buffer_too_short"), "");
  EXPECT_EQ(report.ExitCode(), 1);
  const std::string text = ToText(report);
  EXPECT_THAT(text, StartsWith("fail          double_buffer_too_short"));
  EXPECT_THAT(text, HasSubstr("2       3          1  too short: wrong-value: Dve read "
                              "hidden_tiles_fill0 #0 may see Load.dma write hidden_tiles_fill2"));
  EXPECT_THAT(text, HasSubstr("placement: wrong-value: Dve read hidden_tiles_b0 #0 may see"));
  EXPECT_THAT(text, HasSubstr("placement: 4 findings with the 36 waits"));
  // Streams that wait for a free stage would be right, and slower.
  EXPECT_THAT(text, Not(HasSubstr("  rings: ")));
}

TEST(RingsReport, AKernelWithoutPlacesIsABadInput) {
  const RingsReport report = CheckKernelRings(Traces("rolled/double_buffered"), "");
  EXPECT_EQ(report.ExitCode(), 3);
  EXPECT_THAT(ToText(report), HasSubstr("tensor loaded: expected 2 places, one a block, found 0; "
                                        "place the kernel first (spillway alloc)"));
  EXPECT_EQ(CheckKernelRings(Traces("rolled/nowhere"), "").ExitCode(), 3);
}

TEST(RingsReport, HasItsNumbersInJson) {
  const RingsReport report = CheckKernelRings(Traces("allocated/rms_norm_qkv"), "");
  rapidjson::Document json;
  json.Parse(ToJson(report).c_str());
  ASSERT_FALSE(json.HasParseError());
  EXPECT_STREQ(json["verdict"].GetString(), "pass");
  EXPECT_EQ(json["instances"].GetInt64(), 671);
  EXPECT_EQ(json["streams"].Size(), 6u);
  EXPECT_EQ(json["rings"]["violations"].Size(), 0u);
  EXPECT_GT(json["placement"]["waits"].GetInt64(), 100);
  bool found = false;
  for (const auto& row : json["tensors"].GetArray()) {
    if (row["tensor"] == "hidden_tiles") {
      found = true;
      EXPECT_EQ(row["stages"].GetInt64(), 2);
      EXPECT_EQ(row["needed"].GetInt64(), 1);
      EXPECT_EQ(row["skew"].GetInt64(), 0);
      EXPECT_EQ(row["spare_bytes"].GetInt64(), 16384);
      EXPECT_TRUE(row["pipeline"].GetBool());
      EXPECT_FALSE(row["too_short"].GetBool());
    }
    if (row["tensor"] == "weights") {
      EXPECT_STREQ(row["reason"]["code"].GetString(), "ring-once");
    }
  }
  EXPECT_TRUE(found);
}

TEST(RingsReport, WritesASystemThatTheSameCommandReads) {
  const Written file("rings.pipeline.json");
  const RingsReport report = CheckKernelRings(Traces("allocated/prefetched_rms_norm"), file.path());
  EXPECT_EQ(report.ExitCode(), 0);
  EXPECT_THAT(ToText(report), HasSubstr("written: " + file.path()));
  const PipelineReport read = CheckPipelineFile(file.path(), 1);
  ASSERT_FALSE(read.error.has_value()) << read.error->ToString();
  EXPECT_EQ(read.system->name, "rings");
  EXPECT_TRUE(read.verdict->IsClean());
  EXPECT_EQ(read.verdict->events, report.rings->events);
}

TEST(RingsReport, ASystemThatNoFileCanHoldIsSaidToBeOne) {
  const Written file("rings.json");
  const RingsReport report = CheckKernelRings(Traces("allocated/prefetched_rms_norm"), file.path());
  EXPECT_EQ(report.VerdictName(), "pass");
  EXPECT_EQ(report.ExitCode(), 3);
  EXPECT_THAT(ToText(report), HasSubstr("not written: error: "));
  EXPECT_THAT(ToText(report), HasSubstr("expected a name that ends in .pipeline.json"));
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

/// A starts `tokens` times before it lets B begin, which takes them all.
task::PipelineSystem ManyTokens(std::int64_t tokens) {
  using task::Operation;
  using task::OperationKind;
  task::PipelineSystem system;
  system.barriers = task::BarrierStorage::kNone;
  for (const char* name : {"many", "begin"}) {
    task::Pipeline pipeline;
    pipeline.name = name;
    pipeline.stages = tokens;
    system.pipelines.push_back(pipeline);
  }
  const auto both = [](OperationKind first, OperationKind second, std::uint32_t pipeline,
                       std::int64_t trips) {
    Operation loop;
    loop.kind = OperationKind::kLoop;
    loop.trips = trips;
    for (const OperationKind kind : {first, second}) {
      Operation operation;
      operation.kind = kind;
      operation.pipelines = {task::PipelineId(pipeline)};
      loop.body.push_back(operation);
    }
    return loop;
  };
  system.tasks.push_back({"A",
                          {both(OperationKind::kAcquire, OperationKind::kCommit, 0, tokens),
                           both(OperationKind::kAcquire, OperationKind::kCommit, 1, 1)}});
  system.tasks.push_back({"B",
                          {both(OperationKind::kWait, OperationKind::kRelease, 1, 1),
                           both(OperationKind::kWait, OperationKind::kRelease, 0, tokens)}});
  return system;
}

TEST(RingsFile, KeepsSemaphoresOfManyTokensOnlyWhereTheVerdictStays) {
  EXPECT_TRUE(PipelineFileOf(ManyTokens(64), "x.pipeline.json").has_value());
  const Result<std::string> text = PipelineFileOf(ManyTokens(65), "x.pipeline.json");
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code, "ring-not-a-file");
  EXPECT_THAT(text.error().message, HasSubstr("at most 64 tokens in flight"));
  task::PipelineSystem without = ManyTokens(65);
  for (task::Task& task : without.tasks) {
    std::erase_if(task.operations, [](const task::Operation& loop) {
      return loop.body.front().pipelines.front() == task::PipelineId(1);
    });
  }
  without.pipelines.resize(1);
  EXPECT_TRUE(PipelineFileOf(without, "x.pipeline.json").has_value());
}

TEST(PipelineOptions, AnOutputIsOfOnePlacedKernel) {
  const auto exit_code = [](std::vector<const char*> words) {
    words.insert(words.begin(), {"spillway", "pipeline"});
    return ParseArguments(static_cast<int>(words.size()), words.data()).exit_code;
  };
  EXPECT_EQ(exit_code({"a.kernel.jsonl", "-o", "a.pipeline.json"}), 0);
  EXPECT_EQ(exit_code({"a.kernel.jsonl.zst", "--output", "a.pipeline.json"}), 0);
  EXPECT_EQ(exit_code({"a.kernel.jsonl", "b.kernel.jsonl", "-o", "a.pipeline.json"}), 2);
  EXPECT_EQ(exit_code({"a.pipeline.json", "-o", "b.pipeline.json"}), 2);
}

}  // namespace
}  // namespace spillway
