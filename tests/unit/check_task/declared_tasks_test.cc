// What authors declare in C++, proved or refuted: the seed's example by hand, and every worked
// example that the surface can say, beside the verdict of its file.
#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/check_task/iteration_cut_off.h"
#include "model/alloc/declared/check_declared_tasks.h"
#include "tests/unit/check_task/declared_example.h"
#include "tests/unit/check_task/expected_verdicts.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TaskOperation Do(TaskVerb verb, const TaskResource& resource) {
  return {verb, &resource, {}, {}, {}};
}

struct SeedOptions {
  bool is_aliased = true;        ///< vec lies over sp
  bool is_used_in_time = false;  ///< before the release
  std::optional<std::int64_t> iterations = std::nullopt;
};

/// ts_pipelines.md §10: Writer fills sp, Reader reads it and keeps a vector in vec.
struct Seed {
  PipelinePointer ring = MakePipeline("sp", 1, 32, 32);
  SmallResource sp{"sp", ring};
  SmallResource vec{"vec"};
  SmemAllocator smem;
  TmemAllocator tmem;
  std::vector<TaskUse> tasks;

  explicit Seed(const SeedOptions& options) {
    using enum TaskVerb;
    sp.WithTmem(64);
    vec.WithTmem(64);
    if (options.is_aliased) {
      EXPECT_EQ(CodeOf(tmem.AddAliasGroup(
                    {{sp.TmemRequirements().front()}, {vec.TmemRequirements().front()}})),
                "");
    }
    for (const SmallResource* resource : {&sp, &vec}) {
      EXPECT_EQ(CodeOf(smem.AddResource(*resource)), "");
      EXPECT_EQ(CodeOf(tmem.AddResource(*resource)), "");
    }
    EXPECT_EQ(CodeOf(smem.ComputeLayout()), "");
    EXPECT_EQ(CodeOf(tmem.ComputeLayout()), "");
    tasks = {{"Writer", {&sp}}, {"Reader", {&sp, &vec}}};
    tasks[0].schedule.loop = {Do(kAcquire, sp), Do(kWrite, sp), Do(kCommit, sp)};
    tasks[1].schedule.loop = {Do(kWait, sp), Do(kRead, sp)};
    std::vector<TaskOperation>& loop = tasks[1].schedule.loop;
    if (options.is_used_in_time) loop.push_back(Do(kUse, vec));
    loop.push_back(Do(kRelease, sp));
    if (!options.is_used_in_time) loop.push_back(Do(kUse, vec));
    for (TaskUse& task : tasks) task.schedule.iterations = options.iterations;
  }

  TaskManager Manager(TaskManagerOptions options = {}) {
    return TaskManager(tasks, {&smem, &tmem, nullptr}, options);
  }
};

std::vector<std::string> CodesOf(const DeclaredVerdict& verdict) {
  std::vector<std::string> codes;
  for (const Finding& finding : verdict.findings) codes.push_back(finding.code);
  return codes;
}

TEST(CheckDeclaredTasksTest, FindsTheSeedsRace) {
  Seed seed({});
  const DeclaredVerdict judged = CheckDeclaredTasks(seed.Manager().Declared()).value();
  EXPECT_THAT(CodesOf(judged), ElementsAre("race", "wrong-value"));
  EXPECT_THAT(judged.findings[0].text,
              HasSubstr("Reader use vec #0 and Writer write sp #1 can touch tmem[0:64)"));
  EXPECT_THAT(judged.findings[1].text,
              AllOf(HasSubstr("Reader read sp #1 may see Reader use vec #0"),
                    HasSubstr("expected the last write to tmem[0:64) through sp")));
  ASSERT_TRUE(judged.findings[0].witness.has_value());
  EXPECT_EQ(judged.findings[0].witness->events, 11);
}

TEST(CheckDeclaredTasksTest, AUseBeforeTheReleaseOrColumnsOfItsOwnAreClean) {
  for (const auto iterations : {std::optional<std::int64_t>(3), std::optional<std::int64_t>()}) {
    Seed e1({.is_used_in_time = true, .iterations = iterations});
    EXPECT_THAT(CodesOf(CheckDeclaredTasks(e1.Manager().Declared()).value()), IsEmpty());
    Seed e2({.is_aliased = false, .iterations = iterations});
    EXPECT_THAT(CodesOf(CheckDeclaredTasks(e2.Manager().Declared()).value()), IsEmpty());
  }
}

TEST(CheckDeclaredTasksTest, OneIterationHidesTheRaceAndNoNumberDoesnt) {
  Seed once({.iterations = 1});
  EXPECT_THAT(CodesOf(CheckDeclaredTasks(once.Manager().Declared()).value()), IsEmpty());
  Seed endless({});
  const DeclaredVerdict judged = CheckDeclaredTasks(endless.Manager().Declared()).value();
  EXPECT_EQ(CommonIterations(judged.system), IterationCutOff(judged.system).value());
  EXPECT_EQ(judged.assumed_iterations, CommonIterations(judged.system));
  EXPECT_EQ(CheckDeclaredTasks(once.Manager().Declared()).value().assumed_iterations, std::nullopt);
}

