// The engines that look at task pipelines beside each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/check_task/explore_states.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "sim/task/give_own_memory.h"
#include "sim/task/replay_system.h"
#include "tests/mutation/pipeline_columns.h"
#include "tests/mutation/pipeline_rings.h"
#include "tests/mutation/trial_problems.h"
#include "tests/property/task/naive_order.h"
#include "tests/property/task/random_system.h"

namespace spillway {
namespace {

using task::PipelineSystem;
using Names = std::array<std::string, 3>;
using NamePairs = std::set<std::pair<Names, Names>>;

/// A drawn system, unrolled; `seeds` are drawn too.
struct RunCase {
  PipelineSystem system;
  task::Program program;
  std::array<std::uint64_t, 2> seeds = {};
};

task::Program ProgramOf(const PipelineSystem& system) {
  return task::Unroll(system, task::LayOutSystem(system).value()).value();
}

RunCase RunCaseFor(std::int64_t number) {
  RunCase c = DrawnFor(number, [] {
    RunCase drawn;
    drawn.system = task::RandomSystem();
    // With semaphores or barriers: they must say the same.
    if (task::Draw(0, 2) == 0) drawn.system.barriers = task::BarrierStorage::kOwn;
    for (std::uint64_t& seed : drawn.seeds) seed = static_cast<std::uint64_t>(task::Draw(1, 1000));
    return drawn;
  });
  c.program = ProgramOf(c.system);
  return c;
}

const Target& Trn2() {
  static const Target target = FindTarget("trn2").value();
  return target;
}

NamePairs RacesOf(const PipelineSystem& system, const task::Verdict& verdict) {
  NamePairs pairs;
  for (const task::Race& race : verdict.races)
    pairs.emplace(NamesOf(system, race.a.what), NamesOf(system, race.b.what));
  return pairs;
}
NamePairs RacesOf(const PipelineSystem& system, const task::Replay& replay) {
  NamePairs pairs;
  for (const task::ReplayedRace& race : replay.races)
    pairs.emplace(PlayedNames(system, race.a.what), PlayedNames(system, race.b.what));
  return pairs;
}

using Tag = std::pair<std::pair<Names, std::int64_t>, std::pair<Names, std::int64_t>>;

/// Clobbers, and reads of what nobody wrote as if nobody's write #0 had clobbered them.
std::vector<Tag> TagsOf(const PipelineSystem& system, const task::Verdict& verdict) {
  std::vector<Tag> tags;
  for (const task::Clobber& clobber : verdict.clobbers) {
    tags.emplace_back(std::pair(NamesOf(system, clobber.read.what), clobber.read.occurrence),
                      std::pair(NamesOf(system, clobber.write.what), clobber.write.occurrence));
  }
  for (const task::UninitializedRead& one : verdict.uninitialized)
    tags.push_back({{NamesOf(system, one.read.what), one.read.occurrence}, {}});
  return tags;
}
std::vector<Tag> TagsOf(const PipelineSystem& system, const task::Replay& replay) {
  std::vector<Tag> tags;
  for (const task::SeenClobber& clobber : replay.clobbers) {
    tags.emplace_back(std::pair(PlayedNames(system, clobber.read.what), clobber.read.occurrence),
                      std::pair(PlayedNames(system, clobber.write.what), clobber.write.occurrence));
  }
  for (const task::PlayedAccess& read : replay.uninitialized)
    tags.push_back({{PlayedNames(system, read.what), read.occurrence}, {}});
  return tags;
}

std::string Counts(std::string_view what, std::size_t one, std::size_t other) {
  return fmt::format("{}: {} and {} differ", what, one, other);
}

}  // namespace

std::optional<std::string> CompareEngines(std::int64_t number, const std::string& fault) {
  const RunCase c = RunCaseFor(number);
  const Planted planted(fault);
  const task::Verdict verdict = task::CheckSystem(c.system, c.program).value();
  constexpr std::int64_t kMostStates = 5000;
  constexpr std::int64_t kMostNumbers = 10'000'000;
  const task::Exploration explored =
      task::ExploreStates(c.system, c.program, {kMostStates, kMostNumbers});
  if (explored.complete) {
    if (explored.races != verdict.races)
      return Counts("races of engine 1 and 2", verdict.races.size(), explored.races.size());
    std::vector<std::pair<task::TaskId, std::uint32_t>> blocked;
    for (const task::BlockedTask& task : verdict.blocked)
      blocked.emplace_back(task.task, task.step);
    if (explored.blocked != blocked)
      return Counts("blocked tasks of engine 1 and 2", blocked.size(), explored.blocked.size());
  }
  const task::NaiveGraph graph = task::NaiveGraphOf(c.system, c.program);
  const auto races = task::NaiveRaces(c.system, c.program, graph);
  if (races != verdict.races)
    return Counts("races of engine 1 and the definition", verdict.races.size(), races.size());
  const task::NaiveReachingWrites reaching = task::NaiveClobbers(c.system, c.program, graph);
  const task::NaiveReachingWrites corners = task::CornersOf(verdict);
  if (corners.clobbers != reaching.clobbers) {
    return Counts("clobbers of engine 3 and the definition", corners.clobbers.size(),
                  reaching.clobbers.size());
  }
  if (corners.uninitialized == reaching.uninitialized) return std::nullopt;
  return Counts("uninitialised reads of engine 3 and the definition", corners.uninitialized.size(),
                reaching.uninitialized.size());
}

namespace {

std::optional<std::string> CompareRandomReplay(const RunCase& c) {
  const task::Verdict verdict = task::CheckSystem(c.system, c.program).value();
  task::ReplayOptions options;
  options.seed = c.seeds.front();
  options.max_directed = 1000;
  const task::Replay replay = task::ReplaySystem(c.system, c.program, Trn2(), options).value();
  if (!replay.broken.empty()) return "the replay is broken: " + replay.broken.front();
  std::vector<std::string> blocked;
  for (const task::BlockedTask& task : verdict.blocked) blocked.push_back(task.name);
  std::vector<std::string> stuck;
  for (const task::ReplayedBlock& task : replay.blocked) stuck.push_back(task.name);
  if (blocked != stuck)
    return Counts("blocked tasks of the verdict and the replay", blocked.size(), stuck.size());
  const NamePairs races = RacesOf(c.system, verdict);
  const NamePairs played = RacesOf(c.system, replay);
  if (races != played)
    return Counts("races of the verdict and the replay", races.size(), played.size());
  const auto apart = std::find_if(replay.races.begin(), replay.races.end(),
                                  [](const auto& race) { return !race.overlapped; });
  if (apart != replay.races.end()) {
    return fmt::format("{} and {} race and never overlap", PlayedText(c.system, apart->a),
                       PlayedText(c.system, apart->b));
  }
  // What races reads anything.
  if (!races.empty()) return std::nullopt;
  const std::vector<Tag> tags = TagsOf(c.system, verdict);
  const std::vector<Tag> seen = TagsOf(c.system, replay);
  if (tags != seen)
    return Counts("clobbers of the verdict and the replay", tags.size(), seen.size());
  if (replay.stale.empty()) return std::nullopt;
  return "a read finds another fill without a race: " +
         PlayedText(c.system, replay.stale.front().read);
}

/// Rings that are as deep as their lifetimes ask, played: no finding at all.
std::optional<std::string> CheckRingReplay(const RingCase& ring, std::uint64_t seed) {
  for (const PipelineSystem& system : SystemsOf(ring)) {
    const task::Program program = ProgramOf(system);
    task::ReplayOptions options;
    options.seed = seed;
    const task::Replay replay = task::ReplaySystem(system, program, Trn2(), options).value();
    if (!replay.races.empty()) {
      return fmt::format("a ring that is deep enough, played: {} and {} race",
                         PlayedText(system, replay.races.front().a),
                         PlayedText(system, replay.races.front().b));
    }
    if (!replay.IsClean()) return "a ring that is deep enough isn't clean when it is played";
  }
  return std::nullopt;
}

/// The parity of every barrier is that of the phases that are over.
std::optional<std::string> CheckEnds(const task::ReplayProgram& program,
                                     const task::ReplayRun& run) {
  if (!run.broken.empty()) return "a run is broken: " + run.broken.front();
  for (std::size_t i = 0; i < run.objects.size(); ++i) {
    const SyncObjectId id(i);
    const BarrierState& barrier = run.objects[id].barrier;
    if (program.compiled().places[id].is_barrier && barrier.parity != (barrier.generation % 2 != 0))
      return fmt::format("barrier {} is over phase {} and has the parity of another one", i,
                         barrier.generation);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> CompareReplay(std::int64_t number, const std::string& fault) {
  const RunCase c = RunCaseFor(number);
  const RingCase ring = RingCaseFor(number);
  const Planted planted(fault);
  if (auto found = CompareRandomReplay(c)) return found;
  if (!ring.is_deep_enough) return std::nullopt;
  return CheckRingReplay(ring, c.seeds.front());
}

std::optional<std::string> CompareReplayData(std::int64_t number, const std::string& fault) {
  const RunCase c = RunCaseFor(number);
  const task::Program own = task::GiveOwnMemory(c.system, c.program);
  const Planted planted(fault);
  const task::Verdict verdict = task::CheckSystem(c.system, c.program).value();
  const bool accepted =
      verdict.races.empty() && verdict.clobbers.empty() && verdict.uninitialized.empty();
  const auto aliased = task::ReplayProgram::Prepare(c.system, c.program, Trn2()).value();
  const auto apart = task::ReplayProgram::Prepare(c.system, own, Trn2()).value();
  for (std::size_t run = 0; run < c.seeds.size(); ++run) {
    TaskMachineOptions one;
    TaskMachineOptions other;
    one.jitter_seed = c.seeds[run];
    other.jitter_seed = c.seeds[run] + 1;
    const task::ReplayRun together = aliased.Run(one);
    const task::ReplayRun separate = apart.Run(other);
    if (auto found = CheckEnds(aliased, together)) return found;
    if (together.steps_begun != separate.steps_begun)
      return "how far the tasks get depends on where their memory lies";
    if (accepted && together.seen != separate.seen)
      return "reads of an accepted system find other data than in memory of their own";
  }
  return std::nullopt;
}

}  // namespace spillway
