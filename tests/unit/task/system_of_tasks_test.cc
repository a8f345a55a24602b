// From declared tasks to a system: what becomes what, and what is refused.
#include "model/alloc/task/system_of_tasks.h"

#include <gmock/gmock.h>

#include <functional>
#include <map>

#include "model/alloc/task/lay_out_system.h"
#include "tests/unit/task/small_resources.h"

namespace spillway::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using enum TaskVerb;

PipelinePointer Ring(const std::string& name, std::int64_t stages, SideKind producer,
                     SideKind consumer) {
  PipelineOptions options;
  options.name = name;
  options.stages = stages;
  options.producer = producer;
  options.consumer = consumer;
  return StagedPipeline::Create(std::move(options)).value();
}

TaskOperation Do(TaskVerb verb, const TaskResource& resource) {
  return {verb, &resource, {}, {}, {}};
}
TaskOperation Do(TaskVerb verb, const PipelineGroup& group) { return {verb, &group, {}, {}, {}}; }

/// Two rings that transfers fill, a as operand of the matrix unit; acc is filled by it.
struct Kernel {
  PipelinePointer a_ring = Ring("a", 2, SideKind::kDma, SideKind::kMatrix);
  PipelinePointer b_ring = Ring("b", 2, SideKind::kDma, SideKind::kMatrix);
  PipelinePointer acc_ring = Ring("acc", 1, SideKind::kMatrix, SideKind::kThread);
  SmallResource a{"a", a_ring};
  SmallResource b{"b", b_ring};
  SmallResource acc{"acc", acc_ring};
  SmallResource scratch{"scratch"};
  SmemAllocator smem;
  TmemAllocator tmem;
  DeclaredTasks declared;

  Kernel() {
    a.WithSmem(256);
    b.WithSmem(512);
    acc.WithTmem(128);
    scratch.WithSmem(64);
    declared.tasks = {{"T", {&a, &b, &acc, &scratch}}};
    declared.allocators = {&smem, &tmem, nullptr};
  }
  void LayOut() {
    for (const SmallResource* resource : {&a, &b, &acc, &scratch}) {
      EXPECT_EQ(CodeOf(smem.AddResource(*resource)), "");
      EXPECT_EQ(CodeOf(tmem.AddResource(*resource)), "");
    }
    EXPECT_EQ(CodeOf(smem.ComputeLayout()), "");
    EXPECT_EQ(CodeOf(tmem.ComputeLayout()), "");
  }
  TaskSchedule& schedule() { return declared.tasks.front().schedule; }
};

