// The barrier array, pipelines, their groups, and the order of calls.
#include <gmock/gmock.h>

#include "model/alloc/task/barrier_allocator.h"
#include "model/alloc/task/codes.h"
#include "model/alloc/task/registers.h"
#include "model/alloc/task/task_manager.h"
#include "tests/unit/task/small_resources.h"

namespace spillway::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Entries(const BarrierLayout& layout) {
  std::vector<std::string> entries;
  for (const BarrierEntry& entry : layout.entries)
    entries.push_back(entry.name + " " + std::to_string(entry.offset.value));
  return entries;
}

std::vector<std::vector<std::int64_t>> Runs(const BarrierLayout& layout) {
  std::vector<std::vector<std::int64_t>> runs;
  for (const BarrierRun& run : layout.runs)
    runs.push_back({run.begin.value, run.end.value, run.arrivals});
  return runs;
}

TEST(BarrierAllocatorTest, BarriersAreOrderedByArrivalsThenByRegistration) {
  // ts_pipelines.md §5, numeric test.
  BarrierAllocator barriers;
  ASSERT_EQ(CodeOf(barriers.AddProducerConsumer("X", 3, 1, 128)), "");
  ASSERT_EQ(CodeOf(barriers.AddProducerConsumer("Y", 2, 1, 1)), "");
  ASSERT_EQ(CodeOf(barriers.Add({"D", BarrierCount(1), 32, BarrierClass::kV0})), "");
  ASSERT_EQ(CodeOf(barriers.ComputeLayout()), "");
  const BarrierLayout layout = barriers.GetLayout().value();
  EXPECT_THAT(Entries(layout),
              ElementsAre("X.full 0", "X.empty 8", "Y.full 3", "Y.empty 5", "D 7"));
  EXPECT_THAT(Runs(layout),
              ElementsAre(ElementsAre(0, 7, 1), ElementsAre(7, 8, 32), ElementsAre(8, 11, 128)));
  EXPECT_EQ(layout.used, BarrierCount(11));
  EXPECT_EQ(layout.padded, BarrierCount(32));
  EXPECT_EQ(barriers.TotalBytes().value(), Bytes(256));
  const std::vector<InitialisedChunk> chunks = InitialisationOf(layout);
  ASSERT_EQ(chunks.size(), 1u);
  ASSERT_EQ(chunks[0].arrivals.size(), 32u);
  EXPECT_EQ(chunks[0].arrivals[6], 1);
  EXPECT_EQ(chunks[0].arrivals[7], 32);
  EXPECT_EQ(chunks[0].arrivals[8], 128);
  EXPECT_EQ(chunks[0].arrivals[31], 128) << "padding has the last run's number";
}

TEST(BarrierAllocatorTest, EqualArrivalsAreOneRunAndOneInstruction) {
  BarrierAllocator barriers;
  for (const char* name : {"a", "b", "c", "d"})
    ASSERT_EQ(CodeOf(barriers.AddProducerConsumer(name, 1, 32, 32)), "");
  ASSERT_EQ(CodeOf(barriers.ComputeLayout()), "");
  const BarrierLayout layout = barriers.GetLayout().value();
  EXPECT_THAT(Runs(layout), ElementsAre(ElementsAre(0, 8, 32)));
  EXPECT_EQ(layout.padded, BarrierCount(32));
  EXPECT_EQ(InitialisationOf(layout), (std::vector<InitialisedChunk>{{BarrierIndex(0), {32}}}));
}

