#include "model/alloc/ir/exposure.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "model/alloc/ir/footprint.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

constexpr std::size_t kMaxRuns = 256;

using Runs = std::vector<Interval<ByteOffset>>;

void MergeInto(Runs& runs, const Runs& more) {
  runs.insert(runs.end(), more.begin(), more.end());
  std::sort(runs.begin(), runs.end());
  std::size_t kept = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].begin <= runs[kept].end) {
      runs[kept].end = std::max(runs[kept].end, runs[i].end);
    } else {
      runs[++kept] = runs[i];
    }
  }
  if (!runs.empty()) runs.resize(kept + 1);
}

bool CoversRuns(const Runs& runs, const Runs& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const Interval<ByteOffset>& want) {
    auto after =
        std::upper_bound(runs.begin(), runs.end(), want.begin,
                         [](ByteOffset b, const Interval<ByteOffset>& r) { return b < r.begin; });
    return after != runs.begin() && std::prev(after)->Covers(want);
  });
}

// Predicates depend on open loops alone, so equal ones agree within an iteration.
bool HoldsWhenever(const std::vector<Predicate>& when, const std::vector<Predicate>& stronger) {
  return std::all_of(when.begin(), when.end(), [&](const Predicate& p) {
    return std::find(stronger.begin(), stronger.end(), p) != stronger.end();
  });
}

// Whether `known` counts bytes from the same place as `region`, and is there whenever that is.
bool SamePlace(const SymbolicRegion& known, const SymbolicRegion& region) {
  return known.block == region.block && known.offset == region.offset &&
         HoldsWhenever(known.when, region.when);
}

bool HoldsPartitionsOf(const SymbolicRegion& outer, const SymbolicRegion& inner) {
  if (outer.partition_start == inner.partition_start)
    return outer.partition_count >= inner.partition_count;
  if (!outer.partition_start.IsConstant() || !inner.partition_start.IsConstant()) return false;
  return outer.partition_start.constant <= inner.partition_start.constant &&
         inner.partition_start.constant + inner.partition_count <=
             outer.partition_start.constant + outer.partition_count;
}

Runs Without(const Runs& runs, const Runs& removed) {
  Runs left;
  for (Interval<ByteOffset> run : runs) {
    for (const Interval<ByteOffset>& hole : removed) {
      if (!Overlap(run, hole)) continue;
      if (run.begin < hole.begin) left.push_back({run.begin, hole.begin});
      run.begin = std::min(hole.end, run.end);
    }
    if (!run.empty()) left.push_back(run);
  }
  return left;
}

bool MentionsLoop(const AffineExpr& expr, LoopId loop) {
  return std::any_of(expr.terms.begin(), expr.terms.end(),
                     [&](const AffineTerm& term) { return term.loop == loop; });
}

// The union of `region` over all iterations of `loop`, if it has a closed form: the loop's term
// of an unreduced offset becomes one more dimension of the pattern.
bool WidenOver(const Loop& loop, LoopId id, SymbolicRegion& region) {
  const bool may_not_run =
      SPILLWAY_FAULT(A16, loop.kind == LoopKind::kDynamic || TripCount(loop) == 0, false);
  if (may_not_run) return false;
  const auto mentions = [&](const AffineExpr& expr) { return MentionsLoop(expr, id); };
  if (std::any_of(region.block.begin(), region.block.end(), mentions)) return false;
  if (std::any_of(region.when.begin(), region.when.end(),
                  [&](const Predicate& predicate) { return mentions(predicate.expr); })) {
    return false;
  }
  if (mentions(region.partition_start)) return false;
  if (!mentions(region.offset)) return true;
  if (region.offset.modulus != 0) return false;
  std::int64_t coefficient = 0;
  for (const AffineTerm& term : region.offset.terms) {
    if (term.loop == id) coefficient = term.coefficient;
  }
  std::erase_if(region.offset.terms, [&](const AffineTerm& term) { return term.loop == id; });
  if (static_cast<std::size_t>(TripCount(loop)) * region.runs.size() > kMaxRuns) return false;
  Runs all;
  for (std::int64_t i = 0; i < TripCount(loop); ++i) {
    const Bytes shift(coefficient * (loop.begin + i * loop.step));
    Runs shifted = region.runs;
    for (Interval<ByteOffset>& run : shifted) run = {run.begin + shift, run.end + shift};
    all.insert(all.end(), shifted.begin(), shifted.end());
  }
  region.runs.clear();
  MergeInto(region.runs, all);
  return true;
}

