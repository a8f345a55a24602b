#include "model/alloc/psum/accumulation_groups.h"

#include <algorithm>

#include "model/alloc/ir/exposure.h"
#include "model/alloc/ir/live_intervals.h"

namespace spillway::psum {
namespace {

std::vector<LoopId> LoopsInside(const LinearKernel& linear, PointId point,
                                std::optional<LoopId> level) {
  std::vector<LoopId> loops;
  for (std::optional<LoopId> loop = linear.loop_of[point]; loop && loop != level;
       loop = linear.kernel.loops[*loop].parent) {
    loops.push_back(*loop);
  }
  return loops;
}

bool MentionsAny(const AffineExpr& expr, const std::vector<LoopId>& loops) {
  return std::any_of(expr.terms.begin(), expr.terms.end(), [&](const AffineTerm& term) {
    return std::find(loops.begin(), loops.end(), term.loop) != loops.end();
  });
}

bool AreAmong(const std::vector<Predicate>& some, const std::vector<Predicate>& all) {
  return std::all_of(some.begin(), some.end(), [&](const Predicate& predicate) {
    return std::find(all.begin(), all.end(), predicate) != all.end();
  });
}

bool IsWithin(const LinearKernel& linear, PointId point, std::optional<LoopId> level) {
  return !level || (linear.loop_points[*level].header < point &&
                    point < linear.loop_points[*level].terminator);
}

// The item of `level`'s body that holds `point`.
Stretch ItemOf(const LinearKernel& linear, PointId point, std::optional<LoopId> level) {
  const std::optional<LoopId> loop = OutermostBelow(linear, point, level);
  if (!loop) return {point, point, level};
  return {linear.loop_points[*loop].header, linear.loop_points[*loop].terminator, level};
}

// Whether a write opens what the accumulation at `point` reads: it covers it and, at `level`, runs
// for certain before the accumulation does.
bool Opens(const LinearKernel& linear, const PointAccess& write, const PointAccess& accumulation,
           std::optional<LoopId> level) {
  const auto access = [&](const PointAccess& a) { return linear.accesses[a.point][a.access]; };
  const auto remaining = PredicatesOfFirstIteration(linear, write.point, level);
  const Instruction& accumulating = linear.instruction(accumulation.point);
  if (!remaining || !AreAmong(*remaining, accumulating.when)) return false;
  SymbolicRegion wanted = RegionOf(linear.kernel, accumulating, access(accumulation));
  SymbolicRegion written = RegionOf(linear.kernel, linear.instruction(write.point), access(write));
  wanted.when.clear();
  written.when.clear();
  CoveredRegions covered;
  covered.Add(std::move(written));
  return covered.Covers(wanted);
}

bool IsAccumulationWrite(const LinearKernel& linear, const PointAccess& access) {
  const std::vector<Access>& all = linear.accesses[access.point];
  return access.is_write && std::any_of(all.begin(), all.end(), [&](const Access& other) {
           return !other.is_write && other.operand == all[access.access].operand;
         });
}

std::optional<Stretch> GroupOf(const LinearKernel& linear, const std::vector<PointAccess>& accesses,
                               std::size_t accumulation) {
  const PointAccess& read = accesses[accumulation];
  std::optional<LoopId> level = linear.loop_of[read.point];
  while (true) {
    for (std::size_t i = accumulation; i-- > 0 && IsWithin(linear, accesses[i].point, level);) {
      if (!accesses[i].is_write || accesses[i].point == read.point) continue;
      if (IsAccumulationWrite(linear, accesses[i]) || !Opens(linear, accesses[i], read, level))
        continue;
      return Stretch{ItemOf(linear, accesses[i].point, level).first,
                     ItemOf(linear, read.point, level).last, level};
    }
    if (!level) return std::nullopt;
    level = linear.kernel.loops[*level].parent;
  }
}

}  // namespace

bool DependsOnLoopsInside(const LinearKernel& linear, const AffineExpr& expr, PointId point,
                          std::optional<LoopId> level) {
  return MentionsAny(expr, LoopsInside(linear, point, level));
}

std::optional<std::vector<Predicate>> PredicatesOfFirstIteration(const LinearKernel& linear,
                                                                 PointId point,
                                                                 std::optional<LoopId> level) {
  const std::vector<LoopId> inside = LoopsInside(linear, point, level);
  std::vector<std::int64_t> values(linear.kernel.loops.size(), 0);
  for (const LoopId loop : inside) {
    const Loop& what = linear.kernel.loops[loop];
    if (what.kind == LoopKind::kDynamic || TripCount(what) == 0) return std::nullopt;
    values[loop.value] = what.begin;
  }
  std::vector<Predicate> remaining;
  for (const Predicate& predicate : linear.instruction(point).when) {
    if (!MentionsAny(predicate.expr, inside)) {
      remaining.push_back(predicate);
      continue;
    }
    const bool is_decided = std::all_of(
        predicate.expr.terms.begin(), predicate.expr.terms.end(), [&](const AffineTerm& term) {
          return std::find(inside.begin(), inside.end(), term.loop) != inside.end();
        });
    if (!is_decided || !Holds({predicate}, values)) return std::nullopt;
  }
  return remaining;
}

bool IsAccumulationRead(const LinearKernel& linear, const PointAccess& access) {
  const std::vector<Access>& all = linear.accesses[access.point];
  return !access.is_write && all[access.access].operand != nullptr &&
         std::any_of(all.begin(), all.end(), [&](const Access& other) {
           return other.is_write && other.operand == all[access.access].operand;
         });
}

std::optional<std::vector<Stretch>> FindAccumulationGroups(const LinearKernel& linear,
                                                           TensorId tensor) {
  const std::vector<PointAccess>& accesses = linear.accesses_of[tensor];
  std::vector<Stretch> found;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (!IsAccumulationRead(linear, accesses[i])) continue;
    const std::optional<Stretch> group = GroupOf(linear, accesses, i);
    if (!group) return std::nullopt;
    found.push_back(*group);
  }
  // Stretches that overlap lie in one body, or one of them lies within an item of the other.
  std::sort(found.begin(), found.end(), [](const Stretch& a, const Stretch& b) {
    return a.first != b.first ? a.first < b.first : a.last > b.last;
  });
  std::vector<Stretch> merged;
  for (const Stretch& stretch : found) {
    if (!merged.empty() && stretch.first <= merged.back().last) {
      merged.back().last = std::max(merged.back().last, stretch.last);
    } else {
      merged.push_back(stretch);
    }
  }
  return merged;
}

}  // namespace spillway::psum