TEST(BarrierAllocatorTest, ClassesStartAtTheirOwnChunkAndNeverShareARun) {
  BarrierAllocator barriers;
  ASSERT_EQ(CodeOf(barriers.Add({"late", BarrierCount(2), 1, BarrierClass::kV1})), "");
  ASSERT_EQ(CodeOf(barriers.Add({"early", BarrierCount(32), 1, BarrierClass::kV0})), "");
  ASSERT_EQ(CodeOf(barriers.ComputeLayout()), "");
  const BarrierLayout layout = barriers.GetLayout().value();
  EXPECT_THAT(Entries(layout), ElementsAre("late 32", "early 0"));
  EXPECT_THAT(Runs(layout), ElementsAre(ElementsAre(0, 32, 1), ElementsAre(32, 34, 1)));
  EXPECT_EQ(layout.used, BarrierCount(34));
  EXPECT_EQ(layout.padded, BarrierCount(64));
  EXPECT_EQ(InitialisationOf(layout).size(), 2u);
}

TEST(BarrierAllocatorTest, ARunMayCrossChunks) {
  BarrierAllocator barriers;
  ASSERT_EQ(CodeOf(barriers.AddProducerConsumer("a", 20, 1, 1)), "");
  ASSERT_EQ(CodeOf(barriers.ComputeLayout()), "");
  const BarrierLayout layout = barriers.GetLayout().value();
  EXPECT_THAT(Runs(layout), ElementsAre(ElementsAre(0, 40, 1)));
  EXPECT_EQ(layout.padded, BarrierCount(64));
}

TEST(BarrierAllocatorTest, MisuseIsRefusedWithItsCode) {
  SmallResource plain("plain");
  SmallResource ring("ring", MakePipeline("ring", 2));
  BarrierAllocator barriers;
  EXPECT_EQ(CodeOf(barriers.Add({"a", BarrierCount(0), 1, BarrierClass::kV0})), "barrier.count");
  EXPECT_EQ(CodeOf(barriers.Add({"a", BarrierCount(1), 0, BarrierClass::kV0})), "barrier.count");
  EXPECT_EQ(CodeOf(barriers.Add({"ring.empty", BarrierCount(1), 1, BarrierClass::kV0})), "");
  EXPECT_EQ(CodeOf(barriers.AddResource(ring)), "barrier.duplicate-name");
  EXPECT_EQ(CodeOf(barriers.Add({"ring.full", BarrierCount(1), 1, BarrierClass::kV0})), "")
      << "the refused pair left nothing behind";
  EXPECT_EQ(CodeOf(barriers.AddResource(plain)), "resource.no-pipeline");
  EXPECT_EQ(CodeOf(barriers.GetLayout()), "layout.missing");
  EXPECT_EQ(CodeOf(barriers.TotalBytes()), "layout.missing");
  EXPECT_EQ(CodeOf(barriers.AssignBarriers()), "lifecycle");
  ASSERT_EQ(CodeOf(barriers.ComputeLayout()), "");
  EXPECT_EQ(CodeOf(barriers.ComputeLayout()), "layout.twice");
  EXPECT_EQ(CodeOf(barriers.Add({"b", BarrierCount(1), 1, BarrierClass::kV0})), "layout.frozen");
}

TEST(BarrierAllocatorTest, AResourceIsRegisteredOnceHoweverOftenItIsAdded) {
  SmallResource ring("ring", MakePipeline("p", 2, 1, 4));
  BarrierAllocator barriers;
  ASSERT_EQ(CodeOf(barriers.AddResource(ring)), "");
  ASSERT_EQ(CodeOf(barriers.AddResource(ring)), "");
  ASSERT_EQ(CodeOf(barriers.ComputeLayout()), "");
  EXPECT_THAT(Entries(barriers.GetLayout().value()), ElementsAre("ring.full 0", "ring.empty 2"));
  ASSERT_EQ(CodeOf(barriers.AssignBarriers(ByteOffset(512))), "");
  EXPECT_EQ(ring.pipeline()->barriers(), (BarrierPair{ByteOffset(512), ByteOffset(528)}));
}

