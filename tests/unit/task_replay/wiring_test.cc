// Barriers that are wired wrong: each must show in a replay.
#include <gmock/gmock.h>

#include <functional>

#include "tests/unit/task_replay/replay_rows.h"

namespace spillway::task {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

PreparedSystem Example(const std::string& name) {
  return Prepare(ReadPipelineFile(PipelinePath(name)).value());
}

/// Plays `prepared` on barriers that `rewire` changed, each actor in turn being slow.
class Rewired {
 public:
  Rewired(const PreparedSystem& prepared, const std::function<void(CompiledReplay&)>& rewire)
      : prepared_(prepared),
        program_(ReplayProgram::Prepare(prepared.system, prepared.program, ReplayTarget()).value()),
        compiled_(program_.compiled()) {
    rewire(compiled_);
  }

  ReplayRun Run(const TaskMachineOptions& options = {}) const {
    return program_.Run(compiled_, options);
  }
  ReplayRun RunSlow(const std::string& task, StreamActor actor) const {
    for (std::size_t t = 0; t < prepared_.system.tasks.size(); ++t) {
      if (prepared_.system.tasks[TaskId(t)].name == task)
        return Run({{{TaskStreamId(t), actor, std::nullopt}}, 0});
    }
    throw std::runtime_error("no task " + task);
  }
  std::set<NamePair> Races(const ReplayRun& run) const {
    std::set<NamePair> pairs;
    for (const auto& [classes, race] : run.findings.races) {
      const Names a = PlayedNames(prepared_.system, classes.first);
      const Names b = PlayedNames(prepared_.system, classes.second);
      pairs.emplace(std::min(a, b), std::max(a, b));
    }
    return pairs;
  }

 private:
  const PreparedSystem& prepared_;
  ReplayProgram program_;
  CompiledReplay compiled_;
};

SyncObjectId Find(const PreparedSystem& prepared, const CompiledReplay& compiled,
                  const std::string& name) {
  for (std::size_t i = 0; i < compiled.places.size(); ++i) {
    if (SyncPlaceName(prepared.system, compiled.places[SyncObjectId(i)]) == name)
      return SyncObjectId(i);
  }
  throw std::runtime_error("no barrier " + name);
}

/// Two pairs that have nothing to do with each other; C is slow.
constexpr const char* kTwoPairs = R"({
  "system": "test", "version": 1,
  "allocations": [{"name": "p", "space": "smem", "size": 64},
                  {"name": "q", "space": "smem", "size": 65536}],
  "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"},
                {"name": "q", "stages": 1, "producer": "thread", "consumer": "thread"}],
  "resources": [{"name": "p", "regions": [{"allocation": "p"}], "pipeline": "p"},
                {"name": "q", "regions": [{"allocation": "q"}], "pipeline": "q"}],
  "tasks": [{"name": "A", "ops": [{"acquire": "p"}, {"write": "p"}, {"commit": "p"}]},
            {"name": "B", "ops": [{"wait": "p"}, {"read": "p"}, {"release": "p"}]},
            {"name": "C", "ops": [{"acquire": "q"}, {"write": "q"}, {"commit": "q"}]},
            {"name": "D", "ops": [{"wait": "q"}, {"read": "q"}, {"release": "q"}]}]
})";

TEST(Wiring, AsCompiledIsClean) {
  const PreparedSystem prepared = Prepare(kTwoPairs);
  EXPECT_TRUE(Replayed(prepared).IsClean());
}

TEST(Wiring, TwoPipelinesOnOneBarrierBreakItsCount) {
  const PreparedSystem prepared = Prepare(kTwoPairs);
  const Rewired shared(prepared, [&](CompiledReplay& compiled) {
    const SyncObjectId p = Find(prepared, compiled, "p full[0]");
    const SyncObjectId q = Find(prepared, compiled, "q full[0]");
    for (StreamArrival& arrival : compiled.machine.arrivals) {
      if (arrival.object == q) arrival.object = p;
    }
    for (StreamCondition& condition : compiled.machine.conditions) {
      if (condition.object == q) condition.object = p;
    }
  });
  // The second commit arrives at a phase that the first one has ended.
  EXPECT_THROW(shared.Run(), ContractViolation);
}

