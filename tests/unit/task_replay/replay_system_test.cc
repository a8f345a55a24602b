// What a replay reports beside the examples: barriers of a deadlock, stale fills, bounds, cells.
#include "sim/task/replay_system.h"

#include <gmock/gmock.h>

#include "sim/task/barrier_table.h"
#include "sim/task/compare_layouts.h"
#include "sim/task/give_own_memory.h"
#include "tests/unit/task_replay/replay_rows.h"

namespace spillway::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PreparedSystem Example(const std::string& name) {
  return Prepare(ReadPipelineFile(PipelinePath(name)).value());
}

std::string TableOf(const PreparedSystem& prepared, std::size_t rows) {
  return BarrierTable(prepared.system, prepared.program, Replayed(prepared), rows);
}

TEST(BarrierTable, ShowsPhaseArrivalsBytesAndWhoWaits) {
  EXPECT_EQ(TableOf(Example("e11_missing_release"), 10),
            "barrier    | phase | parity | arrivals lacking | bytes pending | waited for by\n"
            "p full[0]  | 1     | 1      | 1 of 1: A        | 0             | B:wait p\n"
            "p empty[0] | 0     | 0      | no contributor   | 0             | A:acquire p\n");
}

TEST(BarrierTable, LeavesOutTheEndOfALongTable) {
  EXPECT_EQ(TableOf(Example("e9_crossing_waits"), 2),
            "barrier   | phase | parity | arrivals lacking | bytes pending | waited for by\n"
            "q full[0] | 0     | 0      | 1 of 1: B        | 0             | A:wait q\n"
            "p full[0] | 0     | 0      | 1 of 1: A        | 0             | B:wait p\n"
            "and 2 more\n");
}

TEST(BarrierTable, ShowsTheValuesOfSemaphores) {
  PreparedSystem prepared = Example("e11_missing_release");
  prepared.system.barriers = BarrierStorage::kNone;
  EXPECT_EQ(TableOf(prepared, 10),
            "semaphore   | value          | waited for by\n"
            "p full of A | 1              | B:wait p\n"
            "p empty[0]  | no contributor | A:acquire p\n");
}

TEST(BarrierTable, IsEmptyWhereNothingIsBlocked) {
  EXPECT_EQ(TableOf(Example("e3_mainloop_epilogue"), 10), "");
}

TEST(Replay, AFillThatNobodyWroteIsStaleAndNoFinding) {
  const PreparedSystem prepared = Prepare(R"({
    "system": "test", "version": 1,
    "allocations": [{"name": "p", "space": "smem", "size": 64}],
    "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"}],
    "resources": [{"name": "p", "regions": [{"allocation": "p"}], "pipeline": "p"}],
    "tasks": [{"name": "A", "ops": [{"acquire": "p"}, {"write": "p"}, {"commit": "p"},
                                    {"acquire": "p"}, {"commit": "p"}]},
              {"name": "B", "ops": [{"loop": 2, "ops": [{"wait": "p"}, {"read": "p"}, {"release": "p"}]}]}]
  })");
  const Replay replay = Replayed(prepared);
  ASSERT_EQ(replay.stale.size(), 1u);
  EXPECT_EQ(PlayedText(prepared.system, replay.stale[0].read), "B read p #1");
  EXPECT_EQ(replay.stale[0].expected, 1);
  EXPECT_EQ(replay.stale[0].found, 0);
  EXPECT_TRUE(replay.IsClean());
}