TEST(CheckDeclaredTasksTest, AtSetUpTheManagerRefusesWhatItsValidatorFinds) {
  Seed seed({});
  TaskManager manager = seed.Manager({.validator = DeclaredTasksProof()});
  const Result<void> set_up = manager.SetUpResourcesAndTasks();
  ASSERT_EQ(CodeOf(set_up), "race");
  EXPECT_EQ(set_up.error().kind, Kind::kRace);
  EXPECT_THAT(set_up.error().message, HasSubstr("\nReader read sp #1 may see Reader use vec #0"));
  EXPECT_EQ(manager.State(), LifecycleState::kLaidOut) << "nothing was allocated";

  Seed again({});
  TaskManager warned = again.Manager({.skip_validation = true, .validator = DeclaredTasksProof()});
  EXPECT_EQ(CodeOf(warned.SetUpResourcesAndTasks()), "");
  ASSERT_EQ(warned.validator_warnings().size(), 2u);
  EXPECT_EQ(warned.validator_warnings()[0].code, "race");

  Seed clean({.is_used_in_time = true});
  TaskManager right = clean.Manager({.validator = DeclaredTasksProof()});
  EXPECT_EQ(CodeOf(right.SetUpResourcesAndTasks()), "");
  EXPECT_THAT(right.validator_warnings(), IsEmpty());
}

TEST(CheckDeclaredTasksTest, TasksWithoutOperationsProveNothing) {
  Seed seed({});
  for (TaskUse& task : seed.tasks) task.schedule = {};
  EXPECT_EQ(CodeOf(CheckDeclaredTasks(seed.Manager().Declared())), "lifecycle");
  TaskManager manager = seed.Manager({.validator = DeclaredTasksProof()});
  EXPECT_EQ(CodeOf(manager.SetUpResourcesAndTasks()), "lifecycle");
}

TEST(CheckDeclaredTasksTest, RegistersAndDutiesAreJudgedWhereTheyAreDeclared) {
  Seed seed({.is_used_in_time = true});
  DeclaredChecks checks;
  checks.registers = {{"Reader", 0, 1, 257}};
  // 32 columns for a layout of 64.
  checks.tmem_duties = TmemDuties{{{TmemEventKind::kAllocate, "base", Columns(32)},
                                   {TmemEventKind::kGiveUpPermit, "", {}},
                                   {TmemEventKind::kBarrier, "", {}},
                                   {TmemEventKind::kUse, "base", {}},
                                   {TmemEventKind::kBarrier, "", {}},
                                   {TmemEventKind::kDeallocate, "base", Columns(32)}},
                                  false,
                                  std::nullopt};
  const DeclaredVerdict judged = CheckDeclaredTasks(seed.Manager().Declared(), checks).value();
  EXPECT_THAT(CodesOf(judged), ElementsAre("registers", "tmem.request-too-small"));
  EXPECT_THAT(judged.findings[1].text, HasSubstr("expected at least 64 allocated columns"));
}

TEST(CheckDeclaredTasksTest, RingsThatMeetTooLateAreNoProof) {
  const PipelinePointer rings[] = {MakePipeline("a", 61), MakePipeline("b", 59),
                                   MakePipeline("c", 53)};
  std::vector<std::unique_ptr<SmallResource>> resources;
  std::vector<TaskUse> tasks = {{"T", {}}};
  for (const PipelinePointer& ring : rings) {
    resources.push_back(std::make_unique<SmallResource>(ring->name(), ring));
    tasks[0].schedule.loop.push_back(Do(TaskVerb::kAcquire, *resources.back()));
  }
  EXPECT_EQ(CodeOf(CheckDeclaredTasks({tasks})), "limit");
  tasks[0].schedule.iterations = 2;
  EXPECT_EQ(CodeOf(CheckDeclaredTasks({tasks})), "");
}

class DeclaredExampleTest : public ::testing::TestWithParam<std::string> {};

TEST_P(DeclaredExampleTest, HasTheVerdictOfItsFile) {
  const PipelineSystem file = ReadPipelineFile(PipelinePath(GetParam())).value();
  const DeclaredExample example(file);
  const std::map<std::string, std::string> not_in_cpp = {
      {"n1_neuroncore_ring", "memory of a NeuronCore"},
      {"n2_partition_bands_disjoint", "memory of a NeuronCore"},
      {"n3_partition_bands_overlap", "memory of a NeuronCore"},
      {"x1_slots_have_not_met", "fixed places"},
      {"x2_slots_meet_late", "fixed places"}};
  const auto reason = not_in_cpp.find(GetParam());
  if (reason != not_in_cpp.end()) {
    EXPECT_EQ(example.why_not(), reason->second);
    return;
  }
  ASSERT_EQ(example.why_not(), std::nullopt);
  static const ExpectedJson kExpected(PipelinesFolder() + "/expected.json");
  const VerdictRow expected = ExpectedRow(*FindMember(kExpected.root, GetParam()));
  const Result<DeclaredVerdict> judged = CheckDeclaredTasks(example.declared());
  ASSERT_TRUE(judged.has_value()) << judged.error().ToString();
  const VerdictRow found = RowOf(judged->system, judged->verdict);
  EXPECT_THAT(found.blocked, ElementsAreArray(expected.blocked));
  EXPECT_THAT(found.races, ElementsAreArray(expected.races));
  EXPECT_THAT(found.clobbers, ElementsAreArray(expected.clobbers));
  EXPECT_THAT(found.uninitialized, ElementsAreArray(expected.uninitialized));
  EXPECT_THAT(found.structure, ElementsAreArray(expected.structure));
  EXPECT_EQ(found.events, expected.events);
  EXPECT_EQ(found.deadlock, expected.deadlock);
}

INSTANTIATE_TEST_SUITE_P(Examples, DeclaredExampleTest, ::testing::ValuesIn(PipelineNamesOnDisk()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace spillway::task
