#include "sim/task/replay_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace spillway::task {
namespace {

using ClassPair = std::pair<PlayedClass, PlayedClass>;

StreamActor ActorOf(SideKind kind) {
  switch (kind) {
    case SideKind::kDma: return StreamActor::kTransfers;
    case SideKind::kMatrix: return StreamActor::kMatrixUnit;
    default: return StreamActor::kStream;
  }
}

/// All actors that access memory, in order.
std::vector<Actor> WorkingActors(const Program& program) {
  std::set<Actor> actors;
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    for (const Step& step : program.steps[TaskId(t)]) {
      if (step.access_count > 0) actors.insert(ActorOf(TaskId(t), step));
    }
  }
  return {actors.begin(), actors.end()};
}

template <class Map>
void KeepSmaller(Map& all, const Map& more) {
  for (const auto& [key, found] : more) {
    const auto [at, is_new] = all.emplace(key, found);
    if (!is_new && found < at->second) at->second = found;
  }
}

template <class Map>
std::vector<typename Map::key_type> KeysOf(const Map& map) {
  std::vector<typename Map::key_type> keys;
  for (const auto& [key, found] : map) keys.push_back(key);
  return keys;
}

class Player {
 public:
  Player(const PipelineSystem& system, const Program& program, const ReplayProgram& prepared,
         const ReplayOptions& options)
      : system_(system), program_(program), prepared_(prepared), options_(options) {}

  Replay Play() {
    Take(prepared_.Run());
    if (options_.seed != 0) More({{}, options_.seed}, &Replay::jittered_runs);
    for (const Actor& actor : WorkingActors(program_))
      More({{{TaskStreamId(actor.task.value), ActorOf(actor.kind), std::nullopt}}, 0},
           &Replay::delayed_runs);
    std::size_t directed = 0;
    for (const auto& [classes, race] : first_.findings.races) {
      if (all_.overlaps.contains(classes)) continue;
      if (directed++ < options_.max_directed) {
        More({{HeldOf(race.earlier), HeldOf(race.later)}, 0}, &Replay::directed_runs);
      } else {
        ++replay_.skipped_runs;
      }
    }
    return Report();
  }

 private:
  static HeldWork HeldOf(const PlayedAccess& access) {
    return {TaskStreamId(access.what.actor.task.value), ActorOf(access.what.actor.kind),
            access.step};
  }

  void More(const TaskMachineOptions& machine, std::int64_t Replay::*kind) {
    if (prepared_.work() * (replay_.runs + 1) > options_.max_work ||
        prepared_.longest() > TaskMachine::Instance().TimeLeft()) {
      ++replay_.skipped_runs;
      return;
    }
    Take(prepared_.Run(machine));
    ++(replay_.*kind);
  }

  void Take(ReplayRun run) {
    ++replay_.runs;
    for (const std::string& text : run.broken) Broken(text);
    KeepSmaller(all_.races, run.findings.races);
    KeepSmaller(all_.overlaps, run.findings.overlaps);
    KeepSmaller(all_.clobbers, run.findings.clobbers);
    KeepSmaller(all_.stale, run.findings.stale);
    KeepSmaller(all_.uninitialized, run.findings.uninitialized);
    if (replay_.runs == 1) {
      first_ = std::move(run);
      return;
    }
    // No operation chooses, so time decides nothing but what racing accesses find.
    if (KeysOf(run.findings.races) != KeysOf(first_.findings.races))
      Broken(fmt::format("run {} has other races than the first one", replay_.runs));
    if (run.steps_begun != first_.steps_begun)
      Broken(fmt::format("run {} gets to another end than the first one", replay_.runs));
    if (run.lagging != first_.lagging)
      Broken(fmt::format("run {} has other phase skews than the first one", replay_.runs));
    if (first_.findings.races.empty() && run.seen != first_.seen)
      Broken(
          fmt::format("run {} reads other data than the first one, without a race", replay_.runs));
  }

  void Broken(std::string text) {
    constexpr std::size_t kMost = 16;
    std::vector<std::string>& broken = replay_.broken;
    if (broken.size() < kMost && std::find(broken.begin(), broken.end(), text) == broken.end())
      broken.push_back(std::move(text));
  }