TEST(BarrierAllocatorTest, BackingIsOneAllocationOfTheBlockAlignedTo256) {
  SmallResource ring("ring", MakePipeline("ring", 2));
  ring.WithSmem(100);
  SmemAllocator smem({std::nullopt, false});
  BarrierAllocator barriers;
  ASSERT_EQ(CodeOf(smem.AddResource(ring)), "");
  ASSERT_EQ(CodeOf(barriers.AddResource(ring)), "");
  EXPECT_EQ(CodeOf(barriers.SetBacking(smem)), "lifecycle") << "before the barrier layout";
  ASSERT_EQ(CodeOf(barriers.ComputeLayout()), "");
  ASSERT_EQ(CodeOf(barriers.SetBacking(smem)), "");
  EXPECT_EQ(CodeOf(barriers.SetBacking(smem)), "lifecycle") << "twice";
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  EXPECT_EQ(smem.BarrierBytes().value(), Bytes(256));
  EXPECT_EQ(smem.Total().value(), Bytes(356));
  EXPECT_EQ(CodeOf(barriers.AssignBarriers()), "lifecycle") << "before the block";
  ASSERT_EQ(CodeOf(smem.Allocate()), "");
  ASSERT_EQ(CodeOf(barriers.AssignBarriers()), "");
  // The array is aligned more strictly than the data, so it lies first.
  EXPECT_EQ(ring.pipeline()->barriers(), (BarrierPair{ByteOffset(0), ByteOffset(16)}));
}

TEST(BarrierAllocatorTest, BackingComesBeforeTheLayoutOfItsBlock) {
  SmemAllocator smem;
  BarrierAllocator barriers;
  ASSERT_EQ(CodeOf(barriers.AddProducerConsumer("a", 1, 1, 1)), "");
  ASSERT_EQ(CodeOf(barriers.ComputeLayout()), "");
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  EXPECT_EQ(CodeOf(barriers.SetBacking(smem)), "lifecycle");
}

struct GroupCase {
  GroupMode mode;
  std::vector<std::string> names;
  std::vector<std::int64_t> arrivals;
  std::int64_t barriers;
};

TEST(PipelineGroupTest, SharesTheBarriersOfItsModesSide) {
  for (const GroupCase& row :
       {GroupCase{GroupMode::kMerge, {"g.a.full", "g.b.full", "g.empty"}, {2, 3, 64}, 6},
        GroupCase{GroupMode::kFusedMerge, {"g.full", "g.empty"}, {5, 64}, 4}}) {
    const PipelineGroup group =
        PipelineGroup::Create("g", row.mode,
                              {MakePipeline("a", 2, 2, 64), MakePipeline("b", 2, 3, 64)})
            .value();
    std::vector<std::string> names;
    std::vector<std::int64_t> arrivals;
    for (const BarrierAllocation& allocation : group.Allocations("g")) {
      names.push_back(allocation.name);
      arrivals.push_back(allocation.arrivals);
      EXPECT_EQ(allocation.count, BarrierCount(2));
    }
    EXPECT_EQ(names, row.names);
    EXPECT_EQ(arrivals, row.arrivals);
    EXPECT_EQ(group.Barriers(), BarrierCount(row.barriers));
  }
  const PipelineGroup fork =
      PipelineGroup::Create("g", GroupMode::kFork,
                            {MakePipeline("a", 2, 7, 1), MakePipeline("b", 2, 7, 128)})
          .value();
  EXPECT_EQ(fork.Allocations("g")[0].name, "g.full");
  EXPECT_EQ(fork.Allocations("g")[0].arrivals, 7);
  EXPECT_EQ(fork.Allocations("g")[2].name, "g.b.empty");
  EXPECT_EQ(fork.Allocations("g")[2].arrivals, 128);
  EXPECT_EQ(fork.Barriers(), BarrierCount(6));
}

