#include "model/alloc/check_task/explore_states.h"

#include <array>
#include <deque>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include "model/alloc/check_task/race_in_progress.h"
#include "model/alloc/check_task/state_machine.h"
#include "model/alloc/check_task/step_conflicts.h"

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
  SeenRaces(const PipelineSystem& system, const Program& program, StepConflicts& conflicts)
      : system_(system), program_(program), conflicts_(conflicts) {}

  /// The step `begun` begins `depth` events after the start, beside `other`. False: the budget is
  /// over.
  bool Compare(const StepPlace& begun, const StepPlace& other, std::int64_t depth) {
    for (const AccessPair& pair : conflicts_.Between(begun, other)) {
      if (!conflicts_.Spend(kCostOfRace)) break;
      Keep(conflicts_.PointOf(begun, pair.a), conflicts_.PointOf(other, pair.b), depth);
    }
    return !conflicts_.IsSpent();
  }

  bool empty() const { return races_.empty(); }

  void MoveTo(Exploration& exploration) const {
    std::map<std::pair<Names, Names>, const Seen*> by_name;
    for (const auto& [classes, seen] : races_) {
      by_name.emplace(
          std::pair(NamesOf(system_, seen.race.a.what), NamesOf(system_, seen.race.b.what)), &seen);
    }
    for (const auto& [names, seen] : by_name) {
      exploration.races.push_back(seen->race);
      exploration.depths.push_back(seen->depth);
    }
  }

 private:
  /// What keeping a race takes, in comparisons.
  static constexpr std::int64_t kCostOfRace = 8;

  struct Seen {
    Race race;
    std::int64_t depth = 0;
  };

  void Keep(const AccessPoint& a, const AccessPoint& b, std::int64_t depth) {
    const auto at = races_.find(std::minmax(a.what, b.what));
    // Breadth first: what comes later of one pair isn't shorter.
    if (at != races_.end() && !IsEarlier(a, b, at->second.race)) return;
    const auto regions = [&](const AccessPoint& point) {
      return static_cast<std::int64_t>(program_.footprints[point.what.resource][point.slot].size());
    };
    if (!conflicts_.Spend(regions(a) * regions(b))) return;
    races_[std::minmax(a.what, b.what)] = {RaceInProgress(system_, program_, a, b), depth};
  }

  /// Whether the race of `a` and `b`, of the same classes, comes before `race`.
  static bool IsEarlier(const AccessPoint& a, const AccessPoint& b, const Race& race) {
    const bool in_order = a.what == b.what ? a.occurrence <= b.occurrence : a.what == race.a.what;
    const auto own =
        in_order ? std::pair(a.occurrence, b.occurrence) : std::pair(b.occurrence, a.occurrence);
    return own < std::pair(race.a.occurrence, race.b.occurrence);
  }

  const PipelineSystem& system_;
  const Program& program_;
  StepConflicts& conflicts_;
  std::map<std::pair<AccessClass, AccessClass>, Seen> races_;
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
  StepConflicts conflicts(program, options.max_comparisons);
  SeenRaces races(system, program, conflicts);
  std::unordered_set<MachineState, HashState> known;
  struct Open {
    const MachineState* state;
    std::int64_t depth;
  };
  std::deque<Open> open;
  std::int64_t numbers = 0;
  bool complete = options.max_states > 0;
  if (!complete) exploration.bound = ExplorationBound::kStates;
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
    const Moves moves = machine.MovesIn(*state);
    if (moves.list.empty()) last = state;
    complete = conflicts.Spend(moves.looks + static_cast<std::int64_t>(moves.list.size()));
    for (const Move& move : moves.list) {
      if (!complete) break;
      const MachineState* const reached = visit(machine.After(*state, move), depth + 1);
      if (reached == nullptr) continue;
      const bool is_full = static_cast<std::int64_t>(known.size()) > options.max_states;
      if (is_full || numbers > options.max_numbers) {
        complete = false;
        exploration.bound = is_full ? ExplorationBound::kStates : ExplorationBound::kNumbers;
        break;
      }
      if (!move.begins) continue;
      const StepPlace begun(move.task, move.step);
      const std::vector<StepPlace> beside = machine.InProgress(*reached);
      complete = conflicts.Spend(static_cast<std::int64_t>(beside.size()));
      for (const StepPlace& other : beside) {
        if (complete && other != begun) complete = races.Compare(begun, other, depth + 1);
      }
    }
  }
  exploration.complete = complete;
  if (conflicts.IsSpent()) exploration.bound = ExplorationBound::kComparisons;
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
