// Checks of declared tasks: each row of a table breaks a clean kernel in one way.
#include "model/alloc/task/check_schedules.h"

#include <gmock/gmock.h>

#include <functional>
#include <set>

#include "model/alloc/task/task_manager.h"
#include "tests/unit/task/small_resources.h"

namespace spillway::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

PipelinePointer Ring(const std::string& name, std::int64_t stages, SideKind producer,
                     SideKind consumer, const std::function<void(PipelineOptions&)>& change = {}) {
  PipelineOptions options;
  options.name = name;
  options.stages = stages;
  options.producer = producer;
  options.consumer = consumer;
  if (change) change(options);
  return StagedPipeline::Create(std::move(options)).value();
}

TaskOperation Do(TaskVerb verb, const TaskResource& resource) {
  return {verb, &resource, {}, {}, {}};
}
TaskOperation Do(TaskVerb verb, const PipelineGroup& group) { return {verb, &group, {}, {}, {}}; }
TaskOperation Give(const TaskResource& resource, const std::string& value) {
  return {TaskVerb::kRead, &resource, {}, {value}, {}};
}
TaskOperation Take(const TaskResource& resource, const std::string& value) {
  return {TaskVerb::kWrite, &resource, {value}, {}, {}};
}
TaskOperation CommitBytes(const TaskResource& resource, std::int64_t bytes) {
  return {TaskVerb::kCommit, &resource, {}, {}, Bytes(bytes)};
}

using Change = std::function<void(PipelineOptions&)>;

/// Load fills ab by transfers, Mma reads it and fills acc, Store reads acc with four warps.
struct Kernel {
  PipelinePointer ab_ring = Ring("ab", 4, SideKind::kDma, SideKind::kMatrix, [](auto& o) {
    o.transfer_bytes = Bytes(8192);
    o.supports_probes = true;
  });
  PipelinePointer acc_ring;
  SmallResource input{"input"};
  SmallResource ab{"ab", ab_ring};
  SmallResource acc;
  SmallResource output{"output"};
  std::vector<TaskUse> tasks;

  explicit Kernel(const Change& change_acc = {})
      : acc_ring(Ring("acc", 2, SideKind::kMatrix, SideKind::kThread,
                      [&](auto& o) {
                        o.consumer_arrivals = 128;
                        if (change_acc) change_acc(o);
                      })),
        acc("acc", acc_ring) {
    using enum TaskVerb;
    tasks.push_back({"Load", {}, {&input}, {&ab}, 1, 1, {}});
    tasks[0].schedule.loop = {Give(input, "tile"), Do(kTryAcquire, ab), Do(kAcquire, ab),
                              Take(ab, "tile"), CommitBytes(ab, 8192)};
    tasks.push_back({"Mma", {}, {&ab}, {&acc}, 1, 1, {}});
    tasks[1].schedule.head = {Do(kTryWait, ab), Do(kAcquire, acc)};
    // The try at the end of an iteration is for the next one.
    tasks[1].schedule.loop = {Do(kWait, ab), Give(ab, "rows"), Take(acc, "rows"), Do(kRelease, ab),
                              Do(kTryWait, ab)};
    tasks[1].schedule.tail = {Do(kCommit, acc)};
    tasks.push_back({"Store", {}, {&acc}, {&output}, 4, 1, {}});
    tasks[2].schedule.loop = {Do(kWait, acc), Give(acc, "sums"), Do(kRelease, acc),
                              Take(output, "sums")};
  }

  std::vector<TaskOperation>& Loop(std::size_t task) { return tasks[task].schedule.loop; }
};

std::vector<std::string> CodesOf(const std::vector<ScheduleFinding>& findings) {
  std::vector<std::string> codes;
  for (const ScheduleFinding& finding : findings)
    codes.push_back((finding.is_warning ? "warning " : "") + std::string(CodeName(finding.code)));
  return codes;
}

TEST(CheckSchedulesTest, ACleanKernelHasNoFindings) {
  const Kernel kernel;
  EXPECT_THAT(CodesOf(CheckSchedules(kernel.tasks)), IsEmpty());
  EXPECT_THAT(CheckSchedules({}), IsEmpty());
}