/// "acquire a", "dma write a b commit a b", … of the first task; a loop as "loop 3 [...]".
std::vector<std::string> TextsOf(const PipelineSystem& system,
                                 const std::vector<Operation>& operations) {
  std::vector<std::string> texts;
  for (const Operation& operation : operations) {
    std::string text(OperationKindName(operation.kind));
    if (operation.kind == OperationKind::kLoop) {
      text += " " + std::to_string(operation.trips);
      for (const std::string& inner : TextsOf(system, operation.body)) text += " [" + inner + "]";
    }
    for (const PipelineId id : operation.pipelines) text += " " + system.pipelines[id].name;
    for (const Access& access : operation.accesses) {
      text += " " + std::string(AccessKindName(access.kind)) + " " +
              system.resources[access.resource].name;
    }
    for (const PipelineId id : operation.commits) text += " commit " + system.pipelines[id].name;
    for (const PipelineId id : operation.releases) text += " release " + system.pipelines[id].name;
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> OperationsOf(const Kernel& kernel) {
  const Result<PipelineSystem> system = SystemOfTasks(kernel.declared);
  if (!system) return {system.error().code};
  return TextsOf(*system, system->tasks[TaskId(0)].operations);
}

TEST(SystemOfTasksTest, AllocationsAreFixedWhereTheAllocatorsPutThem) {
  Kernel kernel;
  kernel.LayOut();
  const PipelineSystem system = SystemOfTasks(kernel.declared, {"named", 1}).value();
  EXPECT_EQ(system.name, "named");
  std::map<std::string, std::int64_t> places;
  for (const Allocation& allocation : system.allocations)
    places[allocation.name] = allocation.at.value().value;
  const std::map<std::string, std::int64_t> expected = {
      {"a_data", 0},       {"b_data", 256},       {"scratch_data", 768}, {"a.barriers", 832},
      {"b.barriers", 864}, {"acc.barriers", 896}, {"acc_columns", 0}};
  EXPECT_EQ(places, expected);
  const SystemLayout layout = LayOutSystem(system).value();
  EXPECT_EQ(layout.totals[MemorySpace::kSmem], Units(912));
  EXPECT_EQ(layout.totals[MemorySpace::kTmem], Units(128));
  // Half of its memory a stage.
  const ResourceRegion& region = system.resources[ResourceId(1)].regions.front();
  EXPECT_EQ(region.size, Units(256));
  EXPECT_EQ(region.stage_stride, Units(256));
}

TEST(SystemOfTasksTest, MembersOfAnAliasGroupLieOverEachOther) {
  SmallResource x("x");
  SmallResource y("y");
  x.WithSmem(64);
  y.WithSmem(64);
  SmemAllocator smem;
  ASSERT_EQ(
      CodeOf(smem.AddAliasGroup({{x.SmemRequirements().front()}, {y.SmemRequirements().front()}})),
      "");
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  const PipelineSystem system =
      SystemOfTasks({{{"T", {&x, &y}}}, {&smem, nullptr, nullptr}}).value();
  ASSERT_THAT(system.allocations, SizeIs(2));
  EXPECT_EQ(system.allocations[AllocationId(0)].at, UnitOffset(0));
  EXPECT_EQ(system.allocations[AllocationId(1)].at, UnitOffset(0));
  EXPECT_TRUE(system.alias_groups.empty());
}

TEST(SystemOfTasksTest, HeadLoopAndTailStandInOrderAndTriesAndAuxiliaryWorkStayOut) {
  Kernel kernel;
  kernel.LayOut();
  kernel.schedule().head = {Do(kTryAcquire, kernel.acc), Do(kAcquire, kernel.acc)};
  kernel.schedule().loop = {Do(kAuxiliary, kernel.scratch), Do(kUse, kernel.scratch)};
  kernel.schedule().tail = {Do(kCommit, kernel.acc)};
  kernel.schedule().iterations = 3;
  EXPECT_THAT(OperationsOf(kernel),
              ElementsAre("acquire acc", "loop 3 [access use scratch]", "commit acc"));
  kernel.schedule().iterations = std::nullopt;
  const PipelineSystem endless = SystemOfTasks(kernel.declared, {"s", 7}).value();
  EXPECT_EQ(endless.tasks[TaskId(0)].operations[1].trips, 7);
}

TEST(SystemOfTasksTest, ATransferCompletesWhatItsCommitNames) {
  Kernel kernel;
  kernel.LayOut();
  // Two transfers end in any order; each has the commit of its own ring.
  kernel.schedule().head = {Do(kAcquire, kernel.a), Do(kAcquire, kernel.b), Do(kWrite, kernel.a),
                            Do(kWrite, kernel.b),   Do(kCommit, kernel.a),  Do(kCommit, kernel.b)};
  EXPECT_THAT(OperationsOf(kernel), ElementsAre("acquire a", "acquire b", "dma write a commit a",
                                                "dma write b commit b"));
  // Several writes that one commit completes are one transfer.
  kernel.schedule().head = {Do(kAcquire, kernel.a), Do(kWrite, kernel.a), Do(kWrite, kernel.a),
                            Do(kCommit, kernel.a)};
  EXPECT_THAT(OperationsOf(kernel), ElementsAre("acquire a", "dma write a commit a"));
}

// One transfer doesn't race with itself, so merging two that meet would hide a race.
TEST(SystemOfTasksTest, TransfersThatOneCommitCompletesMayNotMeet) {
  const auto refusal_of = [](bool aliased) {
    const PipelinePointer ring = Ring("p", 2, SideKind::kDma, SideKind::kThread);
    SmallResource a("a", ring);
    SmallResource b("b", ring);
    a.WithSmem(128);
    b.WithSmem(128);
    SmemAllocator smem;
    const RegionHandle<Smem> in_a = a.SmemRequirements().front();
    const RegionHandle<Smem> in_b = b.SmemRequirements().front();
    if (aliased) {
      EXPECT_EQ(CodeOf(smem.AddAliasGroup({{in_a}, {in_b}})), "");
    } else {
      EXPECT_EQ(CodeOf(smem.AddResource(a, false)), "");
      EXPECT_EQ(CodeOf(smem.AddResource(b, false)), "");
    }
    EXPECT_EQ(CodeOf(smem.ComputeLayout()), "");
    DeclaredTasks declared{{{"T", {&a, &b}}}, {&smem, nullptr, nullptr}};
    declared.tasks[0].schedule.head = {Do(kAcquire, a), Do(kWrite, a), Do(kWrite, b),
                                       Do(kCommit, a)};
    const Result<PipelineSystem> system = SystemOfTasks(declared);
    return system ? "" : system.error().code + ": " + system.error().message;
  };
  EXPECT_EQ(refusal_of(false), "");
  EXPECT_EQ(refusal_of(true),
            "race: task T: commit of a: expected the transfers that it completes to touch "
            "different memory, found write a and write b on smem[0:64); nothing orders them");
}

TEST(SystemOfTasksTest, TheSharedOperationOfAGroupIsOneEvent) {
  Kernel kernel;
  kernel.LayOut();
  const PipelineGroup fork =
      PipelineGroup::Create("both", GroupMode::kFork, {kernel.a_ring, kernel.b_ring}).value();
  kernel.schedule().head = {Do(kAcquire, kernel.a), Do(kAcquire, kernel.b), Do(kWrite, kernel.a),
                            Do(kWrite, kernel.b), Do(kCommit, fork)};
  EXPECT_THAT(OperationsOf(kernel),
              ElementsAre("acquire a", "acquire b", "dma write a write b commit a commit b"));
  kernel.schedule().head = {Do(kWait, kernel.a), Do(kWait, kernel.b), Do(kRelease, fork)};
  EXPECT_THAT(OperationsOf(kernel), ElementsAre("wait a", "wait b", "release a b"));
}

TEST(SystemOfTasksTest, AdjacentReadsAndThenWritesOfTheMatrixUnitAreOnePiece) {
  Kernel kernel;
  kernel.LayOut();
  kernel.schedule().head = {Do(kRead, kernel.a), Do(kRead, kernel.b),    Do(kWrite, kernel.acc),
                            Do(kRead, kernel.a), Do(kRelease, kernel.a), Do(kWrite, kernel.acc)};
  EXPECT_THAT(OperationsOf(kernel), ElementsAre("matrix read a read b write acc", "matrix read a",
                                                "release a", "matrix write acc"));
}

TEST(SystemOfTasksTest, OnlyATransferThatHandsItsDataOnIsOneWithTheNext) {
  Kernel kernel;
  kernel.LayOut();
  TaskOperation load = Do(kRead, kernel.scratch);
  load.by = SideKind::kDma;
  load.gives = {"tile"};
  TaskOperation store = Do(kWrite, kernel.a);
  store.takes = {"tile"};
  kernel.schedule().head = {load, store, Do(kCommit, kernel.a)};
  EXPECT_THAT(OperationsOf(kernel), ElementsAre("dma read scratch write a commit a"));
  store.takes = {"other"};
  kernel.schedule().head = {load, store, Do(kCommit, kernel.a)};
  EXPECT_THAT(OperationsOf(kernel), ElementsAre("dma read scratch", "dma write a commit a"));
}

TEST(SystemOfTasksTest, AnAuthorSaysWhoWorksWhereThePipelineDoesnt) {
  Kernel kernel;
  kernel.LayOut();
  TaskOperation write = Do(kWrite, kernel.scratch);
  write.by = SideKind::kMatrix;
  TaskOperation read = Do(kRead, kernel.a);
  read.by = SideKind::kThread;
  kernel.schedule().head = {write, read};
  EXPECT_THAT(OperationsOf(kernel), ElementsAre("matrix write scratch", "access read a"));
}

TEST(SystemOfTasksTest, WhatTheAuthorDoesntCompareFitsInTheSystem) {
  SmallResource large("large");
  large.WithSmem(1 << 20);
  SmemAllocator smem({kUnlimited, true});
  ASSERT_EQ(CodeOf(smem.AddResource(large)), "");
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  const PipelineSystem system =
      SystemOfTasks({{{"T", {&large}}}, {&smem, nullptr, nullptr}}).value();
  EXPECT_EQ(CodeOf(LayOutSystem(system)), "");
}

struct Refused {
  const char* what;
  std::function<void(Kernel&)> change;
  std::string code;
  std::string text;
  bool laid_out = true;
};

class RefusedTasksTest : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedTasksTest, HasItsCode) {
  Kernel kernel;
  GetParam().change(kernel);
  if (GetParam().laid_out) kernel.LayOut();
  const Result<PipelineSystem> system = SystemOfTasks(kernel.declared);
  ASSERT_EQ(CodeOf(system), GetParam().code);
  EXPECT_THAT(system.error().message, HasSubstr(GetParam().text));
}

const SmallResource& Unknown() {
  static SmallResource unknown("unknown");
  if (unknown.SmemRequirements().empty()) unknown.WithSmem(64);
  return unknown;
}

const SmallResource& Strided() {
  static const SmallResource strided("strided", [] {
    PipelineOptions options;
    options.name = "strided";
    options.stages = 4;
    options.interleaving = Interleaving::Every(2);
    return StagedPipeline::Create(std::move(options)).value();
  }());
  return strided;
}

const Refused kRefused[] = {
    {"ALayoutIsMissing", [](Kernel&) {}, "layout.missing", "smem", false},
    {"AResourceIsInNoLayout", [](Kernel& k) { k.declared.tasks[0].resources = {&Unknown()}; },
     "resource.unregistered", "resource unknown: allocation unknown_data"},
    {"StagesDontDivideTheMemory", [](Kernel& k) { k.a.WithTmem(33); }, "region.stages",
     "resource a: allocation a_columns: expected a size that its 2 stages divide, found 33 "
     "columns"},
    {"TwoTasksHaveOneName", [](Kernel& k) { k.declared.tasks.push_back(k.declared.tasks.front()); },
     "duplicate-name", "task T"},
    {"StridesArentOne", [](Kernel& k) { k.declared.tasks[0].resources = {&Strided()}; },
     "pipeline.interleaving", "pipeline strided: expected strides of 1, found 2"},
    {"AWaitNeedsAPipeline", [](Kernel& k) { k.schedule().head = {Do(kWait, k.scratch)}; },
     "resource.no-pipeline", "task T: wait of scratch"},
    {"ACommitNeedsItsTransfer", [](Kernel& k) { k.schedule().head = {Do(kCommit, k.a)}; },
     "pipeline.kind", "expected a transfer that writes its memory before it"},
    {"AThreadsWriteIsNoTransfer",
     [](Kernel& k) {
       k.schedule().head = {Do(kWrite, k.a), Do(kCommit, k.a)};
       k.schedule().head[0].by = SideKind::kThread;
     },
     "pipeline.kind", "commit of a"},
    {"OneTransferHasOneCommit",
     [](Kernel& k) {
       k.schedule().head = {Do(kWrite, k.a), Do(kCommit, k.a), Do(kCommit, k.a)};
     },
     "pipeline.kind", "commit of a"},
    {"ATransferOfAnotherPartDoesntCount",
     [](Kernel& k) {
       k.schedule().head = {Do(kWrite, k.a)};
       k.schedule().loop = {Do(kCommit, k.a)};
     },
     "pipeline.kind", "in the same part of the schedule"},
    {"WhatOneCommitCompletesStandsTogether",
     [](Kernel& k) {
       k.schedule().head = {Do(kWrite, k.a), Do(kAcquire, k.b), Do(kWrite, k.a), Do(kCommit, k.a)};
     },
     "pipeline.kind", "expected the 2 transfers that it completes next to each other"},
    {"ScratchWorkIsTheTasksOwn",
     [](Kernel& k) {
       k.schedule().head = {Do(kUse, k.scratch)};
       k.schedule().head[0].by = SideKind::kDma;
     },
     "pipeline.kind", "task T: use of scratch: expected the task itself"},
    {"AnIterationCountIsNotNegative",
     [](Kernel& k) {
       k.schedule().loop = {Do(kUse, k.scratch)};
       k.schedule().iterations = -1;
     },
     "limit", "task T: expected 0 or more iterations"},
};

INSTANTIATE_TEST_SUITE_P(Rows, RefusedTasksTest, ::testing::ValuesIn(kRefused),
                         [](const auto& test) { return std::string(test.param.what); });

}  // namespace
}  // namespace spillway::task