TEST(PipelineGroupTest, TheArrayGivesMembersTheirOwnAndTheSharedBarriers) {
  const PipelinePointer a = MakePipeline("a", 1, 1, 1);
  const PipelinePointer b = MakePipeline("b", 1, 1, 128);
  const PipelineGroup fork = PipelineGroup::Create("g", GroupMode::kFork, {a, b}).value();
  BarrierAllocator barriers;
  ASSERT_EQ(CodeOf(barriers.AddPipelineGroup("sync", fork)), "");
  ASSERT_EQ(CodeOf(barriers.ComputeLayout()), "");
  EXPECT_THAT(Entries(barriers.GetLayout().value()),
              ElementsAre("sync.full 0", "sync.a.empty 1", "sync.b.empty 2"));
  ASSERT_EQ(CodeOf(barriers.AssignBarriers()), "");
  EXPECT_EQ(a->barriers(), (BarrierPair{ByteOffset(0), ByteOffset(8)}));
  EXPECT_EQ(b->barriers(), (BarrierPair{ByteOffset(0), ByteOffset(16)}));
}

TEST(PipelineGroupTest, MembersAgreeAndBelongToOneGroup) {
  const auto make = [](GroupMode mode, std::vector<PipelinePointer> members) {
    return CodeOf(PipelineGroup::Create("g", mode, std::move(members)));
  };
  EXPECT_EQ(make(GroupMode::kMerge, {}), "group.empty");
  const PipelinePointer a = MakePipeline("a", 2);
  EXPECT_EQ(make(GroupMode::kMerge, {a, a}), "group.member");
  EXPECT_EQ(make(GroupMode::kMerge, {a, MakePipeline("b", 3)}), "group.mismatch");
  EXPECT_EQ(make(GroupMode::kMerge, {a, MakePipeline("b", 2, 1, 32)}), "group.mismatch");
  EXPECT_EQ(make(GroupMode::kFork, {a, MakePipeline("b", 2, 32, 1)}), "group.mismatch");
  PipelineOptions options;
  options.name = "dma";
  options.stages = 2;
  options.consumer = SideKind::kDma;
  EXPECT_EQ(make(GroupMode::kMerge, {a, StagedPipeline::Create(options).value()}),
            "group.mismatch");
  // The other side may differ.
  EXPECT_EQ(make(GroupMode::kFork, {a, StagedPipeline::Create(options).value()}), "");
  EXPECT_EQ(make(GroupMode::kMerge, {a}), "group.member");
  options.interleaving = Interleaving::Every(2);
  const PipelinePointer strided = StagedPipeline::Create(options).value();
  EXPECT_EQ(make(GroupMode::kFusedMerge, {strided}), "group.mismatch");
  EXPECT_EQ(make(GroupMode::kMerge, {MakePipeline("c", 2), strided}), "group.mismatch");
}

TEST(StagedPipelineTest, StagesArrivalsAndStridesAreChecked) {
  const auto code = [](auto edit) {
    PipelineOptions options;
    options.name = "p";
    options.stages = 4;
    edit(options);
    return CodeOf(StagedPipeline::Create(options));
  };
  EXPECT_EQ(code([](auto&) {}), "");
  EXPECT_EQ(code([](auto& o) { o.stages = 0; }), "pipeline.stages");
  EXPECT_EQ(code([](auto& o) { o.stages = 65; }), "pipeline.stages");
  EXPECT_EQ(code([](auto& o) { o.consumer_arrivals = 0; }), "pipeline.arrivals");
  EXPECT_EQ(code([](auto& o) { o.interleaving = Interleaving::Every(2); }), "");
  EXPECT_EQ(code([](auto& o) { o.interleaving = Interleaving::Every(3); }),
            "pipeline.interleaving");
  EXPECT_EQ(code([](auto& o) { o.interleaving.commit = 0; }), "pipeline.interleaving");
  EXPECT_EQ(code([](auto& o) { o.interleaving.commit = 2; }), "pipeline.interleaving");
  EXPECT_EQ(code([](auto& o) {
              o.interleaving.commit = 2;
              o.interleaving.advance_on_acquire = true;
            }),
            "");
  EXPECT_EQ(code([](auto& o) { o.interleaving.wait = 2; }), "pipeline.interleaving");
}

