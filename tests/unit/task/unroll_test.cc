// Steps, numbers, slots and occurrences of unrolled tasks; layouts of whole systems.
#include "model/alloc/task/unroll.h"

#include <gmock/gmock.h>

#include "model/alloc/task/lay_out_system.h"
#include "traces/pipeline_reader.h"

namespace spillway::task {
namespace {

using ::testing::ElementsAre;

PipelineSystem Read(const std::string& text) {
  Result<PipelineSystem> system = ParsePipeline(text, "test");
  if (!system) throw std::runtime_error(system.error().ToString());
  return std::move(*system);
}

Program ProgramOf(const PipelineSystem& system) {
  return Unroll(system, LayOutSystem(system).value()).value();
}

/// Slots of all accesses of a task, in order.
std::vector<std::uint32_t> Slots(const Program& program, int task) {
  std::vector<std::uint32_t> slots;
  for (const Step& step : program.steps[TaskId(task)]) {
    for (const StepAccess& access : program.AccessesOf(step)) slots.push_back(access.slot);
  }
  return slots;
}

constexpr const char* kRing = R"({"system": "s", "version": 1,
  "allocations": [{"name": "a", "space": "smem", "size": 192}],
  "pipelines": [{"name": "p", "stages": 3, "producer": "thread", "consumer": "thread"}],
  "resources": [{"name": "r", "regions": [{"allocation": "a"}], "pipeline": "p"}],
  "tasks": [)";

TEST(UnrollTest, SlotsFollowOpensAndWhereATaskNeverOpensItsCloses) {
  // A opens and closes. B is ahead by two. C never acquires: its commits count.
  const PipelineSystem system = Read(std::string(kRing) + R"(
    {"name": "A", "ops": [{"loop": 4, "ops": [{"acquire": "p"}, {"write": "r"}, {"commit": "p"}]}]},
    {"name": "B", "ops": [{"wait": "p"}, {"wait": "p"}, {"read": "r"}, {"release": "p"}, {"read": "r"}]},
    {"name": "C", "ops": [{"loop": 4, "ops": [{"write": "r"}, {"commit": "p"}]}]}]})");
  const Program program = ProgramOf(system);
  EXPECT_THAT(Slots(program, 0), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(Slots(program, 1), ElementsAre(1, 1));
  EXPECT_THAT(Slots(program, 2), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(program.contributors[PipelineId(0)].fill, ElementsAre(TaskId(0), TaskId(2)));
  EXPECT_THAT(program.contributors[PipelineId(0)].drain, ElementsAre(TaskId(1)));
}

TEST(UnrollTest, ALoopOfNoTripsOpensAndContributesNothing) {
  const PipelineSystem system = Read(std::string(kRing) + R"(
    {"name": "A", "ops": [{"loop": 0, "ops": [{"acquire": "p"}, {"write": "r"}]},
                          {"write": "r"}, {"commit": "p"}]},
    {"name": "B", "ops": [{"loop": 0, "ops": [{"wait": "p"}, {"release": "p"}]}]}]})");
  const Program program = ProgramOf(system);
  EXPECT_THAT(Slots(program, 0), ElementsAre(0));
  EXPECT_TRUE(program.steps[TaskId(1)].empty());
  EXPECT_TRUE(program.contributors[PipelineId(0)].drain.empty());
}

TEST(UnrollTest, NumbersAndOccurrencesCountForEachTaskAndActor) {
  const PipelineSystem system = Read(R"({"system": "s", "version": 1,
    "pipelines": [{"name": "p", "stages": 2, "producer": "dma", "consumer": "matrix"},
                  {"name": "q", "stages": 2, "producer": "thread", "consumer": "dma"}],
    "resources": [{"name": "r", "regions": []}],
    "tasks": [{"name": "T", "ops": [{"loop": 2, "ops": [
      {"read": "r"}, {"acquire": ["p", "q"]},
      {"dma": {"read": ["r"], "write": ["r"], "commit": ["p"], "release": ["q"]}},
      {"matrix": {"read": ["r"]}}]}]}]})");
  const Program program = ProgramOf(system);
  const std::vector<Step>& steps = program.steps[TaskId(0)];
  ASSERT_EQ(steps.size(), 8u);
  const auto parts = program.PartsOf(steps[5]);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1], (SyncPart{OperationKind::kAcquire, PipelineId(1), 1, SideKind::kThread}));
  const auto closes = program.PartsOf(steps[6]);
  ASSERT_EQ(closes.size(), 2u);
  EXPECT_EQ(closes[0], (SyncPart{OperationKind::kCommit, PipelineId(0), 1, SideKind::kDma}));
  EXPECT_EQ(closes[1], (SyncPart{OperationKind::kRelease, PipelineId(1), 1, SideKind::kDma}));
  // The task, its transfers and its matrix unit each count their own reads.
  for (const std::size_t step : {4u, 6u, 7u}) {
    EXPECT_EQ(program.AccessesOf(steps[step])[0].occurrence, 1) << step;
    EXPECT_EQ(program.AccessesOf(steps[step - 4])[0].occurrence, 0) << step;
  }
  EXPECT_EQ(ActorName(system, ActorOf(TaskId(0), steps[4])), "T");
  EXPECT_EQ(ActorName(system, ActorOf(TaskId(0), steps[6])), "T.dma");
  EXPECT_EQ(ActorName(system, ActorOf(TaskId(0), steps[7])), "T.matrix");
  EXPECT_EQ(EventCount(program), 2 * (2 + 1 + 2 + 2));
}