struct BrokenKernel {
  const char* what;
  std::function<void(Kernel&)> change;
  std::string code;
  std::string text;        ///< part of the message
  Change change_acc = {};  ///< of the pipeline acc
};

class BrokenKernelTest : public ::testing::TestWithParam<BrokenKernel> {};

TEST_P(BrokenKernelTest, HasItsCodeAndNoOther) {
  Kernel kernel(GetParam().change_acc);
  GetParam().change(kernel);
  const std::vector<ScheduleFinding> findings = CheckSchedules(kernel.tasks);
  EXPECT_THAT(CodesOf(findings), ElementsAre(GetParam().code)) << GetParam().what;
  for (const ScheduleFinding& finding : findings)
    EXPECT_THAT(finding.text, HasSubstr(GetParam().text)) << GetParam().what;
}

const BrokenKernel kBroken[] = {
    {"ASourceIsntWritten", [](Kernel& k) { k.Loop(2).push_back(Do(TaskVerb::kWrite, k.acc)); },
     "role.producer",
     "task Store: write of acc: expected a destination of the task, found a source"},
    {"ADestinationIsntRead", [](Kernel& k) { k.Loop(0).push_back(Do(TaskVerb::kRead, k.ab)); },
     "role.consumer", "task Load: read of ab: expected a source of the task, found a destination"},
    {"WhatIsntDeclaredIsntUsed",
     [](Kernel& k) { k.Loop(0).push_back(Do(TaskVerb::kRead, k.output)); }, "role.consumer",
     "found neither a source nor a destination"},
    {"AnAcquireFollowsItsTry", [](Kernel& k) { k.Loop(0).erase(k.Loop(0).begin() + 1); },
     "order.try", "task Load: acquire of ab: expected a try-acquire"},
    {"ATryBehindItsAcquireIsTooLate", [](Kernel& k) { std::swap(k.Loop(0)[1], k.Loop(0)[2]); },
     "order.try", "task Load"},
    {"ATryOfTheOtherSideDoesntCount",
     [](Kernel& k) {
       k.tasks[1].schedule.head[0].verb = TaskVerb::kTryAcquire;
       k.tasks[1].destinations.push_back(&k.ab);
     },
     "order.try", "task Mma: wait of ab: expected a try-wait"},
    {"EachIterationHasItsTry", [](Kernel& k) { k.Loop(1).pop_back(); }, "order.try",
     "task Mma: wait of ab"},
    {"AValueIsGivenBeforeItIsTaken", [](Kernel& k) { std::swap(k.Loop(0)[0], k.Loop(0)[3]); },
     "value.unwritten", "task Load: write of ab: value tile"},
    {"AValueOfALaterIterationDoesntCount",
     [](Kernel& k) {
       k.Loop(2).push_back(Give(k.acc, "next"));
       k.Loop(2).insert(k.Loop(2).begin(), Take(k.output, "next"));
     },
     "value.unwritten", "value next"},
    {"AValueOfAnotherTaskDoesntCount", [](Kernel& k) { k.Loop(2)[3].takes = {"rows"}; },
     "value.unwritten", "value rows"},
    {"WorkOfAProducerGivesNoValue", [](Kernel& k) { k.Loop(0)[3].gives = {"back"}; },
     "value.direction",
     "task Load: write of ab: value back: expected to be given by work of a consumer"},
    {"WorkOfAConsumerTakesNoValue",
     [](Kernel& k) {
       k.Loop(2).push_back({TaskVerb::kRead, &k.acc, {"sums"}, {}, {}});
     },
     "value.direction", "expected to be taken by work of a producer"},
    {"HeadAndLoopMeanTheSameFirstIteration",
     [](Kernel& k) { k.tasks[1].schedule.head.push_back(Do(TaskVerb::kWrite, k.acc)); },
     "warning schedule.head-and-loop", "task Mma: write of acc"},
    {"AnOperationNeedsAPipeline",
     [](Kernel& k) { k.Loop(0).push_back(Do(TaskVerb::kWait, k.input)); }, "resource.no-pipeline",
     "task Load: wait of input"},
    {"ThreadsArriveByWarps", [](Kernel& k) { k.tasks[2].warps = 2; }, "pipeline.arrivals",
     "pipeline acc: expected 64 arrivals of the consumer side: Store 64; found 128"},
    {"SeveralConsumersAddUp",
     [](Kernel& k) {
       k.tasks.push_back(k.tasks[2]);
       k.tasks[3].task = "Also";
     },
     "pipeline.arrivals", "expected 256 arrivals of the consumer side: Store 128 + Also 128"},
    {"MatrixWorkArrivesOnce", [](Kernel&) {}, "pipeline.arrivals",
     "pipeline acc: expected 1 arrivals of the producer side: Mma 1; found 32",
     [](PipelineOptions& o) { o.producer_arrivals = 32; }},
    {"ALeaderCountsTheBytesOfAllWarpsAndCtas",
     [](Kernel& k) {
       k.tasks[0].warps = 2;
       k.tasks[0].ctas = 2;
     },
     "pipeline.arrivals",
     "expected 32768 bytes of the producer side: Load 32768 (8192 a warp, 2 warps, 2 CTAs); found "
     "8192"},
    {"AllCommitsBringTheSameBytes",
     [](Kernel& k) { k.tasks[0].schedule.tail = {CommitBytes(k.ab, 4096)}; }, "pipeline.arrivals",
     "task Load: commit of ab: expected 8192 bytes a warp as in its first commit, found 4096"},
    {"AllPipelinesHaveOneClusterLayout", [](Kernel&) {}, "cluster.mismatch",
     "pipeline acc: expected the cluster layout 1 x 1 x 1 x 1 of pipeline ab, found 2 x 1 x 1 x 1",
     [](PipelineOptions& o) {
       o.cluster = {2, 1, 1, 1};
     }},
};

