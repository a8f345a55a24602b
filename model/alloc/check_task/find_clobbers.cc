#include "model/alloc/check_task/find_clobbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/alloc/check_task/covering_writes.h"
#include "model/alloc/task/codes.h"

namespace spillway::task {
namespace {

using Names = std::array<std::string, 3>;

class Search {
 public:
  Search(const PipelineSystem& system, const Program& program, const HappensBefore& order)
      : system_(system), program_(program), order_(order) {
    for (const Resource& resource : system.resources) {
      std::vector<ResourceId> shares = resource.shares;
      std::sort(shares.begin(), shares.end());
      shares_.push_back(std::move(shares));
    }
  }

  /// `writes` share memory with the reads of `group`.
  Result<void> Reads(const AccessGroup& group, const std::vector<const AccessGroup*>& writes) {
    const auto covers = CoveringWrites(program_, group, writes);
    if (!covers) return Fail(covers.error());
    std::vector<std::size_t> before(writes.size(), 0);
    for (const AccessPoint& read : group.points) {
      steps_ += static_cast<std::int64_t>(writes.size());
      for (std::size_t i = 0; i < writes.size(); ++i) {
        const std::vector<AccessPoint>& points = writes[i]->points;
        while (before[i] < points.size() && IsBefore(points[before[i]], read)) ++before[i];
      }
      for (const CoveredPiece& cover : *covers) Piece(read, writes, cover, before);
      if (steps_ <= kMaxReachingSteps) continue;
      return Fail(MakeError(Code::kLimit,
                            fmt::format("reads: expected at most {} steps to find the writes that "
                                        "reach them, found more; fewer iterations or resources "
                                        "over one place would show the same",
                                        kMaxReachingSteps)));
    }
    return {};
  }

  ReachingWrites Found() const {
    ReachingWrites found;
    for (const auto& [names, clobber] : clobbers_) found.clobbers.push_back(clobber.what);
    for (const auto& [names, read] : uninitialized_) found.uninitialized.push_back(read.what);
    return found;
  }

 private:
  /// The first finding of its names so far, and the number of its piece.
  template <class T>
  struct First {
    T what;
    std::size_t piece = 0;
  };

  bool IsBefore(const AccessPoint& a, const AccessPoint& b) {
    const Actor& a_actor = a.what.actor;
    // A transfer is over for who knows one of its parts, and may have a thousand.
    const bool is_transfer = a_actor.kind == SideKind::kDma;
    steps_ += 1 + (is_transfer ? program_.steps[a_actor.task][a.step].part_count : 0);
    if (a_actor == b.what.actor && a_actor.kind == SideKind::kMatrix) return a.step < b.step;
    return order_.EndsBefore(a_actor.task, a.step, b.what.actor.task, b.step);
  }

  /// One piece of a read's memory: of each group in `cover` the first before[i] writes are before
  /// the read.
  void Piece(const AccessPoint& read, const std::vector<const AccessGroup*>& writes,
             const CoveredPiece& cover, const std::vector<std::size_t>& before) {
    bool any = false;
    steps_ += static_cast<std::int64_t>(cover.writes.size());
    for (const std::uint32_t i : cover.writes) {
      any = any || before[i] > 0;
      if (!Allowed(read, writes[i]->what.resource)) Maximal(read, writes, cover, before, i);
    }
    if (any || system_.resources[read.what.resource].initial) return;
    for (const std::uint32_t i : cover.writes) {
      // None is before the read, so the first one tells whether any isn't behind it.
      if (!IsBefore(read, writes[i]->points.front())) return;
    }
    const First<UninitializedRead> found{{read, cover.piece}, cover.number};
    const auto [at, is_new] = uninitialized_.emplace(NamesOf(system_, read.what), found);
    const auto key = [](const First<UninitializedRead>& one) {
      return std::pair(one.what.read.occurrence, one.piece);
    };
    if (!is_new && key(found) < key(at->second)) at->second = found;
  }

  bool Allowed(const AccessPoint& read, ResourceId written) const {
    const std::vector<ResourceId>& shares = shares_[read.what.resource];
    return written == read.what.resource ||
           std::binary_search(shares.begin(), shares.end(), written);
  }

  /// Keeps the writes of group `own` before the read that are before no other write before it. They
  /// are the last ones: what another write covers, it covers with all before it.
  void Maximal(const AccessPoint& read, const std::vector<const AccessGroup*>& writes,
               const CoveredPiece& cover, const std::vector<std::size_t>& before,
               std::uint32_t own) {
    for (std::size_t n = before[own]; n > 0; --n) {
      const AccessPoint& write = writes[own]->points[n - 1];
      const auto& all = cover.writes;
      const bool hidden = std::any_of(all.begin(), all.end(), [&](std::uint32_t i) {
        if (before[i] == 0) return false;
        const AccessPoint& last = writes[i]->points[before[i] - 1];
        return last != write && IsBefore(write, last);
      });
      if (hidden) return;
      const auto names = std::pair(NamesOf(system_, read.what), NamesOf(system_, write.what));
      const First<Clobber> found{{read, write, cover.piece}, cover.number};
      const auto [at, is_new] = clobbers_.emplace(names, found);
      const auto key = [](const First<Clobber>& one) {
        return std::tuple(one.what.read.occurrence, one.what.write.occurrence, one.piece);
      };
      if (!is_new && key(found) < key(at->second)) at->second = found;
    }
  }

  const PipelineSystem& system_;
  const Program& program_;
  const HappensBefore& order_;
  IdVector<ResourceId, std::vector<ResourceId>> shares_;  ///< of each resource, ascending
  std::int64_t steps_ = 0;
  std::map<std::pair<Names, Names>, First<Clobber>> clobbers_;
  std::map<Names, First<UninitializedRead>> uninitialized_;
};

}  // namespace

Result<ReachingWrites> FindClobbers(const PipelineSystem& system, const Program& program,
                                    const HappensBefore& order,
                                    const std::vector<AccessGroup>& groups,
                                    const std::vector<GroupPair>& pairs) {
  std::vector<std::vector<const AccessGroup*>> writes(groups.size());
  const auto meet = [&](std::uint32_t read, std::uint32_t write) {
    if (groups[read].what.access == AccessKind::kRead &&
        groups[write].what.access != AccessKind::kRead)
      writes[read].push_back(&groups[write]);
  };
  for (const GroupPair& pair : pairs) {
    meet(pair.first, pair.second);
    meet(pair.second, pair.first);
  }
  Search search(system, program, order);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].what.access != AccessKind::kRead) continue;
    if (Result<void> done = search.Reads(groups[i], writes[i]); !done)
      return Fail(std::move(done.error()));
  }
  return search.Found();
}

}  // namespace spillway::task
