// The project's own pipeline files: read, laid out, unrolled, written and read again.
#include "traces/pipeline_reader.h"

#include <gmock/gmock.h>

#include "model/alloc/task/capacities.h"
#include "model/alloc/task/codes.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "tests/unit/task/pipeline_files.h"
#include "traces/pipeline_writer.h"

namespace spillway {
namespace {

using task::MemorySpace;
using task::PipelineSystem;
using task::SystemLayout;
using ::testing::HasSubstr;

const ExpectedJson& Expected() {
  static const ExpectedJson expected(PipelinesFolder() + "/expected.json");
  return expected;
}

class PipelineFileTest : public ::testing::TestWithParam<std::string> {
 protected:
  static PipelineSystem System() {
    Result<PipelineSystem> system = ReadPipelineFile(PipelinePath(GetParam()));
    if (!system) throw std::runtime_error(system.error().ToString());
    return *system;
  }
  static const JsonValue& Row() { return *FindMember(Expected().root, GetParam()); }
};

TEST_P(PipelineFileTest, PrintsToATextThatReadsBackAsAnEqualSystem) {
  const PipelineSystem system = System();
  const Result<PipelineSystem> again = ParsePipeline(PrintPipelineFile(system), "again");
  ASSERT_TRUE(again.has_value()) << again.error().ToString();
  EXPECT_EQ(*again, system);
}

TEST_P(PipelineFileTest, HasTheExpectedOffsetsAndTotals) {
  const PipelineSystem system = System();
  const Result<SystemLayout> layout = task::LayOutSystem(system);
  ASSERT_TRUE(layout.has_value()) << layout.error().ToString();
  const JsonValue& expected = *FindMember(Row(), "layout");
  const JsonValue& offsets = *FindMember(expected, "offsets");
  EXPECT_EQ(offsets.items.size(), system.allocations.size() + layout->barriers.size());
  for (std::size_t i = 0; i < system.allocations.size(); ++i) {
    const task::AllocationId id(i);
    const JsonValue* const offset = FindMember(offsets, system.allocations[id].name);
    ASSERT_NE(offset, nullptr) << system.allocations[id].name;
    EXPECT_EQ(layout->offsets[id].value, offset->integer) << system.allocations[id].name;
  }
  for (const task::BarrierStoragePlace& place : layout->barriers) {
    const JsonValue* const offset = FindMember(offsets, place.name);
    ASSERT_NE(offset, nullptr) << place.name;
    EXPECT_EQ(place.offset.value, offset->integer) << place.name;
  }
  const JsonValue& totals = *FindMember(expected, "totals");
  std::size_t spaces = 0;
  for (const MemorySpace space : task::kMemorySpaces) {
    const auto& total = layout->totals[space];
    if (!total) continue;
    ++spaces;
    const JsonValue* const value = FindMember(totals, MemorySpaceName(space));
    ASSERT_NE(value, nullptr) << MemorySpaceName(space);
    EXPECT_EQ(total->value, value->integer) << MemorySpaceName(space);
  }
  EXPECT_EQ(spaces, totals.items.size());
  EXPECT_EQ(layout->barrier_bytes.value, FindMember(expected, "barrier_bytes")->integer);
  EXPECT_EQ(layout->arena.has_value(), FindMember(expected, "arena") != nullptr);
}

TEST_P(PipelineFileTest, HasTheExpectedNumberOfEvents) {
  const PipelineSystem system = System();
  const Result<task::Program> program = task::Unroll(system, *task::LayOutSystem(system));
  ASSERT_TRUE(program.has_value()) << program.error().ToString();
  EXPECT_EQ(EventCount(*program), FindMember(Row(), "events")->integer);
}

INSTANTIATE_TEST_SUITE_P(Files, PipelineFileTest, ::testing::ValuesIn(PipelineNamesOnDisk()),
                         [](const auto& test) { return test.param; });

TEST(PipelineFilesTest, EveryExpectationHasItsFile) {
  std::vector<std::string> expected;
  for (const JsonValue& row : Expected().root.items) expected.emplace_back(row.key);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(expected, PipelineNamesOnDisk());
  EXPECT_EQ(expected.size(), 31u);
}

TEST(PipelineFilesTest, TheCoalescedBarriersLieAsTheirExampleSays) {
  const PipelineSystem system = *ReadPipelineFile(PipelinePath("g1_merge"));
  const SystemLayout layout = *task::LayOutSystem(system);
  ASSERT_TRUE(layout.arena.has_value());
  std::vector<std::string> entries;
  for (const task::BarrierEntry& entry : layout.arena->entries)
    entries.push_back(entry.name + " " + std::to_string(entry.offset.value));
  EXPECT_THAT(entries, ::testing::ElementsAre("a.full 0", "a.empty 1", "b.full 2", "b.empty 3",
                                              "acc.full 4", "acc.empty 5"));
  const std::vector<task::BarrierRun> runs = {{task::BarrierIndex(0), task::BarrierIndex(5), 1},
                                              {task::BarrierIndex(5), task::BarrierIndex(6), 128}};
  EXPECT_EQ(layout.arena->runs, runs);
  EXPECT_EQ(layout.arena->used, task::BarrierCount(6));
  EXPECT_EQ(layout.arena->padded, task::BarrierCount(32));
}

TEST(PipelineReaderTest, DefaultsAreThoseOfTheFormat) {
  const Result<PipelineSystem> read = ParsePipeline(R"({"system": "s", "version": 1,
    "allocations": [{"name": "a", "space": "smem", "size": 5},
                    {"name": "t", "space": "tmem", "size": 8},
                    {"name": "b", "space": "sbuf", "size": 64},
                    {"name": "p", "space": "psum", "size": 64, "partitions": [32, 64]}],
    "pipelines": [{"name": "r", "stages": 4, "producer": "thread", "consumer": "thread"}],
    "resources": [{"name": "plain", "regions": [{"allocation": "b", "offset": 16}]},
                  {"name": "ring", "regions": [{"allocation": "b", "offset": 16}], "slot_of": "r"},
                  {"name": "flat", "regions": [{"allocation": "b", "stage_stride": 0}],
                   "pipeline": "r"}],
    "tasks": []})",
                                                    "defaults");
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  const PipelineSystem& s = *read;
  EXPECT_EQ(s.capacity[MemorySpace::kSmem].value, 232448);
  EXPECT_EQ(s.capacity[MemorySpace::kTmem].value, 512);
  EXPECT_EQ(s.capacity[MemorySpace::kSbuf].value, 180224);
  EXPECT_EQ(s.capacity[MemorySpace::kPsum].value, 16384);
  EXPECT_EQ(s.barriers, task::BarrierStorage::kOwn);
  EXPECT_FALSE(s.graph.has_value());
  EXPECT_FALSE(s.note.has_value());
  const auto allocation = [&](int i) { return s.allocations[task::AllocationId(i)]; };
  EXPECT_EQ(allocation(0).alignment, 128);
  EXPECT_EQ(allocation(1).alignment, 1);
  EXPECT_EQ(allocation(2).alignment, 1);
  EXPECT_EQ(allocation(3).alignment, 2048);
  EXPECT_EQ(allocation(1).partitions, (Interval<Partition>{Partition(0), Partition(128)}));
  EXPECT_EQ(allocation(3).partitions, (Interval<Partition>{Partition(32), Partition(96)}));
  const auto region = [&](int i) { return s.resources[task::ResourceId(i)].regions.front(); };
  using task::Units;
  const task::AllocationId b(2);
  EXPECT_EQ(region(0), (task::ResourceRegion{b, Units(16), Units(48), Units(0)}));
  EXPECT_EQ(region(1), (task::ResourceRegion{b, Units(16), Units(12), Units(12)}));
  EXPECT_EQ(region(2), (task::ResourceRegion{b, Units(0), Units(64), Units(0)}));
}