TEST(Wiring, AWaitOnAnotherPipelinesBarrierGoesOnTooEarly) {
  const PreparedSystem prepared = Prepare(kTwoPairs);
  const Rewired shared(prepared, [&](CompiledReplay& compiled) {
    const SyncObjectId p = Find(prepared, compiled, "p full[0]");
    const SyncObjectId q = Find(prepared, compiled, "q full[0]");
    for (StreamCondition& condition : compiled.machine.conditions) {
      if (condition.object == q) condition.object = p;
    }
  });
  const ReplayRun run = shared.Run();
  EXPECT_THAT(run.broken, Contains(HasSubstr("wait #0 of q went on before fill #0 was complete")));
  EXPECT_THAT(shared.Races(run),
              Contains(NamePair(Names{"C", "write", "q"}, Names{"D", "read", "q"})));
  EXPECT_FALSE(shared.RunSlow("C", StreamActor::kStream).findings.uninitialized.empty());
}

void MatrixArrivesAtIssue(CompiledReplay& compiled) {
  for (StreamArrival& arrival : compiled.machine.arrivals) {
    if (arrival.time == ArrivalTime::kMatrix) arrival.time = ArrivalTime::kNow;
  }
}

TEST(Wiring, ACommitAtIssueRacesWithItsReader) {
  const PreparedSystem prepared = Example("e3_mainloop_epilogue");
  const Rewired early(prepared, MatrixArrivesAtIssue);
  const ReplayRun run = early.Run();
  EXPECT_THAT(early.Races(run), Contains(NamePair(Names{"Mma.matrix", "write", "acc"},
                                                  Names{"Store", "read", "acc"})));
  EXPECT_FALSE(early.RunSlow("Mma", StreamActor::kMatrixUnit).findings.overlaps.empty());
}

TEST(Wiring, AReleaseAtIssueRacesWithTheNextFill) {
  const PreparedSystem prepared = Example("e4_persistent");
  const NamePair race(Names{"Load.dma", "write", "ab"}, Names{"Mma.matrix", "read", "ab"});
  EXPECT_THAT(Rewired(prepared, [](CompiledReplay&) {})
                  .Races(Rewired(prepared, [](CompiledReplay&) {}).Run()),
              Not(Contains(race)));
  const Rewired early(prepared, MatrixArrivesAtIssue);
  EXPECT_THAT(early.Races(early.Run()), Contains(race));
}

TEST(Wiring, ATransferThatCommitsWhenIssuedRacesWithItsReader) {
  const PreparedSystem prepared = Example("e3_mainloop_epilogue");
  const Rewired early(prepared, [](CompiledReplay& compiled) {
    for (StreamArrival& arrival : compiled.machine.arrivals) {
      if (arrival.time == ArrivalTime::kTransfer) arrival.time = ArrivalTime::kNow;
    }
  });
  EXPECT_THAT(early.Races(early.Run()), Contains(NamePair(Names{"Load.dma", "write", "ab"},
                                                          Names{"Mma.matrix", "read", "ab"})));
}

TEST(Wiring, BytesThatNeverArriveAreReportedWhenNothingElseCanHappen) {
  const PreparedSystem prepared = Example("e3_mainloop_epilogue");
  const Rewired hungry(prepared, [](CompiledReplay& compiled) {
    for (StreamArrival& arrival : compiled.machine.arrivals) {
      if (arrival.time == ArrivalTime::kTransfer) arrival.bytes += Bytes(8);
    }
  });
  EXPECT_THAT(hungry.Run().broken,
              ::testing::ElementsAre("ab full[0]: 8 announced bytes never arrived",
                                     "ab full[1]: 8 announced bytes never arrived"));
}

