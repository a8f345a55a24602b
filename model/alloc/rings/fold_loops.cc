#include "model/alloc/rings/fold_loops.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/hw/error.h"

namespace spillway::rings {
namespace {

constexpr int kMaxDepth = 8;  // of the format: ts_pipelines.md §15
constexpr std::size_t kMaxGroup = 8;

using Word = std::uint32_t;  ///< an operation or a loop
using Words = std::vector<Word>;
using Turn = std::vector<Words>;  ///< what each stream does in it

/// A loop as a word: its trips and its body.
struct FoldedLoop {
  std::int64_t trips = 0;
  Words body;
  friend auto operator<=>(const FoldedLoop&, const FoldedLoop&) = default;
};

class Folder {
 public:
  Folder(const StreamWork& work, const FlatOperations& flat, const FoldOptions& options)
      : work_(work), flat_(flat), options_(options) {}

  std::vector<std::vector<task::Operation>> Run() {
    Turn all = Sequence(0);
    SPILLWAY_CHECK(mark_ == work_.marks.size() && instance_ == work_.instances.size(),
                   "loops nest");
    std::vector<std::vector<task::Operation>> tasks;
    for (std::size_t s = 0; s < all.size(); ++s) {
      all[s].insert(all[s].end(), flat_.at_end[s].begin(), flat_.at_end[s].end());
      tasks.push_back(Unfold(all[s]));
    }
    return tasks;
  }

 private:
  /// Instances and loops up to the end of the turn that is open.
  Turn Sequence(int depth) {
    Turn turn(work_.streams.size());
    while (true) {
      const std::size_t next =
          mark_ < work_.marks.size() ? work_.marks[mark_].before : work_.instances.size();
      for (; instance_ < next; ++instance_) {
        const Words& words = flat_.of_instance[instance_];
        Words& into = turn[work_.instances[instance_].stream];
        into.insert(into.end(), words.begin(), words.end());
      }
      if (mark_ == work_.marks.size() || work_.marks[mark_].kind != LoopMark::Kind::kBegin)
        return turn;
      Append(turn, Loop(depth));
    }
  }

  Turn Loop(int depth) {
    std::vector<Turn> turns;
    do {
      ++mark_;
      turns.push_back(Sequence(depth + 1));
    } while (work_.marks[mark_].kind == LoopMark::Kind::kNextTurn);
    ++mark_;
    return Fold(turns, depth);
  }

  static void Append(Turn& into, const Turn& turn) {
    for (std::size_t s = 0; s < into.size(); ++s)
      into[s].insert(into[s].end(), turn[s].begin(), turn[s].end());
  }

  Turn Fold(const std::vector<Turn>& turns, int depth) {
    std::vector<std::uint32_t> names;  // equal turns have equal ones
    std::map<Turn, std::uint32_t> known;
    for (const Turn& turn : turns)
      names.push_back(
          known.try_emplace(turn, static_cast<std::uint32_t>(known.size())).first->second);
    Turn folded(work_.streams.size());
    for (std::size_t at = 0; at < turns.size();) {
      const auto [group, trips] = depth < kMaxDepth ? Longest(names, at) : std::pair{1UL, 1UL};
      Turn body(work_.streams.size());
      for (std::size_t i = 0; i < group; ++i) Append(body, turns[at + i]);
      const auto kept = Kept(body, static_cast<std::int64_t>(trips), depth);
      for (std::size_t s = 0; s < body.size(); ++s) {
        if (body[s].empty()) continue;
        if (trips > 1) {
          folded[s].push_back(LoopWord({kept, std::move(body[s])}));
        } else {
          folded[s].insert(folded[s].end(), body[s].begin(), body[s].end());
        }
      }
      at += group * trips;
    }
    return folded;
  }