  Replay Report() {
    replay_.time = first_.time;
    for (const auto& [classes, race] : all_.races) replay_.races.push_back(RaceOf(classes, race));
    for (const auto& [classes, race] : all_.overlaps) {
      if (!all_.races.contains(classes))
        Broken(PlayedText(system_, race.earlier) + " and " + PlayedText(system_, race.later) +
               " overlap in time, and clocks order them");
    }
    for (const auto& [classes, found] : all_.clobbers) replay_.clobbers.push_back(found);
    for (const auto& [classes, found] : all_.stale) replay_.stale.push_back(found);
    for (const auto& [what, read] : all_.uninitialized) replay_.uninitialized.push_back(read);
    SortByNames();
    replay_.lagging = first_.lagging;
    replay_.overflows = first_.overflows;
    AddBlocked();
    AddObjects();
    return std::move(replay_);
  }

  void SortByNames() {
    const auto names = [&](const PlayedAccess& access) {
      return PlayedNames(system_, access.what);
    };
    const auto by_pair = [&](auto first, auto second) {
      return [=](const auto& x, const auto& y) {
        return std::pair(names(x.*first), names(x.*second)) <
               std::pair(names(y.*first), names(y.*second));
      };
    };
    std::sort(replay_.races.begin(), replay_.races.end(),
              by_pair(&ReplayedRace::a, &ReplayedRace::b));
    std::sort(replay_.clobbers.begin(), replay_.clobbers.end(),
              by_pair(&SeenClobber::read, &SeenClobber::write));
    std::sort(replay_.stale.begin(), replay_.stale.end(),
              by_pair(&SeenStale::read, &SeenStale::write));
    std::sort(replay_.uninitialized.begin(), replay_.uninitialized.end(),
              [&](const PlayedAccess& x, const PlayedAccess& y) { return names(x) < names(y); });
  }

  ReplayedRace RaceOf(const ClassPair& classes, const SeenRace& seen) const {
    ReplayedRace race{seen.earlier, seen.later, MemorySpace::kSmem, {}, false};
    const auto a = std::pair(PlayedNames(system_, race.a.what), race.a.occurrence);
    const auto b = std::pair(PlayedNames(system_, race.b.what), race.b.occurrence);
    if (b < a) std::swap(race.a, race.b);
    race.overlapped = all_.overlaps.contains(classes);
    for (const Footprint& one : PlayedFootprints(program_, race.a)) {
      for (const Footprint& other : PlayedFootprints(program_, race.b)) {
        if (!Overlap(one, other)) continue;
        race.space = one.space;
        race.range = Intersect(one.range, other.range);
        return race;
      }
    }
    return race;
  }

  void AddBlocked() {
    for (std::size_t t = 0; t < program_.steps.size(); ++t) {
      const TaskId task(t);
      const std::uint32_t begun = first_.steps_begun[task];
      if (begun >= program_.steps[task].size()) continue;
      const Step& step = program_.steps[task][begun];
      std::string names;
      for (const SyncPart& part : program_.PartsOf(step))
        names += (names.empty() ? "" : "+") + system_.pipelines[part.pipeline].name;
      replay_.blocked.push_back(
          {task, begun,
           fmt::format("{}:{} {}", system_.tasks[task].name, OperationKindName(step.kind), names)});
    }
  }

  void AddObjects() {
    if (replay_.blocked.empty()) return;
    const auto& places = prepared_.compiled().places;
    replay_.places.assign(places.begin(), places.end());
    replay_.objects.assign(first_.objects.begin(), first_.objects.end());
  }

  const PipelineSystem& system_;
  const Program& program_;
  const ReplayProgram& prepared_;
  const ReplayOptions& options_;
  ReplayRun first_;
  SeenFindings all_;
  Replay replay_;
};

}  // namespace

Result<Replay> ReplaySystem(const PipelineSystem& system, const Program& program,
                            const Target& target, const ReplayOptions& options) {
  const Result<ReplayProgram> prepared = ReplayProgram::Prepare(system, program, target);
  if (!prepared) return Fail(prepared.error());
  return Player(system, program, *prepared, options).Play();
}

}  // namespace spillway::task
