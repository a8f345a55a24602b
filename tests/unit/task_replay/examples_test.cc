// The worked examples, played: what the shadows see is what the table says.
#include <gmock/gmock.h>

#include "tests/unit/task_replay/replay_rows.h"

namespace spillway::task {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;

const ExpectedJson& Expected() {
  static const ExpectedJson expected(PipelinesFolder() + "/expected.json");
  return expected;
}

PreparedSystem Example(const std::string& name) {
  Result<PipelineSystem> system = ReadPipelineFile(PipelinePath(name));
  if (!system) throw std::runtime_error(system.error().ToString());
  return Prepare(std::move(*system));
}

class ReplayedExample : public ::testing::TestWithParam<std::string> {
 protected:
  ReplayedExample() : prepared_(Example(GetParam())) {}

  static VerdictRow Row() { return ExpectedRow(*FindMember(Expected().root, GetParam())); }

  const PreparedSystem prepared_;
};

TEST_P(ReplayedExample, HasTheRacesOfTheTableAndEachOverlapsInSomeRun) {
  const Replay replay = Replayed(prepared_);
  EXPECT_EQ(RacePairs(prepared_.system, replay), RacePairs(Row().races));
  for (const ReplayedRace& race : replay.races)
    EXPECT_TRUE(race.overlapped) << PlayedText(prepared_.system, race.a) << " and "
                                 << PlayedText(prepared_.system, race.b);
}

TEST_P(ReplayedExample, IsBlockedWhereTheTableSays) {
  const Replay replay = Replayed(prepared_);
  EXPECT_THAT(BlockedNames(replay), ElementsAreArray(Row().blocked));
  EXPECT_EQ(!replay.blocked.empty(), Row().deadlock);
}

// Slow writers show every clobber. What racing accesses find depends on time, and no more than that
// may come on top: a read that races with the write that it saw, or with the one that was late.
TEST_P(ReplayedExample, ReadsWhatTheTableSays) {
  const Replay replay = Replayed(prepared_);
  const VerdictRow row = Row();
  const std::set<NamePair> races = RacePairs(row.races);
  std::set<Names> racing;
  for (const auto& [a, b] : races) racing.insert({a, b});
  std::vector<ClobberRow> clobbers = ClobberRows(prepared_.system, replay);
  EXPECT_THAT(row.clobbers, IsSubsetOf(clobbers));
  std::erase_if(clobbers, [&](const ClobberRow& clobber) {
    const auto& [read, write, read_number, write_number] = clobber;
    return races.contains({read, write}) || races.contains({write, read});
  });
  EXPECT_THAT(clobbers, ElementsAreArray(row.clobbers));
  std::vector<UninitializedRow> uninitialized = UninitializedRows(prepared_.system, replay);
  EXPECT_THAT(row.uninitialized, IsSubsetOf(uninitialized));
  std::erase_if(uninitialized,
                [&](const UninitializedRow& read) { return racing.contains(std::get<0>(read)); });
  EXPECT_THAT(uninitialized, ElementsAreArray(row.uninitialized));
  if (row.races.empty()) {
    EXPECT_THAT(replay.stale, IsEmpty());
  }
}

TEST_P(ReplayedExample, BreaksNothingAndSkewsNoPhase) {
  const Replay replay = Replayed(prepared_);
  EXPECT_THAT(replay.broken, IsEmpty());
  EXPECT_THAT(replay.lagging, IsEmpty());
  EXPECT_THAT(replay.overflows, IsEmpty());
  EXPECT_EQ(replay.skipped_runs, 0);
}

TEST_P(ReplayedExample, SaysTheSameWithSemaphoresAndWithBarriers) {
  PreparedSystem other = prepared_;
  other.system.barriers = prepared_.system.barriers == BarrierStorage::kNone
                              ? BarrierStorage::kOwn
                              : BarrierStorage::kNone;
  const Replay replay = Replayed(other);
  EXPECT_EQ(RacePairs(other.system, replay), RacePairs(Row().races));
  EXPECT_THAT(BlockedNames(replay), ElementsAreArray(Row().blocked));
  EXPECT_THAT(replay.broken, IsEmpty());
}

TEST_P(ReplayedExample, IsTheSameEveryTime) {
  ReplayOptions options;
  options.seed = 7;
  EXPECT_EQ(Replayed(prepared_, options), Replayed(prepared_, options));
}

TEST_P(ReplayedExample, TakesLongerWithJitterAndSaysTheSame) {
  const ReplayProgram program =
      ReplayProgram::Prepare(prepared_.system, prepared_.program, ReplayTarget()).value();
  const ReplayRun nominal = program.Run();
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    TaskMachineOptions options;
    options.jitter_seed = seed;
    const ReplayRun run = program.Run(options);
    // Who is blocked at the first operation needs no time.
    if (nominal.time > Picoseconds(0)) {
      EXPECT_GT(run.time, nominal.time);
    }
    EXPECT_EQ(run.steps_begun, nominal.steps_begun);
    EXPECT_EQ(run.lagging, nominal.lagging);
    std::vector<std::pair<PlayedClass, PlayedClass>> races;
    for (const auto& [classes, race] : run.findings.races) races.push_back(classes);
    std::vector<std::pair<PlayedClass, PlayedClass>> nominal_races;
    for (const auto& [classes, race] : nominal.findings.races) nominal_races.push_back(classes);
    EXPECT_EQ(races, nominal_races);
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, ReplayedExample, ::testing::ValuesIn(PipelineNamesOnDisk()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace spillway::task
