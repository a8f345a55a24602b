#include "model/alloc/psum/spill_plan.h"

#include <algorithm>

#include "model/alloc/ir/exposure.h"
#include "model/alloc/psum/accumulation_groups.h"

namespace spillway::psum {
namespace {

Operand WithoutBroadcasts(Operand operand) {
  std::erase_if(operand.free_dims, [](const FreeDim& dim) { return dim.step == 0; });
  if (operand.free_dims.empty()) operand.free_dims = {{1, 1}};
  return operand;
}

class Planner {
 public:
  Planner(const LinearKernel& linear, TensorId tensor)
      : linear_(linear), accesses_(linear.accesses_of[tensor]) {}

  // The residence of one instruction: it reloads what it reads and saves what it writes.
  Residence Single(PointId point) const {
    Residence residence{point, point, linear_.loop_of[point], {point}, {}, {}, std::nullopt};
    const std::vector<Predicate>& when = linear_.instruction(point).when;
    for (const PointAccess& access : In({point, point, {}})) {
      AddOnce(access.is_write ? residence.saves : residence.reloads,
              {WithoutBroadcasts(OperandOf(access)), when});
    }
    residence.block = CommonBlock({point, point, residence.level});
    return residence;
  }

  // The residence of an accumulation group; nothing if copies around it can't stand for it.
  std::optional<Residence> Group(const Stretch& stretch) const {
    Residence residence{stretch.first,       stretch.last, stretch.level, {}, {}, {},
                        CommonBlock(stretch)};
    std::vector<PointAccess> plain;
    for (const PointAccess& access : In(stretch)) {
      if (residence.uses.empty() || residence.uses.back() != access.point)
        residence.uses.push_back(access.point);
      if (!IsAccumulationRead(linear_, access)) plain.push_back(access);
    }
    // Bytes from before the group would have to be brought in, next to what is accumulated.
    if (!ExposureOf(linear_, plain, stretch.level).exposed.empty()) return std::nullopt;
    CoveredRegions saved;
    for (const PointAccess& access : plain) {
      if (!access.is_write) continue;
      if (HasMovingPlace(access, stretch)) return std::nullopt;
      if (const auto when = PredicatesOfFirstIteration(linear_, access.point, stretch.level)) {
        saved.Add(RegionUnder(access, *when));
        AddOnce(residence.saves, {WithoutBroadcasts(OperandOf(access)), *when});
      }
    }
    // A write that may not run is saved with one of the same bytes that does.
    for (const PointAccess& access : plain) {
      if (access.is_write && !saved.Covers(RegionUnder(access, OuterPredicates(access, stretch))))
        return std::nullopt;
    }
    return residence;
  }

 private:
  const Operand& OperandOf(const PointAccess& access) const {
    return *linear_.accesses[access.point][access.access].operand;
  }

  std::vector<PointAccess> In(const Stretch& stretch) const {
    const auto by_point = [](const PointAccess& access, PointId point) {
      return access.point < point;
    };
    auto access = std::lower_bound(accesses_.begin(), accesses_.end(), stretch.first, by_point);
    std::vector<PointAccess> found;
    for (; access != accesses_.end() && access->point <= stretch.last; ++access)
      found.push_back(*access);
    return found;
  }

  bool Moves(const AffineExpr& expr, const PointAccess& access, const Stretch& stretch) const {
    return DependsOnLoopsInside(linear_, expr, access.point, stretch.level);
  }

  bool HasMovingPlace(const PointAccess& access, const Stretch& stretch) const {
    const Operand& operand = OperandOf(access);
    return Moves(operand.partition_start, access, stretch) ||
           Moves(operand.free_offset, access, stretch) ||
           std::any_of(operand.block.begin(), operand.block.end(),
                       [&](const AffineExpr& expr) { return Moves(expr, access, stretch); });
  }