INSTANTIATE_TEST_SUITE_P(Rows, BrokenKernelTest, ::testing::ValuesIn(kBroken),
                         [](const auto& test) { return std::string(test.param.what); });

TEST(CheckSchedulesTest, AuxiliaryWorkIsInvisible) {
  Kernel kernel;
  kernel.Loop(0).insert(kernel.Loop(0).begin(),
                        {TaskVerb::kAuxiliary, &kernel.output, {"never_given"}, {"any"}, {}});
  EXPECT_THAT(CodesOf(CheckSchedules(kernel.tasks)), IsEmpty());
}

TEST(CheckSchedulesTest, ScratchWorkHasNoSideAndStandsBetweenValues) {
  Kernel kernel;
  SmallResource scratch("scratch");
  kernel.Loop(2).insert(kernel.Loop(2).begin() + 2,
                        {TaskVerb::kUse, &scratch, {"sums"}, {"scaled"}, {}});
  kernel.Loop(2).back().takes = {"scaled"};
  EXPECT_THAT(CodesOf(CheckSchedules(kernel.tasks)), IsEmpty());
  kernel.Loop(2)[2].takes = {"never_given"};
  EXPECT_THAT(CodesOf(CheckSchedules(kernel.tasks)), ElementsAre("value.unwritten"));
}

TEST(CheckSchedulesTest, ATaskWithoutRolesHasNone) {
  Kernel kernel;
  kernel.tasks[0].sources.clear();
  kernel.tasks[0].destinations.clear();
  kernel.Loop(0).push_back(Do(TaskVerb::kRead, kernel.ab));
  EXPECT_THAT(CodesOf(CheckSchedules(kernel.tasks)), IsEmpty());
}

TEST(CheckSchedulesTest, WithoutProbesNoTryIsAskedFor) {
  const PipelinePointer ring =
      Ring("r", 2, SideKind::kThread, SideKind::kThread, [](auto& o) { o.producer_arrivals = 32; });
  const SmallResource r("r", ring);
  std::vector<TaskUse> tasks = {{"A", {&r}}};
  tasks[0].schedule.loop = {Do(TaskVerb::kAcquire, r), Do(TaskVerb::kCommit, r)};
  EXPECT_THAT(CodesOf(CheckSchedules(tasks)), IsEmpty());
}

/// Which operations each mode has on members and on the group: m and g.
struct GroupRow {
  GroupMode mode;
  std::string acquire, commit, wait, release;
};