// The second fill brings the upper half alone; the whole is read through a resource that shares
// both halves.
TEST(Replay, AnEarlierFillThroughASharedResourceIsStaleToo) {
  const PreparedSystem prepared = Prepare(R"({
    "system": "test", "version": 1,
    "allocations": [{"name": "p", "space": "smem", "size": 64}],
    "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"}],
    "resources": [{"name": "lower", "regions": [{"allocation": "p", "size": 32}], "pipeline": "p"},
                  {"name": "upper", "regions": [{"allocation": "p", "offset": 32}], "pipeline": "p"},
                  {"name": "all", "regions": [{"allocation": "p"}], "pipeline": "p", "shares": ["lower", "upper"]}],
    "tasks": [{"name": "A", "ops": [{"acquire": "p"}, {"write": "lower"}, {"write": "upper"}, {"commit": "p"},
                                    {"acquire": "p"}, {"write": "upper"}, {"commit": "p"}]},
              {"name": "B", "ops": [{"loop": 2, "ops": [{"wait": "p"}, {"read": "all"}, {"release": "p"}]}]}]
  })");
  const Replay replay = Replayed(prepared);
  ASSERT_EQ(replay.stale.size(), 1u);
  EXPECT_EQ(PlayedText(prepared.system, replay.stale[0].read), "B read all #1");
  EXPECT_EQ(PlayedText(prepared.system, replay.stale[0].write), "A write lower #0");
  EXPECT_TRUE(replay.IsClean());
}

// Another pipeline's numbers say nothing of one's own fills.
TEST(Replay, FillsOfAnotherPipelineAreNeverStale) {
  const PreparedSystem prepared = Prepare(R"({
    "system": "test", "version": 1,
    "allocations": [{"name": "m", "space": "smem", "size": 64}],
    "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"},
                  {"name": "q", "stages": 1, "producer": "thread", "consumer": "thread"}],
    "resources": [{"name": "x", "regions": [{"allocation": "m"}], "pipeline": "p"},
                  {"name": "y", "regions": [{"allocation": "m"}], "pipeline": "q", "shares": ["x"]}],
    "tasks": [{"name": "A", "ops": [{"acquire": "p"}, {"write": "x"}, {"commit": "p"},
                                    {"loop": 2, "ops": [{"acquire": "q"}, {"commit": "q"}]}]},
              {"name": "B", "ops": [{"wait": "p"}, {"loop": 2, "ops": [{"wait": "q"}, {"read": "y"}, {"release": "q"}]},
                                    {"release": "p"}]}]
  })");
  const Replay replay = Replayed(prepared);
  EXPECT_TRUE(replay.stale.empty());
  EXPECT_TRUE(replay.IsClean());
}

TEST(Replay, TransfersCountSixteenOnASemaphoreAndEnginesOne) {
  const PreparedSystem prepared = Example("n1_neuroncore_ring");
  const ReplayProgram program =
      ReplayProgram::Prepare(prepared.system, prepared.program, ReplayTarget()).value();
  const ReplayRun run = program.Run();
  std::vector<std::pair<std::string, std::int64_t>> values;
  for (std::size_t i = 0; i < run.objects.size(); ++i) {
    values.emplace_back(SyncPlaceName(prepared.system, program.compiled().places[SyncObjectId(i)]),
                        run.objects[SyncObjectId(i)].value);
  }
  const std::int64_t each = ReplayTarget().dma_completion_increments.value;
  EXPECT_THAT(values,
              ::testing::UnorderedElementsAre(
                  std::pair("in full of Load", 3 * each), std::pair("in empty of Pe", 3),
                  std::pair("ps full of Pe", 3), std::pair("ps empty of Vector", 3),
                  std::pair("out full of Vector", 3), std::pair("out empty of Store", 3 * each)));
}

TEST(Replay, SlowAccessesOfARaceOverlapWithoutSlowActorsToo) {
  const PreparedSystem prepared = Example("x2_slots_meet_late");
  const Replay replay = Replayed(prepared);
  ASSERT_EQ(replay.races.size(), 1u);
  EXPECT_TRUE(replay.races[0].overlapped);
  EXPECT_EQ(replay.races[0].a.occurrence, 15);
  EXPECT_EQ(replay.races[0].b.occurrence, 15);
}