  /// The group of turns that repeats over the longest stretch from `at` on, and how often.
  static std::pair<std::size_t, std::size_t> Longest(const std::vector<std::uint32_t>& names,
                                                     std::size_t at) {
    std::pair<std::size_t, std::size_t> best{1, 1};
    for (std::size_t group = 1; group <= kMaxGroup && at + 2 * group <= names.size(); ++group) {
      std::size_t end = at + group;
      while (end < names.size() && names[end] == names[end - group]) ++end;
      const std::size_t trips = (end - at) / group;
      if (trips > 1 && trips * group > best.first * best.second) best = {group, trips};
    }
    return best;
  }

  std::int64_t Kept(const Turn& body, std::int64_t trips, int depth) const {
    const std::int64_t most = options_.max_trips;
    if (depth > 0 || most == 0 || trips <= most || !IsBalanced(body)) return trips;
    return most + (trips - most) % options_.turn;
  }

  /// Whether a turn closes what it opens, on every pipeline and in every stream that takes part.
  bool IsBalanced(const Turn& body) const {
    using Counts = std::map<std::pair<std::uint32_t, task::OperationKind>, std::int64_t>;
    std::map<std::uint32_t, std::int64_t> each;  // of a pipeline: what the first count was
    for (const Words& words : body) {
      Counts counts;
      for (const Word word : words) Count(word, 1, counts);
      for (const auto& [key, count] : counts) {
        if (each.try_emplace(key.first, count).first->second != count) return false;
      }
    }
    // A pipeline of which the turn has one side alone moves on, and must not be cut.
    std::map<std::uint32_t, int> kinds;
    for (const task::OperationKind kind :
         {task::OperationKind::kAcquire, task::OperationKind::kCommit, task::OperationKind::kWait,
          task::OperationKind::kRelease}) {
      for (const auto& [pipeline, count] : each) {
        kinds[pipeline] += std::any_of(body.begin(), body.end(), [&](const Words& words) {
          Counts counts;
          for (const Word word : words) Count(word, 1, counts);
          return counts.contains({pipeline, kind});
        });
      }
    }
    return std::all_of(kinds.begin(), kinds.end(),
                       [](const auto& item) { return item.second == 4; });
  }

  template <class Counts>
  void Count(Word word, std::int64_t times, Counts& counts) const {
    if (word >= flat_.distinct.size()) {
      const FoldedLoop& loop = loops_[word - flat_.distinct.size()];
      for (const Word inner : loop.body) Count(inner, times * loop.trips, counts);
      return;
    }
    const task::Operation& operation = flat_.distinct[word];
    for (const task::PipelineId id : operation.pipelines)
      counts[{id.value, operation.kind}] += times;
    for (const task::PipelineId id : operation.commits)
      counts[{id.value, task::OperationKind::kCommit}] += times;
    for (const task::PipelineId id : operation.releases)
      counts[{id.value, task::OperationKind::kRelease}] += times;
  }

  Word LoopWord(FoldedLoop loop) {
    const auto next = static_cast<Word>(flat_.distinct.size() + loops_.size());
    const auto [at, is_new] = loop_words_.try_emplace(loop, next);
    if (is_new) loops_.push_back(std::move(loop));
    return at->second;
  }

  std::vector<task::Operation> Unfold(const Words& words) const {
    std::vector<task::Operation> operations;
    for (const Word word : words) {
      if (word < flat_.distinct.size()) {
        operations.push_back(flat_.distinct[word]);
        continue;
      }
      const FoldedLoop& loop = loops_[word - flat_.distinct.size()];
      task::Operation operation;
      operation.kind = task::OperationKind::kLoop;
      operation.trips = loop.trips;
      operation.body = Unfold(loop.body);
      operations.push_back(std::move(operation));
    }
    return operations;
  }

  const StreamWork& work_;
  const FlatOperations& flat_;
  const FoldOptions options_;
  std::vector<FoldedLoop> loops_;
  std::map<FoldedLoop, Word> loop_words_;
  std::size_t mark_ = 0;
  std::size_t instance_ = 0;
};

}  // namespace

std::vector<std::vector<task::Operation>> FoldLoops(const StreamWork& work,
                                                    const FlatOperations& flat,
                                                    const FoldOptions& options) {
  return Folder(work, flat, options).Run();
}

}  // namespace spillway::rings
