#include "sim/tool/replay_rows.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "model/alloc/task/capacities.h"

namespace spillway {
namespace {

using Names = std::array<std::string, 3>;
using NamePair = std::pair<Names, Names>;

constexpr std::string_view kNotFound = "NOT FOUND";
constexpr std::string_view kNotSeen = "NOT SEEN";
constexpr std::string_view kTimeDecides = "in no run: with a race, time decides what is read";

std::string TextOf(const task::Footprint& piece) {
  std::string text = fmt::format("{}[{}:{})", task::MemorySpaceName(piece.space),
                                 piece.range.begin.value, piece.range.end.value);
  const Interval<Partition> all{Partition(0), Partition(task::PartitionsOf(piece.space).value)};
  if (piece.partitions != all) {
    text += fmt::format(" of partitions [{}, {})", piece.partitions.begin.value,
                        piece.partitions.end.value);
  }
  return text;
}

class RowMaker {
 public:
  RowMaker(const task::PipelineSystem& system, const task::Program& program,
           const task::Verdict& verdict, const task::Replay& replay)
      : system_(system), program_(program), verdict_(verdict), replay_(replay) {
    for (std::size_t i = 0; i < verdict.races.size(); ++i) {
      const NamePair pair(NamesOf(system, verdict.races[i].a.what),
                          NamesOf(system, verdict.races[i].b.what));
      races_.emplace(pair, i);
      racing_.insert({pair.first, pair.second});
    }
  }

  std::vector<ReplayRow> Make() {
    AddBlocked();
    AddRaces();
    AddClobbers();
    AddUnwritten();
    for (const task::LaggingWait& lagging : replay_.lagging) AddLagging(lagging);
    for (const task::LaggingWait& overflow : replay_.overflows) AddOverflow(overflow);
    // With a race another fill is what the race does.
    if (replay_.races.empty()) AddStale();
    return std::move(rows_);
  }

 private:
  void Add(std::string_view code, std::string access, std::string other, std::string place,
           std::string seen, std::string checks) {
    const bool contradicts = seen == kNotSeen || checks == kNotFound;
    rows_.push_back({std::string(code), std::move(access), std::move(other), std::move(place),
                     std::move(seen), std::move(checks), contradicts});
  }

  std::string Text(const task::PlayedAccess& access) const {
    return task::PlayedText(system_, access);
  }
  NamePair NamesOfBoth(const task::PlayedAccess& a, const task::PlayedAccess& b) const {
    return {task::PlayedNames(system_, a.what), task::PlayedNames(system_, b.what)};
  }
  /// Of the first regions that intersect.
  std::string SharedBy(const task::PlayedAccess& a, const task::PlayedAccess& b) const {
    for (const task::Footprint& one : task::PlayedFootprints(program_, a)) {
      for (const task::Footprint& other : task::PlayedFootprints(program_, b)) {
        if (!Overlap(one, other)) continue;
        return TextOf(task::Footprint{one.space, Intersect(one.range, other.range),
                                      Intersect(one.partitions, other.partitions)});
      }
    }
    return "";
  }
  std::string Regions(const task::PlayedAccess& access) const {
    std::string text;
    for (const task::Footprint& one : task::PlayedFootprints(program_, access))
      text += (text.empty() ? "" : ", ") + TextOf(one);
    return text;
  }

  void AddBlocked() {
    std::set<std::string> checked;
    std::set<std::string> played;
    for (const task::BlockedTask& task : verdict_.blocked) checked.insert(task.name);
    for (const task::ReplayedBlock& task : replay_.blocked) {
      played.insert(task.name);
      Add("deadlock", task.name, "", "", "never happens",
          checked.contains(task.name) ? "found" : std::string(kNotFound));
    }
    for (const std::string& name : checked) {
      if (!played.contains(name)) Add("deadlock", name, "", "", std::string(kNotSeen), "found");
    }
  }

  void AddRaces() {
    std::set<NamePair> played;
    for (const task::ReplayedRace& race : replay_.races) {
      const NamePair pair = NamesOfBoth(race.a, race.b);
      played.insert(pair);
      const auto at = races_.find(pair);
      Add("race", Text(race.a), Text(race.b), SharedBy(race.a, race.b),
          race.overlapped ? "at the same time in a run"
                          : "ordered by no clock, but at the same time in no run",
          at == races_.end() ? std::string(kNotFound)
                             : fmt::format("found as race {}", at->second + 1));
    }
    for (std::size_t i = 0; i < verdict_.races.size(); ++i) {
      const task::Race& race = verdict_.races[i];
      if (played.contains({NamesOf(system_, race.a.what), NamesOf(system_, race.b.what)})) continue;
      Add("race", TextOf(race.a), TextOf(race.b), "", std::string(kNotSeen),
          fmt::format("found as race {}", i + 1));
    }
  }