TEST(PipelineReaderTest, OperationsKeepTheirFormSidesAndKinds) {
  const Result<PipelineSystem> read = ParsePipeline(R"({"system": "s", "version": 1,
    "pipelines": [{"name": "p", "stages": 1, "producer": {"A": "dma", "B": "thread"},
                   "consumer": "thread", "arrivals": [2, 64]},
                  {"name": "q", "stages": 1, "producer": "thread", "consumer": "dma"}],
    "resources": [{"name": "r", "regions": []}, {"name": "s", "regions": [], "shares": ["r"],
                   "initial": true}],
    "tasks": [{"name": "A", "ops": [{"dma": {"read": [{"resource": "r", "side": "producer"}],
                                             "write": ["s"], "commit": ["p"], "release": ["q"]}}]},
              {"name": "B", "ops": [{"loop": 0, "ops": [{"acquire": ["p", "q"]},
                                    {"use": "r", "side": "producer"}, {"commit": "p"}]}]}]})",
                                                    "operations");
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  const task::Pipeline& p = read->pipelines[task::PipelineId(0)];
  EXPECT_EQ(p.producer.Of(task::TaskId(0)), task::SideKind::kDma);
  EXPECT_EQ(p.producer.Of(task::TaskId(1)), task::SideKind::kThread);
  EXPECT_EQ(p.producer_arrivals, 2);
  EXPECT_EQ(p.consumer_arrivals, 64);
  const task::Operation& transfer = read->tasks[task::TaskId(0)].operations[0];
  const std::vector<task::Access> accesses = {
      {task::AccessKind::kRead, task::ResourceId(0), task::Side::kProducer},
      {task::AccessKind::kWrite, task::ResourceId(1), task::Side::kProducer}};
  EXPECT_EQ(transfer.accesses, accesses);
  EXPECT_EQ(transfer.commits, std::vector<task::PipelineId>{task::PipelineId(0)});
  EXPECT_EQ(transfer.releases, std::vector<task::PipelineId>{task::PipelineId(1)});
  const task::Operation& loop = read->tasks[task::TaskId(1)].operations[0];
  EXPECT_EQ(loop.trips, 0);
  EXPECT_EQ(loop.body[0].pipelines.size(), 2u);
  EXPECT_EQ(loop.body[1].accesses[0].side, task::Side::kProducer);
  const Result<PipelineSystem> again = ParsePipeline(PrintPipelineFile(*read), "again");
  ASSERT_TRUE(again.has_value()) << again.error().ToString();
  EXPECT_EQ(*again, *read);
}