TEST(StagedPipelineTest, ArrivalsFollowFromTheSidesKind) {
  EXPECT_EQ(DerivedArrivals({SideKind::kThread, 4, 1, 0}), 128);
  EXPECT_EQ(DerivedArrivals({SideKind::kMatrix, 4, 2, 0}), 1);
  EXPECT_EQ(DerivedArrivals({SideKind::kDma, 2, 2, 4096}), 16384);
  EXPECT_EQ(CodeOf(CheckArrivals("p", Side::kConsumer, 128, {SideKind::kThread, 4, 1, 0})), "");
  const Result<void> wrong = CheckArrivals("p", Side::kConsumer, 4, {SideKind::kThread, 4, 1, 0});
  EXPECT_EQ(CodeOf(wrong), "pipeline.arrivals");
  EXPECT_THAT(wrong.error().message, HasSubstr("expected 128 arrivals"));
}

TEST(StagedPipelineTest, TheDocumentationsTypesNameBothKinds) {
  const auto type = FindPipelineType("TmaUmma");
  ASSERT_TRUE(type.has_value());
  EXPECT_EQ(type->producer, SideKind::kDma);
  EXPECT_EQ(type->consumer, SideKind::kMatrix);
  EXPECT_FALSE(FindPipelineType("UmmaTma").has_value());
}

TEST(RegistersTest, WarpsShareTheFileInWholeGroupsAndGranules) {
  // 65536 / (32 * 4) is 512, more than a thread may have; 65536 / (32 * 12) is 170.7.
  EXPECT_EQ(DefaultRegisters(1), 256);
  EXPECT_EQ(DefaultRegisters(8), 256);
  EXPECT_EQ(DefaultRegisters(9), 168);
  EXPECT_EQ(DefaultRegisters(12), 168);
  EXPECT_EQ(DefaultRegisters(16), 128);
}

TEST(RegistersTest, TheSumFitsAndGroupsOfWarpsAgree) {
  using Tasks = std::vector<TaskRegisters>;
  EXPECT_EQ(CodeOf(CheckRegisters(Tasks{})), "");
  EXPECT_EQ(CodeOf(CheckRegisters(Tasks{{"load", 0, 1, {}}, {"mma", 1, 1, {}}})), "");
  EXPECT_EQ(CodeOf(CheckRegisters(Tasks{{"a", 0, 4, 240}, {"b", 4, 4, 240}})), "");
  const Result<void> over =
      CheckRegisters(Tasks{{"a", 0, 4, 256}, {"b", 4, 4, 256}, {"c", 8, 4, 8}});
  EXPECT_EQ(CodeOf(over), "registers");
  EXPECT_THAT(over.error().message, HasSubstr("65536"));
  const Result<void> mixed = CheckRegisters(Tasks{{"a", 0, 3, 64}, {"b", 3, 2, 72}});
  EXPECT_EQ(CodeOf(mixed), "registers");
  EXPECT_THAT(mixed.error().message, HasSubstr("task b: expected the 64 registers of task a"));
  EXPECT_EQ(CodeOf(CheckRegisters(Tasks{{"a", 0, 1, 257}})), "registers");
  EXPECT_EQ(CodeOf(CheckRegisters(Tasks{{"a", 0, 0, 8}})), "registers");
}

/// Two resources with pipelines, one of them in TMEM, and the slot for its base.
struct Kernel {
  SmallResource ab{"ab", MakePipeline("ab", 2)};
  SmallResource acc{"acc", MakePipeline("acc", 1)};
  Region<Smem> slot = SmemRegion("tmem_ptr", 4, 4);
  SmemAllocator smem;
  TmemAllocator tmem;

