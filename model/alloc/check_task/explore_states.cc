#include "model/alloc/check_task/explore_states.h"

#include <array>
#include <deque>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include "model/alloc/check_task/race_in_progress.h"
#include "model/alloc/check_task/state_machine.h"

namespace spillway::task {
namespace {

struct HashState {
  std::size_t operator()(const MachineState& state) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15u;
    for (const std::uint32_t number : state) {
      hash = (hash ^ number) * 0xBF58476D1CE4E5B9u;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

using Names = std::array<std::string, 3>;

/// The races seen so far: for each pair of classes the first pair of occurrences.
class SeenRaces {
 public:
  SeenRaces(const PipelineSystem& system, const Program& program)
      : system_(system), program_(program) {}

  /// The step `begun` begins `depth` events after the start, beside `other`.
  void Compare(std::pair<TaskId, std::uint32_t> begun, std::pair<TaskId, std::uint32_t> other,
               std::int64_t depth) {
    for (const AccessPoint& a : PointsOf(begun)) {
      for (const AccessPoint& b : PointsOf(other)) {
        if (ConflictInProgress(program_, a, b))
          Keep(RaceInProgress(system_, program_, a, b), depth);
      }
    }
  }

  bool empty() const { return races_.empty(); }

  void MoveTo(Exploration& exploration) {
    for (auto& [names, seen] : races_) {
      exploration.races.push_back(seen.first);
      exploration.depths.push_back(seen.second);
    }
  }

 private:
  std::vector<AccessPoint> PointsOf(std::pair<TaskId, std::uint32_t> at) const {
    std::vector<AccessPoint> points;
    const Step& step = program_.steps[at.first][at.second];
    for (const StepAccess& access : program_.AccessesOf(step)) {
      points.push_back({{ActorOf(at.first, step), access.kind, access.resource},
                        access.occurrence,
                        at.second,
                        access.slot});
    }
    return points;
  }

  void Keep(const Race& race, std::int64_t depth) {
    auto names = std::pair(NamesOf(system_, race.a.what), NamesOf(system_, race.b.what));
    const auto [at, is_new] = races_.emplace(std::move(names), std::pair(race, depth));
    if (is_new) return;
    const auto occurrences = [](const Race& its) {
      return std::pair(its.a.occurrence, its.b.occurrence);
    };
    // Breadth first: what comes later of one pair isn't shorter.
    if (occurrences(race) < occurrences(at->second.first)) at->second = {race, depth};
  }

  const PipelineSystem& system_;
  const Program& program_;
  std::map<std::pair<Names, Names>, std::pair<Race, std::int64_t>> races_;
};

}  // namespace

std::string_view ExplorationAnswerName(ExplorationAnswer answer) {
  switch (answer) {
    case ExplorationAnswer::kSafe: return "safe";
    case ExplorationAnswer::kUnsafe: return "unsafe";
    case ExplorationAnswer::kInconclusive: break;
  }
  return "inconclusive";
}

Exploration ExploreStates(const PipelineSystem& system, const Program& program,
                          const ExplorationOptions& options) {
  const StateMachine machine(system, program);
  Exploration exploration;
  SeenRaces races(system, program);
  std::unordered_set<MachineState, HashState> known;
  struct Open {
    const MachineState* state;
    std::int64_t depth;
  };
  std::deque<Open> open;
  std::int64_t numbers = 0;
  bool complete = options.max_states > 0;
  const auto visit = [&](MachineState state, std::int64_t depth) -> const MachineState* {
    const auto [at, is_new] = known.insert(std::move(state));
    if (!is_new) return nullptr;
    numbers += static_cast<std::int64_t>(at->size());
    open.push_back({&*at, depth});
    return &*at;
  };
  visit(machine.Start(), 0);
  const MachineState* last = nullptr;
  while (!open.empty() && complete) {
    const auto [state, depth] = open.front();
    open.pop_front();
    const std::vector<Move> moves = machine.Moves(*state);
    if (moves.empty()) last = state;
    for (const Move& move : moves) {
      const MachineState* const reached = visit(machine.After(*state, move), depth + 1);
      if (reached == nullptr) continue;
      if (static_cast<std::int64_t>(known.size()) > options.max_states ||
          numbers > options.max_numbers) {
        complete = false;
        break;
      }
      if (!move.begins) continue;
      const std::pair begun(move.task, move.step);
      for (const auto& other : machine.InProgress(*reached)) {
        if (other != begun) races.Compare(begun, other, depth + 1);
      }
    }
  }
  exploration.complete = complete;
  exploration.states = static_cast<std::int64_t>(known.size());
  if (complete && last != nullptr) exploration.blocked = machine.Unfinished(*last);
  const bool is_unsafe = !races.empty() || !exploration.blocked.empty();
  if (is_unsafe) {
    exploration.answer = ExplorationAnswer::kUnsafe;
  } else {
    exploration.answer = complete ? ExplorationAnswer::kSafe : ExplorationAnswer::kInconclusive;
  }
  races.MoveTo(exploration);
  return exploration;
}

}  // namespace spillway::task