// Loops around `point` that lie inside `level`, outermost first.
std::vector<LoopId> InnerNest(const LinearKernel& linear, PointId point,
                              std::optional<LoopId> level) {
  std::vector<LoopId> nest;
  for (std::optional<LoopId> loop = linear.loop_of[point]; loop && loop != level;
       loop = linear.kernel.loops[*loop].parent) {
    nest.insert(nest.begin(), *loop);
  }
  return nest;
}

}  // namespace

SymbolicRegion RegionOf(const Kernel& kernel, const Instruction& instruction,
                        const Access& access) {
  SymbolicRegion region;
  region.when = SPILLWAY_FAULT(A8, instruction.when,
                               access.is_write ? std::vector<Predicate>() : instruction.when);
  if (access.operand == nullptr || access.whole_tensor) {
    region.whole_tensor = true;
    return region;
  }
  const Operand& operand = *access.operand;
  const Tensor& tensor = kernel.tensors[access.tensor];
  const Bytes element = ElementSize(OperandDType(kernel, operand));
  region.block = operand.block;
  region.partition_start = operand.partition_start;
  // DRAM is one row, so that the rules for partitions hold there too.
  region.block_partitions = tensor.space == Space::kDram ? 1 : Partitions(tensor).value;
  region.partition_count = tensor.space == Space::kDram ? 1 : operand.partition_count;
  region.block_bytes = BlockBytes(tensor);
  if (IsHullOnly(operand.free_dims, kMaxRuns)) {
    // Repetitions touch nothing more.
    std::copy_if(operand.free_dims.begin(), operand.free_dims.end(),
                 std::back_inserter(region.hull_of),
                 [](const FreeDim& dim) { return dim.step != 0 && dim.count != 1; });
  }
  region.runs = RunsOf(0, operand.free_dims, element, kMaxRuns);
  region.offset =
      ScaleAdd(operand.free_offset, element.value, AffineExpr(0)).value_or(operand.free_offset);
  if (region.offset.modulus == 0) {
    const Bytes shift(region.offset.constant);
    for (Interval<ByteOffset>& run : region.runs) run = {run.begin + shift, run.end + shift};
    region.offset.constant = 0;
  }
  if (SPILLWAY_FAULT(A9, false, access.is_write)) {
    region.hull_of.clear();
    region.partition_start = 0;
    region.partition_count = region.block_partitions;
    region.offset = 0;
    region.runs = {{ByteOffset(0), ByteOffset(0) + region.block_bytes}};
  }
  return region;
}

void CoveredRegions::Add(SymbolicRegion region) {
  if (!region.hull_of.empty()) {
    hulls_.push_back(std::move(region));
    return;
  }
  for (SymbolicRegion& known : regions_) {
    if (SamePlace(known, region) && known.when == region.when &&
        known.partition_start == region.partition_start &&
        known.partition_count == region.partition_count) {
      MergeInto(known.runs, region.runs);
      return;
    }
  }
  regions_.push_back(std::move(region));
}

bool CoveredRegions::Covers(const SymbolicRegion& region) const {
  if (region.whole_tensor) return false;
  if (CoversPlace(region)) return true;
  const bool same_pattern =
      std::any_of(hulls_.begin(), hulls_.end(), [&](const SymbolicRegion& known) {
        return known.hull_of == region.hull_of && known.runs == region.runs &&
               SamePlace(known, region) && HoldsPartitionsOf(known, region);
      });
  if (same_pattern) return true;
  if (region.partition_start.IsConstant() && region.offset.IsConstant()) return false;
  SymbolicRegion anywhere = region;
  anywhere.partition_start = 0;
  anywhere.partition_count = region.block_partitions;
  anywhere.offset = 0;
  anywhere.runs = {{ByteOffset(0), ByteOffset(0) + region.block_bytes}};
  return CoversPlace(anywhere);
}