TEST(CheckSchedulesTest, EachModeSharesItsOwnOperations) {
  const GroupRow rows[] = {{GroupMode::kMerge, "m", "m", "m", "g"},
                           {GroupMode::kFork, "m", "g", "m", "m"},
                           {GroupMode::kFusedMerge, "m", "m", "g", "g"}};
  for (const GroupRow& row : rows) {
    const auto ring = [](const char* name) {
      return Ring(name, 2, SideKind::kThread, SideKind::kThread, [](auto& o) {
        o.producer_arrivals = 32;
        o.consumer_arrivals = 32;
      });
    };
    const PipelinePointer a_ring = ring("a");
    const PipelinePointer b_ring = ring("b");
    const SmallResource a("a", a_ring);
    const SmallResource b("b", b_ring);
    const PipelineGroup group = PipelineGroup::Create("both", row.mode, {a_ring, b_ring}).value();
    const std::pair<TaskVerb, std::string> verbs[] = {
        {TaskVerb::kTryAcquire, row.acquire}, {TaskVerb::kAcquire, row.acquire},
        {TaskVerb::kCommit, row.commit},      {TaskVerb::kTryWait, row.wait},
        {TaskVerb::kWait, row.wait},          {TaskVerb::kRelease, row.release}};
    for (const auto& [verb, who] : verbs) {
      const std::string what =
          std::string(GroupModeName(row.mode)) + " " + std::string(TaskVerbName(verb));
      std::vector<TaskUse> tasks = {{"T", {&a, &b}}};
      tasks[0].schedule.loop = {Do(verb, a), Do(verb, a)};
      EXPECT_EQ(CodesOf(CheckSchedules(tasks)), who == "m"
                                                    ? std::vector<std::string>()
                                                    : std::vector<std::string>{"group.shared-side"})
          << what;
      tasks[0].schedule.loop = {Do(verb, group)};
      EXPECT_EQ(CodesOf(CheckSchedules(tasks)), who == "g"
                                                    ? std::vector<std::string>()
                                                    : std::vector<std::string>{"group.operation"})
          << what;
    }
    // Work is the members'.
    std::vector<TaskUse> tasks = {{"T", {&a, &b}}};
    tasks[0].schedule.loop = {Do(TaskVerb::kWrite, a), Do(TaskVerb::kRead, b)};
    EXPECT_THAT(CheckSchedules(tasks), IsEmpty());
    tasks[0].schedule.loop = {Do(TaskVerb::kWrite, group)};
    EXPECT_THAT(CodesOf(CheckSchedules(tasks)), ElementsAre("group.operation"));
  }
}

TEST(CheckSchedulesTest, AGroupsOperationCountsForItsMembersRolesAndArrivals) {
  const auto ring = [](const char* name) {
    return Ring(name, 2, SideKind::kDma, SideKind::kThread,
                [](auto& o) { o.consumer_arrivals = 64; });
  };
  const PipelinePointer a_ring = ring("a");
  const PipelinePointer b_ring = ring("b");
  const SmallResource a("a", a_ring);
  const SmallResource b("b", b_ring);
  const PipelineGroup merge =
      PipelineGroup::Create("both", GroupMode::kMerge, {a_ring, b_ring}).value();
  std::vector<TaskUse> tasks = {{"T", {}, {&a}, {&b}, 2, 1, {}}};
  tasks[0].schedule.loop = {Do(TaskVerb::kRelease, merge)};
  const std::vector<ScheduleFinding> findings = CheckSchedules(tasks);
  EXPECT_THAT(CodesOf(findings), ElementsAre("role.consumer"));
  EXPECT_THAT(findings[0].text, HasSubstr("release of b: expected a source"));
  tasks[0].warps = 4;
  EXPECT_THAT(CodesOf(CheckSchedules(tasks)),
              ElementsAre("role.consumer", "pipeline.arrivals", "pipeline.arrivals"));
}