/// Fast and Slow both fill p, two stages; each writes a half of its own.
constexpr const char* kTwoContributors = R"({
  "system": "test", "version": 1, "barriers": "BARRIERS",
  "allocations": [{"name": "fast", "space": "smem", "size": 64},
                  {"name": "slow", "space": "smem", "size": 131072}],
  "pipelines": [{"name": "p", "stages": 2, "producer": "thread", "consumer": "thread"}],
  "resources": [{"name": "fast", "regions": [{"allocation": "fast"}], "pipeline": "p"},
                {"name": "slow", "regions": [{"allocation": "slow"}], "pipeline": "p"}],
  "tasks": [{"name": "Fast", "ops": [{"loop": 4, "ops": [{"acquire": "p"}, {"write": "fast"}, {"commit": "p"}]}]},
            {"name": "Slow", "ops": [{"loop": 4, "ops": [{"acquire": "p"}, {"write": "slow"}, {"commit": "p"}]}]},
            {"name": "Reader", "ops": [{"loop": 4, "ops": [{"wait": "p"}, {"read": "fast"}, {"read": "slow"}, {"release": "p"}]}]}]
})";

std::string WithBarriers(std::string text, const std::string& barriers) {
  return text.replace(text.find("BARRIERS"), 8, barriers);
}

TEST(Wiring, ContributorsCountEachForItselfWithBarriersAndWithSemaphores) {
  for (const char* barriers : {"own", "coalesced", "none"})
    EXPECT_TRUE(Replayed(Prepare(WithBarriers(kTwoContributors, barriers))).IsClean()) << barriers;
}

// One sum over both lets the reader go on as soon as Fast is two ahead: as if Slow weren't asked.
TEST(Wiring, AFastContributorThatStandsInForASlowOneIsFoundOut) {
  const PreparedSystem prepared = Prepare(WithBarriers(kTwoContributors, "none"));
  const Rewired summed(prepared, [&](CompiledReplay& compiled) {
    const SyncObjectId fast = Find(prepared, compiled, "p full of Fast");
    const SyncObjectId slow = Find(prepared, compiled, "p full of Slow");
    for (StreamCondition& condition : compiled.machine.conditions) {
      if (condition.object == slow) condition.object = fast;
    }
  });
  const ReplayRun run = summed.Run();
  EXPECT_THAT(run.broken, Contains(HasSubstr("wait #0 of p went on before fill #0 was complete")));
  EXPECT_THAT(summed.Races(run),
              Contains(NamePair(Names{"Reader", "read", "slow"}, Names{"Slow", "write", "slow"})));
  EXPECT_FALSE(summed.RunSlow("Slow", StreamActor::kStream).findings.uninitialized.empty());
}

// The reader waits on the neighbour's barrier: with three fills the last one is never awaited
// right.
TEST(Wiring, AStageNumberThatIsOffByOneGetsStuck) {
  std::string text = WithBarriers(kTwoContributors, "own");
  for (std::size_t at = text.find("\"loop\": 4"); at != std::string::npos;
       at = text.find("\"loop\": 4"))
    text.replace(at, 9, "\"loop\": 3");
  const PreparedSystem prepared = Prepare(text);
  const Rewired off(prepared, [&](CompiledReplay& compiled) {
    const SyncObjectId first = Find(prepared, compiled, "p full[0]");
    const SyncObjectId second = Find(prepared, compiled, "p full[1]");
    for (StreamCondition& condition : compiled.machine.conditions) {
      if (condition.object == first || condition.object == second)
        condition.object = condition.object == first ? second : first;
    }
  });
  const ReplayRun run = off.Run();
  EXPECT_LT(run.steps_begun[TaskId(2)], prepared.program.steps[TaskId(2)].size());
  const Rewired right(prepared, [](CompiledReplay&) {});
  EXPECT_EQ(right.Run().steps_begun[TaskId(2)], prepared.program.steps[TaskId(2)].size());
}