  Kernel() {
    ab.WithSmem(256);
    acc.WithTmem(128);
  }
  void Register() {
    ASSERT_EQ(CodeOf(smem.AddResource(ab)), "");
    ASSERT_EQ(CodeOf(smem.AddResource(acc)), "");
    ASSERT_EQ(CodeOf(smem.AddTmemSlot(slot)), "");
    ASSERT_EQ(CodeOf(tmem.AddResource(acc)), "");
  }
  void LayOut() {
    ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
    ASSERT_EQ(CodeOf(tmem.ComputeLayout()), "");
  }
  TaskManager Manager() { return TaskManager({{"Mma", {&ab, &acc}}}, {&smem, &tmem, nullptr}); }
};

TEST(CodesTest, WhatIsOutOfOrderIsOfTheKindLifecycle) {
  std::vector<std::string> lifecycle;
  std::vector<std::string> mixed;
  for (const CodeRow& row : AllCodes()) {
    if (row.kind == Kind::kLifecycle) lifecycle.emplace_back(row.name);
    if (row.kind == Kind::kMixedAllocation) mixed.emplace_back(row.name);
  }
  EXPECT_THAT(lifecycle,
              ::testing::ElementsAre("layout.frozen", "layout.twice", "layout.missing",
                                     "requirement-not-cached", "tmem.not-allocated",
                                     "tmem.allocated-twice", "tmem.not-deallocated",
                                     "tmem.after-permit", "tmem.permit-kept", "lifecycle"));
  EXPECT_THAT(mixed, ::testing::ElementsAre("layout.mixed"));
}

TEST(TaskManagerTest, StatesFollowEachOther) {
  Kernel kernel;
  kernel.Register();
  TaskManager manager = kernel.Manager();
  EXPECT_EQ(manager.State(), LifecycleState::kDeclared);
  EXPECT_EQ(CodeOf(manager.SetUpResourcesAndTasks()), "lifecycle");
  kernel.LayOut();
  EXPECT_EQ(manager.State(), LifecycleState::kLaidOut);
  EXPECT_EQ(CodeOf(manager.Context()), "lifecycle");
  EXPECT_EQ(CodeOf(manager.Run()), "lifecycle");
  ASSERT_EQ(CodeOf(kernel.smem.Allocate()), "");
  EXPECT_EQ(manager.State(), LifecycleState::kMaterialised);
  ASSERT_EQ(CodeOf(kernel.smem.AssignBarriers()), "");
  EXPECT_EQ(manager.State(), LifecycleState::kBarriersBound);
  ASSERT_EQ(CodeOf(manager.SetUpResourcesAndTasks()), "");
  EXPECT_EQ(manager.State(), LifecycleState::kSetUp);
  EXPECT_EQ(CodeOf(manager.SetUpResourcesAndTasks()), "lifecycle");
  EXPECT_EQ(CodeOf(manager.Finish()), "lifecycle");
  ASSERT_EQ(CodeOf(manager.Run()), "");
  EXPECT_EQ(manager.State(), LifecycleState::kRunning);
  EXPECT_EQ(CodeOf(manager.Run()), "lifecycle");
  ASSERT_EQ(CodeOf(manager.Finish()), "");
  EXPECT_EQ(manager.State(), LifecycleState::kDone);
}

TEST(TaskManagerTest, SetUpDoesWhatIsLeftAndFixesTheContext) {
  Kernel kernel;
  kernel.Register();
  kernel.LayOut();
  TaskManager manager = kernel.Manager();
  ASSERT_EQ(CodeOf(manager.SetUpResourcesAndTasks()), "");
  EXPECT_TRUE(kernel.ab.pipeline()->barriers().has_value());
  EXPECT_TRUE(kernel.acc.pipeline()->barriers().has_value());
  // Data 256, then two and one stages of barriers, then the slot.
  EXPECT_EQ(manager.Context().value(), (StageContext{ByteOffset(0), ByteOffset(304)}));
}