TEST(UnrollTest, FootprintsAreTheStagesPlacesWithTheirPartitions) {
  const PipelineSystem system = Read(R"({"system": "s", "version": 1, "barriers": "none",
    "allocations": [{"name": "x", "space": "sbuf", "size": 10},
                    {"name": "a", "space": "sbuf", "size": 96, "align": 16, "partitions": [32, 32]}],
    "pipelines": [{"name": "p", "stages": 2, "producer": "thread", "consumer": "thread"}],
    "resources": [{"name": "r", "slot_of": "p",
                   "regions": [{"allocation": "a", "offset": 32},
                               {"allocation": "x", "size": 4, "stage_stride": 5}]}],
    "tasks": []})");
  const Program program = ProgramOf(system);
  const auto& by_slot = program.footprints[ResourceId(0)];
  ASSERT_EQ(by_slot.size(), 2u);
  const Interval<Partition> band{Partition(32), Partition(64)};
  const Interval<Partition> all{Partition(0), Partition(128)};
  // `a` has the larger alignment, so it lies at 0 and x behind it.
  EXPECT_THAT(by_slot[0],
              ElementsAre(Footprint{MemorySpace::kSbuf, {UnitOffset(32), UnitOffset(64)}, band},
                          Footprint{MemorySpace::kSbuf, {UnitOffset(96), UnitOffset(100)}, all}));
  EXPECT_THAT(by_slot[1],
              ElementsAre(Footprint{MemorySpace::kSbuf, {UnitOffset(64), UnitOffset(96)}, band},
                          Footprint{MemorySpace::kSbuf, {UnitOffset(101), UnitOffset(105)}, all}));
  EXPECT_TRUE(Overlap(by_slot[0][0], by_slot[0][0]));
  EXPECT_FALSE(Overlap(by_slot[0][0], by_slot[1][0]));
}

TEST(LayOutSystemTest, AGroupIsAsLargeAsALaterPhase) {
  const PipelineSystem system = Read(R"({"system": "s", "version": 1,
    "allocations": [{"name": "s", "space": "smem", "size": 8, "align": 64},
                    {"name": "p", "space": "smem", "size": 40, "align": 8},
                    {"name": "q", "space": "smem", "size": 24, "align": 16},
                    {"name": "r", "space": "smem", "size": 128, "align": 32},
                    {"name": "t", "space": "smem", "size": 4, "align": 4}],
    "alias_groups": [{"phases": [["p", "q"], ["r"]]}], "tasks": []})");
  const SystemLayout layout = LayOutSystem(system).value();
  const std::vector<UnitOffset> offsets(layout.offsets.begin(), layout.offsets.end());
  EXPECT_THAT(offsets, ElementsAre(UnitOffset(0), UnitOffset(32), UnitOffset(80), UnitOffset(32),
                                   UnitOffset(160)));
  EXPECT_EQ(layout.totals[MemorySpace::kSmem], Units(164));
  EXPECT_FALSE(layout.totals[MemorySpace::kTmem].has_value());
}

TEST(LayOutSystemTest, BarriersNeedMemoryOnlyBesideGpuMemories) {
  const auto bytes = [](const std::string& allocations, const std::string& barriers) {
    const PipelineSystem system = Read(R"({"system": "s", "version": 1, "barriers": ")" + barriers +
                                       R"(", "allocations": [)" + allocations + R"(],
      "pipelines": [{"name": "p", "stages": 3, "producer": "thread", "consumer": "thread"}],
      "tasks": []})");
    return LayOutSystem(system).value().barrier_bytes.value;
  };
  const std::string sbuf = R"({"name": "a", "space": "sbuf", "size": 8})";
  const std::string tmem = R"({"name": "a", "space": "tmem", "size": 8})";
  EXPECT_EQ(bytes("", "own"), 48);
  EXPECT_EQ(bytes(tmem, "own"), 48);
  EXPECT_EQ(bytes(tmem, "coalesced"), 256);
  EXPECT_EQ(bytes(tmem, "none"), 0);
  EXPECT_EQ(bytes(sbuf, "own"), 0);
  EXPECT_EQ(bytes(sbuf, "coalesced"), 0);
}

TEST(LayOutSystemTest, BarriersBehindFixedDataStartAtItsLargestEndRoundedUp) {
  const PipelineSystem system = Read(R"({"system": "s", "version": 1, "barriers": "coalesced",
    "allocations": [{"name": "a", "space": "smem", "size": 100, "at": 300},
                    {"name": "b", "space": "smem", "size": 300, "at": 0}],
    "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"}],
    "tasks": []})");
  const SystemLayout layout = LayOutSystem(system).value();
  ASSERT_EQ(layout.barriers.size(), 1u);
  EXPECT_EQ(layout.barriers[0],
            (BarrierStoragePlace{"arena.barriers", UnitOffset(512), Units(256)}));
  EXPECT_EQ(layout.totals[MemorySpace::kSmem], Units(768));
}

}  // namespace
}  // namespace spillway::task