TEST(PipelineReaderTest, AFileThatCannotBeOpenedIsNamed) {
  const std::string path = PipelinesFolder() + "/none.pipeline.json";
  const Result<PipelineSystem> read = ReadPipelineFile(path);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, "file-not-opened");
  EXPECT_EQ(read.error().file, path);
}

TEST(PipelineReaderTest, AFolderIsNotAFile) {
  const Result<PipelineSystem> read = ReadPipelineFile(PipelinesFolder());
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, "file-unreadable");
}

TEST(PipelineReaderTest, AFileNameHasTheFormatsEnding) {
  const Result<PipelineSystem> read = ReadPipelineFile(PipelinesFolder() + "/expected.json");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, "syntax");
  EXPECT_THAT(read.error().message, HasSubstr("\"expected.json\""));
}

TEST(PipelineReaderTest, TextsBeyondTheirSizeAreRefusedBeforeTheyAreParsed) {
  const Result<PipelineSystem> bytes =
      ParsePipeline(std::string(kMaxPipelineFileBytes + 1, '['), "long");
  ASSERT_FALSE(bytes.has_value());
  EXPECT_EQ(bytes.error().code, "limit");
  std::string values = "[0";
  while (values.size() < kMaxPipelineFileBytes - 2) values += ",0";
  const Result<PipelineSystem> many = ParsePipeline(values + "]", "many");
  ASSERT_FALSE(many.has_value());
  EXPECT_EQ(many.error().code, "limit");
  EXPECT_THAT(many.error().message, HasSubstr("JSON values"));
}

TEST(PipelineReaderTest, LoopsThatRunNothingTakeNoTime) {
  // Each of 1,000 loops runs 2^48 times over nothing, and that 1,000 times.
  std::string nothing;
  for (int i = 0; i < 1000; ++i)
    nothing += R"({"loop": 281474976710656, "ops": [{"loop": 281474976710656, "ops": []}]},)";
  const Result<PipelineSystem> read = ParsePipeline(
      R"({"system": "s", "version": 1, "resources": [{"name": "r", "regions": []}],
          "tasks": [{"name": "T", "ops": [{"loop": 1000000, "ops": [)" +
          nothing + R"({"use": "r"}]}]}]})",
      "loops");
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ(EventCount(*task::Unroll(*read, *task::LayOutSystem(*read))), 2'000'000);
}

TEST(PipelineReaderTest, RegionsOfAllStagesTogetherAreBounded) {
  std::string regions;
  for (int i = 0; i < 16'000; ++i) regions += R"({"allocation":"a","stage_stride":0},)";
  regions += R"({"allocation":"a","stage_stride":0})";
  const Result<PipelineSystem> read = ParsePipeline(
      R"({"system": "s", "version": 1, "allocations": [{"name":"a","space":"smem","size":1}],
          "pipelines": [{"name":"p","stages":64,"producer":"thread","consumer":"thread"}],
          "resources": [{"name":"r","regions":[)" +
          regions + R"(],"slot_of":"p"}], "tasks": []})",
      "regions");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, "limit");
  EXPECT_THAT(read.error().message, HasSubstr("resource r"));
}

}  // namespace
}  // namespace spillway
