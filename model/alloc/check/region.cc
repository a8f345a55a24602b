#include "model/alloc/check/region.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "model/alloc/ir/footprint.h"
#include "model/hw/error.h"

namespace spillway::check {
namespace {

// Patterns of more runs are taken as their hull (a bound, but no certain write), and loops of more
// iterations as their bound: a checker has to end on any input.
constexpr std::int64_t kMaxRuns = 4096;
constexpr std::int64_t kMaxIterations = 4096;
// Regions that grow beyond these numbers are taken as they are, without what would make them
// smaller.
constexpr std::size_t kMaxPredicates = 8;
constexpr std::size_t kMaxRegions = 64;

bool Mentions(const AffineExpr& expr, LoopId loop) {
  return std::any_of(expr.terms.begin(), expr.terms.end(),
                     [&](const AffineTerm& term) { return term.loop == loop; });
}

bool Mentions(const Region& region, LoopId loop) {
  const auto in = [&](const AffineExpr& expr) { return Mentions(expr, loop); };
  return in(region.place.partition) || in(region.place.byte) ||
         std::any_of(region.place.block.begin(), region.place.block.end(), in) ||
         std::any_of(region.when.begin(), region.when.end(),
                     [&](const Predicate& predicate) { return in(predicate.expr); });
}

AffineExpr WithValue(AffineExpr expr, LoopId loop, std::int64_t value) {
  for (AffineTerm& term : expr.terms) {
    if (term.loop != loop) continue;
    expr.constant += term.coefficient * value;
    term.coefficient = 0;
  }
  return Normalized(std::move(expr));
}

// Moves the constant of an expression into a distance. Under a modulus it stays: the sum of a
// remainder and a constant is not the remainder of the sum.
std::int64_t TakeConstant(AffineExpr& expr) {
  if (expr.modulus != 0 && !expr.IsConstant()) return 0;
  const std::int64_t constant = Normalized(expr).constant;
  expr.constant = 0;
  expr.modulus = 0;
  return constant;
}

struct Distance {
  std::int64_t blocks = 0;
  PartitionCount partitions;
  Bytes bytes;
};

Distance TakeConstants(Place& place) {
  Distance distance;
  for (AffineExpr& expr : place.block) distance.blocks += TakeConstant(expr);
  distance.partitions = PartitionCount(TakeConstant(place.partition));
  distance.bytes = Bytes(TakeConstant(place.byte));
  return distance;
}

// Whether RunsOf gives the pattern itself and not its hull: the number of runs that it would list.
bool IsListedExactly(std::span<const FreeDim> dims) {
  std::int64_t run = 1;
  std::size_t outer = dims.size();
  while (outer > 0 &&
         (dims[outer - 1].step == run || dims[outer - 1].step == 0 || dims[outer - 1].count == 1)) {
    if (dims[outer - 1].step != 0) run *= dims[outer - 1].count;
    --outer;
  }
  std::int64_t runs = 1;
  for (std::size_t d = 0; d < outer; ++d) {
    if (dims[d].step != 0) runs *= dims[d].count;
    if (runs > kMaxRuns) return false;
  }
  return true;
}

enum class Keep { kAllIterations, kAnyIteration };

// Whether no values of the loops fulfil the predicate; false where that takes more than a glance.
// With an inner loop at a value, `4 * outer + inner == 0` asks for a multiple of 4 that isn't one.
bool NeverHolds(const Predicate& predicate) {
  if (predicate.expr.IsConstant()) return !Holds({predicate}, {});
  if (predicate.comparison != Comparison::kEqual || predicate.expr.modulus != 0) return false;
  std::int64_t divisor = 0;
  for (const AffineTerm& term : predicate.expr.terms) divisor = std::gcd(divisor, term.coefficient);
  return predicate.expr.constant % divisor != 0;
}

// Adds `region` with `loop` at `value`, unless its predicates rule that iteration out.
void AddIteration(const Region& region, LoopId loop, std::int64_t value, Keep keep,
                  RegionSet& sum) {
  Region one;
  for (const Predicate& predicate : region.when) {
    const Predicate now{WithValue(predicate.expr, loop, value), predicate.comparison};
    if (NeverHolds(now)) return;
    if (!now.expr.IsConstant()) one.when.push_back(now);
  }
  one.bound = region.bound;
  one.place = region.place;
  if (!region.place.IsConstant()) {
    for (AffineExpr& expr : one.place.block) expr = WithValue(std::move(expr), loop, value);
    one.place.partition = WithValue(std::move(one.place.partition), loop, value);
    one.place.byte = WithValue(std::move(one.place.byte), loop, value);
    const Distance moved = TakeConstants(one.place);
    one.relative = region.relative.Shifted(moved.blocks, moved.partitions, moved.bytes);
    if (one.place.IsConstant()) {
      if (keep == Keep::kAnyIteration) one.relative.IntersectWith(region.bound);
      one.bound = std::move(one.relative);
      one.relative = BlockPlanes();
    }
  }
  sum.Add(one);
}

RegionSet Over(const Loop& loop, LoopId id, const RegionSet& regions, Keep keep) {
  RegionSet sum;
  const std::int64_t trips = TripCount(loop);
  for (const Region& region : regions.regions()) {
    if (!Mentions(region, id)) {
      sum.Add(region);
    } else if (trips <= kMaxIterations) {
      for (std::int64_t i = 0; i < trips; ++i) {
        AddIteration(region, id, loop.begin + i * loop.step, keep, sum);
      }
    } else if (keep == Keep::kAnyIteration) {
      sum.Add(Region{{}, {}, {}, region.bound});
    }
  }
  return sum;
}

// Every byte that the access may touch in any iteration of the loops around it.
BlockPlanes BoundOf(const LinearKernel& linear, PointId point, const Region& exact,
                    const Tensor& tensor) {
  const BlockPlanes whole = BlockPlanes::Whole(tensor);
  std::int64_t iterations = 1;
  const std::vector<LoopId> nest = NestOf(linear, point);
  for (const LoopId loop : nest) {
    if (!Mentions(exact, loop)) continue;
    const std::int64_t trips = TripCount(linear.kernel.loops[loop]);
    if (trips > kMaxIterations || iterations * trips > kMaxIterations) return whole;
    iterations *= trips;
  }
  RegionSet touched;
  Region start = exact;
  start.bound = whole;
  touched.Add(start);
  for (auto loop = nest.rbegin(); loop != nest.rend(); ++loop) {
    touched = Over(linear.kernel.loops[*loop], *loop, touched, Keep::kAnyIteration);
  }
  BlockPlanes bound;
  for (const Region& region : touched.regions()) bound.Unite(region.bound);
  return bound;
}

// What remains of `region`, which lies somewhere in a block at a known distance, once `written` has
// been: a block of which everything is written that the region may reach in any iteration is gone.
BlockPlanes OutsideOf(const Region& region, const BlockPlanes& written) {
  PlaneSet reached;
  for (const auto& [block, plane] : region.bound.planes()) reached.Unite(plane);
  BlockPlanes remaining;
  for (const auto& [distance, plane] : region.relative.planes()) {
    const auto same = written.planes().find(distance);
    PlaneSet left = reached;
    if (same != written.planes().end()) left.Subtract(same->second);
    if (!left.empty()) remaining.Unite(BlockPlanes(distance, plane));
  }
  return remaining;
}

bool Contains(const std::vector<Predicate>& when, const Predicate& predicate) {
  return std::find(when.begin(), when.end(), predicate) != when.end();
}

Predicate OppositeOf(const Predicate& predicate) {
  const auto comparison = [&] {
    switch (predicate.comparison) {
      case Comparison::kGreaterEqual: return Comparison::kLess;
      case Comparison::kGreater: return Comparison::kLessEqual;
      case Comparison::kLessEqual: return Comparison::kGreater;
      case Comparison::kLess: return Comparison::kGreaterEqual;
      case Comparison::kEqual: return Comparison::kNotEqual;
      case Comparison::kNotEqual: return Comparison::kEqual;
    }
    SPILLWAY_CHECK(false, "a comparison outside its enum");
  }();
  return {predicate.expr, comparison};
}

// Takes out of `region` what `written` overwrites whenever it is executed.
void Overwrite(Region& region, const Region& written) {
  if (written.place.IsConstant()) {
    region.bound.Subtract(written.bound);
  } else if (region.place == written.place) {
    region.relative.Subtract(written.relative);
  } else if (region.place.block == written.place.block && written.place.partition.IsConstant() &&
             written.place.byte.IsConstant()) {
    region.relative = OutsideOf(region, written.relative);
  }
}

}  // namespace

bool Place::IsConstant() const {
  return partition.IsConstant() && byte.IsConstant() &&
         std::all_of(block.begin(), block.end(),
                     [](const AffineExpr& expr) { return expr.IsConstant(); });
}

void RegionSet::Add(const Region& region) {
  if (region.empty()) return;
  for (Region& known : regions_) {
    if (known.place != region.place || known.when != region.when) continue;
    known.relative.Unite(region.relative);
    known.bound.Unite(region.bound);
    return;
  }
  regions_.push_back(region);
}

void RegionSet::Add(const RegionSet& other) {
  for (const Region& region : other.regions_) Add(region);
}

void RegionSet::Kill(const Region& written) {
  std::vector<Region> spared;
  for (Region& region : regions_) {
    std::vector<Predicate> extra;
    std::copy_if(written.when.begin(), written.when.end(), std::back_inserter(extra),
                 [&](const Predicate& predicate) { return !Contains(region.when, predicate); });
    if (extra.empty()) {
      Overwrite(region, written);
      continue;
    }
    if (extra.size() > 1 || region.when.size() >= kMaxPredicates ||
        regions_.size() + spared.size() > kMaxRegions) {
      continue;
    }
    const Predicate otherwise = OppositeOf(extra.front());
    if (Contains(region.when, otherwise)) continue;
    Region outside = region;
    Overwrite(outside, written);
    if (outside.bound == region.bound && outside.relative == region.relative) continue;
    spared.push_back(std::move(region));
    spared.back().when.push_back(otherwise);
    region = std::move(outside);
  }
  std::erase_if(regions_, [](const Region& region) { return region.empty(); });
  for (const Region& region : spared) Add(region);
}

void RegionSet::Kill(const RegionSet& written) {
  for (const Region& region : written.regions()) Kill(region);
}

void RegionSet::RestrictTo(const BlockPlanes& available) {
  for (Region& region : regions_) region.bound.IntersectWith(available);
  std::erase_if(regions_, [](const Region& region) { return region.empty(); });
}

AccessRegion RegionOf(const LinearKernel& linear, PointId point, const Access& access) {
  const Tensor& tensor = linear.kernel.tensors[access.tensor];
  AccessRegion result;
  Region& region = result.region;
  region.when = linear.instruction(point).when;
  if (access.operand == nullptr || access.whole_tensor) {
    region.bound = BlockPlanes::Whole(tensor);
    return result;
  }
  const Operand& operand = *access.operand;
  const Bytes element = ElementSize(OperandDType(linear.kernel, operand));
  std::int64_t stride = BlockCount(tensor);
  for (std::size_t d = 0; d < operand.block.size() && d < tensor.blocks.size(); ++d) {
    stride /= std::max<std::int64_t>(tensor.blocks[d], 1);
    region.place.block.push_back(ScaleAdd(operand.block[d], stride, 0).value());
  }
  region.place.byte = ScaleAdd(operand.free_offset, element.value, 0).value();
  PartitionCount partitions(1);
  if (tensor.space != Space::kDram) {
    region.place.partition = operand.partition_start;
    partitions = PartitionCount(operand.partition_count);
  }
  const Distance start = TakeConstants(region.place);
  const Partition first = Partition(0) + start.partitions;
  const PlaneSet pattern({first, first + partitions},
                         RunsOf(0, operand.free_dims, element, static_cast<std::size_t>(kMaxRuns)));
  const BlockPlanes touched(start.blocks, pattern.Shifted(PartitionCount(0), start.bytes));
  result.is_exact = IsListedExactly(operand.free_dims);
  if (region.place.IsConstant()) {
    region.bound = touched;
  } else {
    region.relative = touched;
    region.bound = BoundOf(linear, point, region, tensor);
  }
  return result;
}

RegionSet CertainlyOver(const Loop& loop, LoopId id, const RegionSet& regions) {
  if (loop.kind == LoopKind::kDynamic || TripCount(loop) == 0) return {};
  return Over(loop, id, regions, Keep::kAllIterations);
}

RegionSet PossiblyOver(const Loop& loop, LoopId id, const RegionSet& regions) {
  return Over(loop, id, regions, Keep::kAnyIteration);
}

RegionSet ExposedOver(const Loop& loop, LoopId id, const RegionSet& reads,
                      const RegionSet& writes) {
  const std::int64_t trips = TripCount(loop);
  if (reads.empty() || writes.empty() || trips > kMaxIterations)
    return PossiblyOver(loop, id, reads);
  RegionSet exposed;
  RegionSet written;
  for (std::int64_t i = 0; i < trips; ++i) {
    const std::int64_t value = loop.begin + i * loop.step;
    RegionSet now;
    for (const Region& region : reads.regions())
      AddIteration(region, id, value, Keep::kAnyIteration, now);
    now.Kill(written);
    exposed.Add(now);
    if (written.regions().size() > kMaxRegions) continue;
    for (const Region& region : writes.regions())
      AddIteration(region, id, value, Keep::kAllIterations, written);
  }
  return exposed;
}

}  // namespace spillway::check