TEST(TaskManagerTest, AResourceThatNoAllocatorKnowsIsRefused) {
  Kernel kernel;
  SmallResource forgotten("forgotten");
  forgotten.WithSmem(64);
  kernel.Register();
  kernel.LayOut();
  TaskManager manager({{"Store", {&kernel.acc, &forgotten}}},
                      {&kernel.smem, &kernel.tmem, nullptr});
  const Result<void> set_up = manager.SetUpResourcesAndTasks();
  EXPECT_EQ(CodeOf(set_up), "resource.unregistered");
  EXPECT_THAT(set_up.error().message, HasSubstr("task Store uses resource forgotten"));
  TaskManager without({{"Mma", {&kernel.acc}}}, {&kernel.smem, nullptr, nullptr});
  EXPECT_EQ(CodeOf(without.SetUpResourcesAndTasks()), "resource.unregistered");
}

TEST(TaskManagerTest, APipelineWithoutBarriersIsRefused) {
  SmallResource ring("ring", MakePipeline("ring", 2));
  SmemAllocator smem({std::nullopt, false});
  BarrierAllocator barriers;
  ASSERT_EQ(CodeOf(smem.AddResource(ring)), "");
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  ASSERT_EQ(CodeOf(barriers.ComputeLayout()), "");
  EXPECT_EQ(CodeOf(barriers.CheckPair(*ring.pipeline())), "barrier.missing");
  TaskManager manager({{"T", {&ring}}}, {&smem, nullptr, &barriers});
  EXPECT_EQ(CodeOf(manager.SetUpResourcesAndTasks()), "barrier.missing");
}

TEST(TaskManagerTest, AnArrayOfItsOwnCountsAgainstTheDefaultCapacity) {
  for (const std::int64_t data : {232448 - 256, 232448 - 255}) {
    SmallResource ring("ring", MakePipeline("ring", 1));
    ring.WithSmem(data);
    SmemAllocator smem;
    BarrierAllocator barriers;
    ASSERT_EQ(CodeOf(smem.AddResource(ring, false)), "");
    ASSERT_EQ(CodeOf(barriers.AddResource(ring)), "");
    ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
    ASSERT_EQ(CodeOf(barriers.ComputeLayout()), "");
    TaskManager manager({{"T", {&ring}}}, {&smem, nullptr, &barriers});
    const Result<void> set_up = manager.SetUpResourcesAndTasks();
    EXPECT_EQ(CodeOf(set_up), data == 232448 - 256 ? "" : "capacity");
    if (set_up) continue;
    EXPECT_THAT(set_up.error().message, ::testing::HasSubstr("(data 232193 + barriers 256)"));
  }
}

TEST(TaskManagerTest, AnArrayOfItsOwnCountsAgainstTheCapacityToo) {
  for (const std::int64_t capacity : {383, 384}) {
    SmallResource ring("ring", MakePipeline("ring", 2));
    ring.WithSmem(128);
    SmemAllocator smem({Bytes(capacity), false});
    BarrierAllocator barriers;
    ASSERT_EQ(CodeOf(smem.AddResource(ring)), "");
    ASSERT_EQ(CodeOf(barriers.AddResource(ring)), "");
    ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
    ASSERT_EQ(CodeOf(barriers.ComputeLayout()), "");
    EXPECT_EQ(CodeOf(barriers.CheckPair(*ring.pipeline())), "");
    TaskManager manager({{"T", {&ring}}}, {&smem, nullptr, &barriers});
    EXPECT_EQ(CodeOf(manager.SetUpResourcesAndTasks()), capacity < 384 ? "capacity" : "");
    if (capacity < 384) continue;
    // Behind the block of 128 bytes, aligned.
    EXPECT_EQ(ring.pipeline()->barriers(), (BarrierPair{ByteOffset(256), ByteOffset(272)}));
  }
}

}  // namespace
}  // namespace spillway::task