TEST(Wiring, AReaderOfTheNextStageGetsAnotherFill) {
  PreparedSystem prepared = Prepare(WithBarriers(kTwoContributors, "own"));
  for (Step& step : prepared.program.steps[TaskId(2)]) {
    for (std::uint32_t i = 0; i < step.access_count; ++i) {
      StepAccess& access = prepared.program.accesses[step.first_access + i];
      access.slot = (access.slot + 1) % 2;
    }
  }
  const Replay replay = Replayed(prepared);
  EXPECT_FALSE(replay.races.empty());
  EXPECT_FALSE(replay.stale.empty());
}

/// A waits and releases in step with B; C waits alone and may fall behind without anybody's notice.
constexpr const char* kLagging = R"({
  "system": "test", "version": 1, "barriers": "BARRIERS",
  "allocations": [{"name": "p", "space": "smem", "size": 64}],
  "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"}],
  "resources": [{"name": "p", "regions": [{"allocation": "p"}], "pipeline": "p"}],
  "tasks": [{"name": "A", "ops": [{"loop": 3, "ops": [{"acquire": "p"}, {"write": "p"}, {"commit": "p"}]}]},
            {"name": "B", "ops": [{"loop": 3, "ops": [{"wait": "p"}, {"read": "p"}, {"release": "p"}]}]},
            {"name": "C", "ops": [{"loop": 3, "ops": [{"wait": "p"}]}]}]
})";

TEST(Wiring, AWaiterThatMayLagTwoPhasesIsAPhaseSkewWhateverTheTiming) {
  const PreparedSystem prepared = Prepare(WithBarriers(kLagging, "own"));
  const Replay replay = Replayed(prepared);
  EXPECT_THAT(replay.lagging,
              ::testing::ElementsAre(LaggingWait{PipelineId(0), Side::kProducer, TaskId(2), 0}));
  EXPECT_THAT(replay.broken, IsEmpty());
  EXPECT_TRUE(replay.races.empty());
}

// C works while A and B go through all three phases. By its parity the barrier would say that phase
// 1 is still to end.
TEST(Wiring, AWaiterThatLagsGoesByTheCountOfPhasesAndNotByTheParity) {
  std::string text = WithBarriers(kLagging, "own");
  const std::string wait = R"([{"loop": 3, "ops": [{"wait": "p"}]}])";
  text.replace(text.find(wait), wait.size(),
               R"([{"use": "s"}, {"loop": 3, "ops": [{"wait": "p"}]}])");
  const std::string memory = R"("allocations": [)";
  text.replace(text.find(memory), memory.size(),
               memory + R"({"name": "s", "space": "smem", "size": 131072}, )");
  const std::string resources = R"("resources": [)";
  text.replace(text.find(resources), resources.size(),
               resources + R"({"name": "s", "regions": [{"allocation": "s"}]}, )");
  const PreparedSystem prepared = Prepare(text);
  const ReplayProgram program =
      ReplayProgram::Prepare(prepared.system, prepared.program, ReplayTarget()).value();
  const ReplayRun run = program.Run();
  EXPECT_EQ(run.lagging,
            (std::vector<LaggingWait>{{PipelineId(0), Side::kProducer, TaskId(2), 0}}));
  EXPECT_THAT(run.broken, IsEmpty());
  for (std::size_t t = 0; t < prepared.program.steps.size(); ++t) {
    EXPECT_EQ(run.steps_begun[TaskId(t)], prepared.program.steps[TaskId(t)].size())
        << prepared.system.tasks[TaskId(t)].name;
  }
}

TEST(Wiring, CountersHaveNoPhaseToConfuse) {
  EXPECT_TRUE(Replayed(Prepare(WithBarriers(kLagging, "none"))).IsClean());
}

}  // namespace
}  // namespace spillway::task