TEST(Replay, MoreTasksThanStreamsAreALimit) {
  PipelineSystem system = Example("u1_uninitialized").system;
  while (system.tasks.size() <= TaskMachine::kMaxStreams) {
    Task task = system.tasks[TaskId(0)];
    task.name += std::to_string(system.tasks.size());
    system.tasks.push_back(std::move(task));
  }
  const PreparedSystem prepared = Prepare(std::move(system));
  const Result<Replay> replay = ReplaySystem(prepared.system, prepared.program, ReplayTarget());
  ASSERT_FALSE(replay.has_value());
  EXPECT_EQ(replay.error().kind, Kind::kLimit);
  EXPECT_THAT(replay.error().message, HasSubstr("expected at most 64"));
}

TEST(Replay, RunsBeyondTheBoundAreCounted) {
  ReplayOptions options;
  options.max_work = 1;
  const Replay replay = Replayed(Example("e4_persistent"), options);
  EXPECT_EQ(replay.runs, 1);
  EXPECT_GT(replay.skipped_runs, 0);
  EXPECT_EQ(replay.races.size(), 3u);
}

/// A hands 90 fills of nearly 2^40 bytes to B.
constexpr const char* kEnormous = R"({
  "system": "test", "version": 1, "barriers": "none", "capacity": {"smem": 1099511627776},
  "allocations": [{"name": "p", "space": "smem", "size": 1099511627776}],
  "pipelines": [{"name": "p", "stages": 1, "producer": "dma", "consumer": "thread"}],
  "resources": [{"name": "p", "regions": [{"allocation": "p"}], "pipeline": "p"}],
  "tasks": [{"name": "A", "ops": [{"loop": 90, "ops": [{"acquire": "p"}, {"dma": {"write": ["p"], "commit": ["p"]}}]}]},
            {"name": "B", "ops": [{"loop": 90, "ops": [{"wait": "p"}, {"read": "p"}, {"release": "p"}]}]}]
})";

TEST(Replay, StepsThatTakeLongerThanTheClockCountsAreALimit) {
  const PreparedSystem prepared = Prepare(kEnormous);
  const Result<Replay> replay = ReplaySystem(prepared.system, prepared.program, ReplayTarget());
  ASSERT_FALSE(replay.has_value());
  EXPECT_EQ(replay.error().kind, Kind::kLimit);
  EXPECT_THAT(replay.error().message, HasSubstr("at most 16000 ms one after the other"));
}

TEST(Replay, ASizeThatNoProductHoldsIsALimitToo) {
  PreparedSystem prepared = Prepare(kEnormous);
  constexpr std::int64_t kUnits = std::int64_t{1} << 62;
  for (const MemorySpace space : kMemorySpaces) {
    Footprint& footprint = prepared.program.footprints[ResourceId(0)][0][0];
    footprint = {space, {UnitOffset(0), UnitOffset(kUnits)}, {Partition(0), Partition(128)}};
    const Result<Replay> replay = ReplaySystem(prepared.system, prepared.program, ReplayTarget());
    ASSERT_FALSE(replay.has_value()) << MemorySpaceName(space);
    EXPECT_EQ(replay.error().kind, Kind::kLimit);
  }
}

