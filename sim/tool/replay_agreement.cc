#include "sim/tool/replay_agreement.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

namespace spillway {
namespace {

using Names = std::array<std::string, 3>;
using NamePair = std::pair<Names, Names>;

std::string TextOf(const Names& names) {
  return fmt::format("{} {} {}", names[0], names[1], names[2]);
}
std::string TextOf(const NamePair& pair) {
  return fmt::format("{} and {}", TextOf(pair.first), TextOf(pair.second));
}
const std::string& TextOf(const std::string& name) { return name; }

/// What only one of the two has.
template <class Item>
void Compare(const std::string& what, const std::set<Item>& checked, const std::set<Item>& played,
             std::vector<std::string>& contradictions) {
  for (const Item& item : checked) {
    if (!played.contains(item))
      contradictions.push_back(
          fmt::format("{}: {}: the checks find it, the replay doesn't", what, TextOf(item)));
  }
  for (const Item& item : played) {
    if (!checked.contains(item))
      contradictions.push_back(
          fmt::format("{}: {}: the replay finds it, the checks don't", what, TextOf(item)));
  }
}

}  // namespace

std::vector<std::string> ReplayContradictions(const task::PipelineSystem& system,
                                              const task::Verdict& verdict,
                                              const task::Replay& replay) {
  std::vector<std::string> contradictions = replay.broken;
  std::set<std::string> blocked;
  std::set<std::string> played_blocked;
  for (const task::BlockedTask& task : verdict.blocked) blocked.insert(task.name);
  for (const task::ReplayedBlock& task : replay.blocked) played_blocked.insert(task.name);
  Compare("deadlock", blocked, played_blocked, contradictions);

  std::set<NamePair> races;
  std::set<NamePair> played_races;
  std::set<Names> racing;
  for (const task::Race& race : verdict.races) {
    races.emplace(NamesOf(system, race.a.what), NamesOf(system, race.b.what));
    racing.insert({NamesOf(system, race.a.what), NamesOf(system, race.b.what)});
  }
  for (const task::ReplayedRace& race : replay.races)
    played_races.emplace(PlayedNames(system, race.a.what), PlayedNames(system, race.b.what));
  Compare("race", races, played_races, contradictions);

  // What racing accesses find depends on time: a run may miss it, or find it on top.
  std::set<NamePair> clobbers;
  std::set<NamePair> played_clobbers;
  for (const task::Clobber& clobber : verdict.clobbers)
    clobbers.emplace(NamesOf(system, clobber.read.what), NamesOf(system, clobber.write.what));
  for (const task::SeenClobber& clobber : replay.clobbers) {
    const NamePair pair(PlayedNames(system, clobber.read.what),
                        PlayedNames(system, clobber.write.what));
    if (!races.contains(pair) && !races.contains({pair.second, pair.first}))
      played_clobbers.insert(pair);
  }
  std::set<Names> unwritten;
  std::set<Names> played_unwritten;
  for (const task::UninitializedRead& one : verdict.uninitialized)
    unwritten.insert(NamesOf(system, one.read.what));
  for (const task::PlayedAccess& read : replay.uninitialized) {
    if (!racing.contains(PlayedNames(system, read.what)))
      played_unwritten.insert(PlayedNames(system, read.what));
  }
  if (!races.empty()) {
    std::erase_if(clobbers, [&](const NamePair& pair) { return !played_clobbers.contains(pair); });
    std::erase_if(unwritten, [&](const Names& read) { return !played_unwritten.contains(read); });
  }
  Compare("wrong-value", clobbers, played_clobbers, contradictions);
  Compare("uninitialized-read", unwritten, played_unwritten, contradictions);
  return contradictions;
}

}  // namespace spillway
