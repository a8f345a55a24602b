#include "model/alloc/check_task/step_conflicts.h"

#include "model/alloc/check_task/race_in_progress.h"

namespace spillway::task {
namespace {

/// Pairs, and lists of them, that are kept: a bound on memory. Beyond it they are found again.
constexpr std::size_t kMaxKept = 4'000'000;
/// What looking up two kinds and keeping a list takes, in comparisons.
constexpr std::int64_t kCostOfList = 32;

}  // namespace

bool StepConflicts::Spend(std::int64_t comparisons) {
  left_ = comparisons > left_ ? -1 : left_ - comparisons;
  return !IsSpent();
}

std::uint32_t StepConflicts::KindOf(const StepPlace& step) {
  std::vector<std::uint32_t>& kinds = kinds_[step.first];
  if (kinds.empty()) kinds.resize(program_.steps[step.first].size(), 0);
  std::uint32_t& kind = kinds[step.second];
  if (kind > 0) return kind;
  const Step& its = program_.steps[step.first][step.second];
  std::vector<std::uint32_t> key = {step.first.value, static_cast<std::uint32_t>(its.kind)};
  for (const StepAccess& access : program_.AccessesOf(its)) {
    key.insert(key.end(),
               {static_cast<std::uint32_t>(access.kind), access.resource.value, access.slot});
  }
  const auto next = static_cast<std::uint32_t>(kind_ids_.size() + 1);
  kind = kind_ids_.try_emplace(std::move(key), next).first->second;
  return kind;
}

AccessPoint StepConflicts::PointOf(const StepPlace& step, std::uint32_t access) const {
  const Step& its = program_.steps[step.first][step.second];
  const StepAccess& what = program_.AccessesOf(its)[access];
  return {{ActorOf(step.first, its), what.kind, what.resource},
          what.occurrence,
          step.second,
          what.slot};
}

std::int64_t StepConflicts::CostOf(const StepPlace& a, const StepPlace& b) const {
  // An access without memory takes a look as well.
  const auto looks = [&](const StepPlace& step) {
    std::int64_t count = 0;
    for (const StepAccess& access : program_.AccessesOf(program_.steps[step.first][step.second]))
      count += 1 + static_cast<std::int64_t>(program_.FootprintsOf(access).size());
    return count;
  };
  return kCostOfList + looks(a) * looks(b);
}

const std::vector<AccessPair>& StepConflicts::Between(const StepPlace& a, const StepPlace& b) {
  static const std::vector<AccessPair> kNothing;
  const std::uint64_t key = (std::uint64_t{KindOf(a)} << 32) | KindOf(b);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (!Spend(CostOf(a, b))) return kNothing;
  if (kept_ > kMaxKept) {
    known_.clear();
    kept_ = 0;
  }
  std::vector<AccessPair>& pairs = known_[key];
  const auto as = program_.AccessesOf(program_.steps[a.first][a.second]);
  const auto bs = program_.AccessesOf(program_.steps[b.first][b.second]);
  for (std::uint32_t i = 0; i < as.size(); ++i) {
    for (std::uint32_t k = 0; k < bs.size(); ++k) {
      if (ConflictInProgress(program_, PointOf(a, i), PointOf(b, k))) pairs.push_back({i, k});
    }
  }
  kept_ += 1 + pairs.size();
  return pairs;
}

}  // namespace spillway::task