// 5 x 2^30 numbered units: the sum of their numbers, before it is halved, leaves 63 bits.
TEST(Replay, WhatAReadOfALargeRangeSeesDoesntDependOnHowMemoryIsCut) {
  const auto seen = [](const std::string& more) {
    const PreparedSystem prepared = Prepare(R"({
      "system": "test", "version": 1, "barriers": "none", "capacity": {"smem": 5368709120},
      "allocations": [{"name": "a", "space": "smem", "size": 5368709120, "at": 0},
                      {"name": "lower", "space": "smem", "size": 1073741824, "at": 0}],
      "resources": [{"name": "a", "regions": [{"allocation": "a"}]},
                    {"name": "lower", "regions": [{"allocation": "lower"}], "shares": ["a"]}],
      "tasks": [{"name": "T", "ops": [{"write": "a"}, {"read": "a"})" +
                                            more + R"(]}]
    })");
    return ReplayProgram::Prepare(prepared.system, prepared.program, ReplayTarget())
        .value()
        .Run()
        .seen[1];
  };
  EXPECT_NE(seen(""), 0u);
  EXPECT_EQ(seen(""), seen(R"(, {"read": "lower"})"));
}

TEST(MemoryCells, AreCutAtTheBordersOfWhatIsTouched) {
  const PreparedSystem prepared = Prepare(R"({
    "system": "test", "version": 1, "barriers": "none",
    "allocations": [{"name": "a", "space": "sbuf", "size": 10, "partitions": [0, 64], "at": 0},
                    {"name": "b", "space": "sbuf", "size": 10, "partitions": [32, 64], "at": 7},
                    {"name": "untouched", "space": "sbuf", "size": 3, "at": 2}],
    "resources": [{"name": "a", "regions": [{"allocation": "a"}, {"allocation": "a"}]},
                  {"name": "b", "regions": [{"allocation": "b"}]},
                  {"name": "untouched", "regions": [{"allocation": "untouched"}]}],
    "tasks": [{"name": "T", "ops": [{"write": "a"}, {"write": "b"}]}]
  })");
  const MemoryCells cells = MemoryCells::Cut(prepared.program).value();
  // a is cut at byte 7 and partition 32, once though two regions name it.
  EXPECT_EQ(cells.Of(ResourceId(0), 0).size(), 4u);
  EXPECT_EQ(cells.Of(ResourceId(1), 0).size(), 4u);
  EXPECT_THAT(cells.Of(ResourceId(2), 0), IsEmpty());
  EXPECT_EQ(cells.size(), 7u);
  EXPECT_EQ(cells[0].range, (Interval<UnitOffset>{UnitOffset(0), UnitOffset(7)}));
}

TEST(GiveOwnMemory, SeparatesAliasesAndKeepsWhatIsShared) {
  const PreparedSystem aliased = Example("e0_seed");
  const Program own = GiveOwnMemory(aliased.system, aliased.program);
  EXPECT_TRUE(Overlap(aliased.program.footprints[ResourceId(0)][0][0],
                      aliased.program.footprints[ResourceId(1)][0][0]));
  EXPECT_FALSE(Overlap(own.footprints[ResourceId(0)][0][0], own.footprints[ResourceId(1)][0][0]));
  const PreparedSystem shared = Example("e8b_two_readers_shared");
  EXPECT_EQ(GiveOwnMemory(shared.system, shared.program).footprints, shared.program.footprints);
}

// What the seed's reader sees depends on the layout; with the use before the release it doesn't.
TEST(GiveOwnMemory, ShowsInTheDataWhatAliasingBreaks) {
  for (const auto& [name, same] :
       {std::pair("e0_seed", false), std::pair("e1_use_before_release", true)}) {
    const PreparedSystem prepared = Example(name);
    const Program own = GiveOwnMemory(prepared.system, prepared.program);
    TaskMachineOptions slow_reader;
    slow_reader.held = {{TaskStreamId(1), StreamActor::kStream, std::nullopt}};
    const auto seen = [&](const Program& program) {
      return ReplayProgram::Prepare(prepared.system, program, ReplayTarget())
          .value()
          .Run(slow_reader)
          .seen;
    };
    EXPECT_EQ(seen(prepared.program) == seen(own), same) << name;
  }
}

TEST(CompareLayouts, NamesTheReadsThatAliasingChanges) {
  const auto changed = [](const PreparedSystem& prepared) {
    std::vector<std::string> texts;
    const auto reads = ReadsThatAliasingChanges(prepared.system, prepared.program, ReplayTarget());
    for (const PlayedAccess& read : *reads) texts.push_back(PlayedText(prepared.system, read));
    return texts;
  };
  EXPECT_THAT(changed(Example("e3_mainloop_epilogue")), IsEmpty());
  EXPECT_THAT(changed(Example("e8b_two_readers_shared")), IsEmpty());
  // y holds what the producer wrote through x; with memory of its own it holds nothing.
  EXPECT_THAT(changed(Example("e8_two_readers")), ElementsAre("C1 read y #0", "C2 read y #0"));
}

}  // namespace
}  // namespace spillway::task