  void AddClobbers() {
    std::set<NamePair> checked;
    std::set<NamePair> played;
    for (const task::Clobber& clobber : verdict_.clobbers)
      checked.emplace(NamesOf(system_, clobber.read.what), NamesOf(system_, clobber.write.what));
    for (const task::SeenClobber& clobber : replay_.clobbers) {
      const NamePair pair = NamesOfBoth(clobber.read, clobber.write);
      played.insert(pair);
      const bool races = races_.contains(pair) || races_.contains({pair.second, pair.first});
      Add("wrong-value", Text(clobber.read), Text(clobber.write),
          SharedBy(clobber.read, clobber.write), "the first read what the second had written",
          checked.contains(pair) ? "found"
          : races                ? "not found: the two race, so time decides"
                                 : std::string(kNotFound));
    }
    for (const task::Clobber& clobber : verdict_.clobbers) {
      const NamePair pair(NamesOf(system_, clobber.read.what),
                          NamesOf(system_, clobber.write.what));
      if (played.contains(pair)) continue;
      Add("wrong-value", TextOf(clobber.read), TextOf(clobber.write), TextOf(clobber.piece),
          Missed(), "found");
    }
  }

  void AddUnwritten() {
    std::set<Names> checked;
    std::set<Names> played;
    for (const task::UninitializedRead& one : verdict_.uninitialized)
      checked.insert(NamesOf(system_, one.read.what));
    for (const task::PlayedAccess& read : replay_.uninitialized) {
      const Names names = task::PlayedNames(system_, read.what);
      played.insert(names);
      Add("uninitialized-read", Text(read), "", Regions(read), "read what nothing had written",
          checked.contains(names)   ? "found"
          : racing_.contains(names) ? "not found: the read races, so time decides"
                                    : std::string(kNotFound));
    }
    for (const task::UninitializedRead& one : verdict_.uninitialized) {
      if (played.contains(NamesOf(system_, one.read.what))) continue;
      Add("uninitialized-read", TextOf(one.read), "", TextOf(one.piece), Missed(), "found");
    }
  }

  void AddLagging(const task::LaggingWait& lagging) {
    const bool fills = lagging.side == task::Side::kProducer;
    Add("phase-skew",
        fmt::format(
            "{} {} {} #{}", system_.tasks[lagging.task].name, fills ? "wait" : "acquire",
            system_.pipelines[lagging.pipeline].name,
            fills ? lagging.number : lagging.number + system_.pipelines[lagging.pipeline].stages),
        "", "", "its barrier may be two phases ahead", "no check looks for it");
  }

  void AddOverflow(const task::LaggingWait& overflow) {
    Add("overflow",
        fmt::format("semaphore of {} for {} of {}", system_.tasks[overflow.task].name,
                    overflow.side == task::Side::kProducer ? "fills" : "drains",
                    system_.pipelines[overflow.pipeline].name),
        "", "", "counts beyond 32 bits", "no check looks for it");
  }

  void AddStale() {
    for (const task::SeenStale& stale : replay_.stale) {
      Add("stale-fill", Text(stale.read), Text(stale.write), SharedBy(stale.read, stale.write),
          fmt::format("expected fill #{}, found fill #{}", stale.expected, stale.found),
          "accepted: the read may see that write");
    }
  }

  std::string Missed() const {
    return std::string(verdict_.races.empty() ? kNotSeen : kTimeDecides);
  }
  std::string TextOf(const task::AccessPoint& point) const { return task::TextOf(system_, point); }
  static std::string TextOf(const task::Footprint& piece) { return spillway::TextOf(piece); }

  const task::PipelineSystem& system_;
  const task::Program& program_;
  const task::Verdict& verdict_;
  const task::Replay& replay_;
  std::map<NamePair, std::size_t> races_;  ///< the checks', with their index
  std::set<Names> racing_;
  std::vector<ReplayRow> rows_;
};

}  // namespace

std::vector<ReplayRow> ReplayRows(const task::PipelineSystem& system, const task::Program& program,
                                  const task::Verdict& verdict, const task::Replay& replay) {
  return RowMaker(system, program, verdict, replay).Make();
}

}  // namespace spillway