TEST(CheckSchedulesTest, UnequalStridesNeedTasksOfTheirOwn) {
  struct Row {
    Interleaving strides;
    std::vector<TaskVerb> verbs;
    std::size_t findings;
  };
  using enum TaskVerb;
  Interleaving unequal_producer{1, 2, 1, 1, true, false};
  Interleaving unequal_consumer{1, 1, 2, 1, false, true};
  const Row rows[] = {{Interleaving::Every(2), {kAcquire, kCommit, kWait, kRelease}, 0},
                      {unequal_producer, {kAcquire, kCommit}, 1},
                      {unequal_producer, {kAcquire}, 0},
                      {unequal_producer, {kCommit, kWait, kRelease}, 0},
                      {unequal_consumer, {kWait, kRelease}, 1},
                      {unequal_consumer, {kAcquire, kCommit, kRelease}, 0}};
  for (const Row& row : rows) {
    const PipelinePointer ring = Ring("r", 4, SideKind::kThread, SideKind::kThread, [&](auto& o) {
      o.interleaving = row.strides;
      o.producer_arrivals = 32;
      o.consumer_arrivals = 32;
    });
    const SmallResource r("r", ring);
    std::vector<TaskUse> tasks = {{"T", {&r}}};
    for (const TaskVerb verb : row.verbs) tasks[0].schedule.loop.push_back(Do(verb, r));
    EXPECT_EQ(CodesOf(CheckSchedules(tasks)),
              std::vector<std::string>(row.findings, "pipeline.interleaving"));
  }
}

/// The kernel with allocators, ready to be set up.
struct LaidOut : Kernel {
  SmemAllocator smem;
  LaidOut() {
    for (const SmallResource* resource : {&ab, &acc, &input, &output})
      EXPECT_EQ(CodeOf(smem.AddResource(*resource)), "");
    EXPECT_EQ(CodeOf(smem.ComputeLayout()), "");
  }
};

TEST(TaskManagerTest, SetUpRefusesWhatTheTasksDeclareWronglyWithAllTexts) {
  LaidOut kernel;
  kernel.tasks[2].warps = 2;
  kernel.Loop(0).erase(kernel.Loop(0).begin() + 1);
  TaskManager manager(kernel.tasks, {&kernel.smem, nullptr, nullptr});
  EXPECT_THAT(CodesOf(manager.Validate()), ElementsAre("order.try", "pipeline.arrivals"));
  const Result<void> set_up = manager.SetUpResourcesAndTasks();
  EXPECT_EQ(CodeOf(set_up), "order.try");
  EXPECT_THAT(set_up.error().message, HasSubstr("\npipeline acc: expected 64 arrivals"));
  EXPECT_EQ(manager.State(), LifecycleState::kLaidOut) << "nothing was allocated";
}

TEST(TaskManagerTest, SkippedValidationRunsAllChecksAndWarns) {
  LaidOut kernel;
  kernel.tasks[2].warps = 2;
  kernel.Loop(0).erase(kernel.Loop(0).begin() + 1);
  TaskManager manager(kernel.tasks, {&kernel.smem, nullptr, nullptr}, {.skip_validation = true});
  EXPECT_EQ(CodeOf(manager.SetUpResourcesAndTasks()), "");
  EXPECT_THAT(CodesOf(manager.warnings()),
              ElementsAre("warning order.try", "warning pipeline.arrivals"));
}

TEST(TaskManagerTest, AWarningDoesntStopTheSetUp) {
  LaidOut kernel;
  kernel.tasks[1].schedule.head.push_back(Do(TaskVerb::kWrite, kernel.acc));
  TaskManager manager(kernel.tasks, {&kernel.smem, nullptr, nullptr});
  EXPECT_EQ(CodeOf(manager.SetUpResourcesAndTasks()), "");
  EXPECT_THAT(manager.warnings(), SizeIs(1));
}

TEST(TaskManagerTest, AResourceThatOnlyAnOperationNamesMustBeKnown) {
  LaidOut kernel;
  SmallResource unknown("unknown");
  unknown.WithSmem(64);
  kernel.tasks[0].sources.push_back(&unknown);
  kernel.Loop(0).push_back(Do(TaskVerb::kRead, unknown));
  TaskManager manager(kernel.tasks, {&kernel.smem, nullptr, nullptr});
  EXPECT_EQ(CodeOf(manager.SetUpResourcesAndTasks()), "resource.unregistered");
}

}  // namespace
}  // namespace spillway::task