bool CoveredRegions::CoversPlace(const SymbolicRegion& region) const {
  // With constant partitions, every stretch of partitions between the known regions' edges must be
  // covered; otherwise one region with the same start expression has to do.
  std::set<std::int64_t> edges;
  for (const SymbolicRegion& known : regions_) {
    if (!SamePlace(known, region)) continue;
    if (known.partition_start == region.partition_start &&
        known.partition_count >= region.partition_count && CoversRuns(known.runs, region.runs)) {
      return true;
    }
    if (!known.partition_start.IsConstant()) continue;
    edges.insert(known.partition_start.constant);
    edges.insert(known.partition_start.constant + known.partition_count);
  }
  if (edges.empty() || !region.partition_start.IsConstant()) return false;
  const std::int64_t begin = region.partition_start.constant;
  const std::int64_t end = begin + region.partition_count;
  for (std::int64_t from = begin; from < end;) {
    const auto next = edges.upper_bound(from);
    const std::int64_t to = next == edges.end() ? end : std::min(*next, end);
    Runs runs;
    for (const SymbolicRegion& known : regions_) {
      if (SamePlace(known, region) && known.partition_start.IsConstant() &&
          known.partition_start.constant <= from &&
          from < known.partition_start.constant + known.partition_count) {
        MergeInto(runs, known.runs);
      }
    }
    if (!CoversRuns(runs, region.runs)) return false;
    from = to;
  }
  return true;
}

SymbolicRegion CoveredRegions::Remaining(SymbolicRegion region) const {
  if (region.whole_tensor) return region;
  for (const SymbolicRegion& known : regions_) {
    if (!SamePlace(known, region) || !HoldsPartitionsOf(known, region)) continue;
    region.runs = Without(region.runs, known.runs);
  }
  return region;
}

Exposure ExposureOf(const LinearKernel& linear, std::span<const PointAccess> accesses,
                    std::optional<LoopId> level) {
  // One set of covered regions per open loop: what a loop wrote is handed out, widened, when the
  // walk leaves it.
  struct Frame {
    std::optional<LoopId> loop;
    CoveredRegions covered;
  };
  Exposure result;
  std::vector<Frame> frames(1);
  const auto close_one = [&] {
    const Frame inner = std::move(frames.back());
    frames.pop_back();
    for (SymbolicRegion region : inner.covered.regions()) {
      if (WidenOver(linear.kernel.loops[*inner.loop], *inner.loop, region)) {
        frames.back().covered.Add(std::move(region));
      }
    }
  };
  for (const PointAccess& point_access : accesses) {
    const std::vector<LoopId> nest = InnerNest(linear, point_access.point, level);
    std::size_t shared = 0;
    while (shared < nest.size() && shared + 1 < frames.size() &&
           frames[shared + 1].loop == nest[shared])
      ++shared;
    while (frames.size() > shared + 1) close_one();
    while (frames.size() < nest.size() + 1) frames.push_back({nest[frames.size() - 1], {}});

    const Access& access = linear.accesses[point_access.point][point_access.access];
    SymbolicRegion region = RegionOf(linear.kernel, linear.instruction(point_access.point), access);
    if (access.is_write) {
      if (!region.whole_tensor) frames.back().covered.Add(std::move(region));
      continue;
    }
    const bool covered = std::any_of(frames.begin(), frames.end(), [&](const Frame& frame) {
      return frame.covered.Covers(region);
    });
    const bool is_hidden = SPILLWAY_FAULT(
        A7, false,
        IsReadModifyWrite(linear.instruction(point_access.point)) && access.name == "dst");
    if (!covered && !is_hidden) result.exposed.push_back(std::move(region));
  }
  while (frames.size() > 1) close_one();
  result.covered = std::move(frames.front().covered);
  return result;
}

}  // namespace spillway