  std::vector<Predicate> OuterPredicates(const PointAccess& access, const Stretch& stretch) const {
    std::vector<Predicate> outer = linear_.instruction(access.point).when;
    std::erase_if(
        outer, [&](const Predicate& predicate) { return Moves(predicate.expr, access, stretch); });
    return outer;
  }

  SymbolicRegion RegionUnder(const PointAccess& access, std::vector<Predicate> when) const {
    SymbolicRegion region = RegionOf(linear_.kernel, linear_.instruction(access.point),
                                     linear_.accesses[access.point][access.access]);
    region.when = std::move(when);
    return region;
  }

  std::optional<std::vector<AffineExpr>> CommonBlock(const Stretch& stretch) const {
    std::optional<std::vector<AffineExpr>> block;
    for (const PointAccess& access : In(stretch)) {
      const std::vector<AffineExpr>& own = OperandOf(access).block;
      const bool moves = std::any_of(own.begin(), own.end(), [&](const AffineExpr& expr) {
        return Moves(expr, access, stretch);
      });
      if (moves || (block && *block != own)) return std::nullopt;
      block = own;
    }
    return block;
  }

  static void AddOnce(std::vector<SpillCopy>& copies, SpillCopy copy) {
    const bool is_known = std::any_of(copies.begin(), copies.end(), [&](const SpillCopy& known) {
      return known.operand == copy.operand && known.when == copy.when;
    });
    if (!is_known) copies.push_back(std::move(copy));
  }

  const LinearKernel& linear_;
  const std::vector<PointAccess>& accesses_;
};

SpillPlan Unspillable(WhyUnspillable why) { return {{}, why}; }

}  // namespace

std::string_view Describe(WhyUnspillable why) {
  switch (why) {
    case WhyUnspillable::kPrecoloured: return "its place is fixed";
    case WhyUnspillable::kOneResidence: return "it is needed without a break";
    case WhyUnspillable::kAccumulator: return "it is accumulated into without a break";
    case WhyUnspillable::kIndirect: return "it is addressed at run time";
    case WhyUnspillable::kSpillCopy: return "a spill made it";
  }
  return "unknown";
}

SpillPlan PlanSpill(const LinearKernel& linear, TensorId tensor) {
  if (!linear.kernel.tensors[tensor].at.empty()) return Unspillable(WhyUnspillable::kPrecoloured);
  const std::vector<PointAccess>& accesses = linear.accesses_of[tensor];
  const bool is_indirect =
      std::any_of(accesses.begin(), accesses.end(), [&](const PointAccess& access) {
        return linear.accesses[access.point][access.access].whole_tensor;
      });
  if (is_indirect) return Unspillable(WhyUnspillable::kIndirect);
  const std::optional<std::vector<Stretch>> groups = FindAccumulationGroups(linear, tensor);
  if (!groups) return Unspillable(WhyUnspillable::kAccumulator);

  const Planner planner(linear, tensor);
  SpillPlan plan;
  auto group = groups->begin();
  for (const PointAccess& access : accesses) {
    if (!plan.residences.empty() && access.point <= plan.residences.back().last) continue;
    while (group != groups->end() && group->last < access.point) ++group;
    if (group == groups->end() || !group->Contains(access.point)) {
      plan.residences.push_back(planner.Single(access.point));
      continue;
    }
    std::optional<Residence> residence = planner.Group(*group);
    if (!residence) return Unspillable(WhyUnspillable::kAccumulator);
    plan.residences.push_back(std::move(*residence));
  }
  if (plan.residences.size() < 2) {
    return Unspillable(groups->empty() ? WhyUnspillable::kOneResidence
                                       : WhyUnspillable::kAccumulator);
  }
  const bool is_read =
      std::any_of(plan.residences.begin(), plan.residences.end(),
                  [](const Residence& residence) { return !residence.reloads.empty(); });
  if (!is_read) {
    for (Residence& residence : plan.residences) residence.saves.clear();
  }
  return plan;
}

}  // namespace spillway::psum
