#include "model/alloc/check/equation_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/alloc/ir/footprint.h"
#include "model/hw/error.h"

namespace spillway::check::backward {
namespace {

// Rolled kernels repeat long before; a checker has to end on any input.
constexpr std::int64_t kMaxSteps = 4'000'000;

PlaneSet WholeBlock(const Tensor& tensor) {
  const PartitionCount rows(tensor.space == Space::kDram ? 1 : Partitions(tensor).value);
  return PlaneSet({Partition(0), Partition(0) + rows},
                  {{ByteOffset(0), ByteOffset(0) + BlockBytes(tensor)}});
}

bool IsInput(const Tensor& tensor) {
  return tensor.role == Role::kInput || tensor.role == Role::kConstant;
}

}  // namespace

Walk::Walk(const Kernel& original, const LinearKernel& allocated, const Placement& placement,
           const Matching& matching)
    : original_(original),
      allocated_(allocated),
      placement_(placement),
      matching_(matching),
      loops_(original, matching),
      loop_values_(original.loops.size(), 0) {
  result_.name = "equations";
}

CheckResult Walk::Run() {
  EquationSet set = AtEnd();
  Back(0, matching_.steps.size(), set);
  if (steps_ <= kMaxSteps) {
    CheckStart(set);
    return std::move(result_);
  }
  result_.violations.push_back({Kind::kLimit,
                                {},
                                std::nullopt,
                                std::nullopt,
                                std::nullopt,
                                fmt::format("not proven: more than {} steps to walk", kMaxSteps)});
  return std::move(result_);
}

EquationSet Walk::AtEnd() const {
  EquationSet set;
  for (std::size_t t = 0; t < original_.tensors.size(); ++t) {
    const TensorId id(t);
    const Tensor& tensor = original_.tensors[id];
    if (tensor.role != Role::kOutput || matching_.is_apart[id] || !matching_.namesake[id]) continue;
    for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
      set.Add(
          {id, block, {WholeBlock(tensor), OwnSite(id, block)}, PointId(allocated_.point_count())});
    }
  }
  return set;
}

void Walk::Back(std::size_t begin, std::size_t end, EquationSet& set) {
  for (std::size_t i = end; i-- > begin && steps_ <= kMaxSteps;) {
    const Step& step = matching_.steps[i];
    ++steps_;
    if (step.kind == StepKind::kLoopEnd) {
      BackThroughLoop(step.partner, i, set);
      i = step.partner;
      continue;
    }
    if (!Holds(*step.when, loop_values_)) continue;
    switch (step.kind) {
      case StepKind::kBoth: BackThroughBoth(step, set); break;
      case StepKind::kInserted: BackThroughCopy(step, set); break;
      default: BackThroughRemoved(step, set); break;
    }
    set.DropEmpty();
  }
}

void Walk::BackThroughLoop(std::size_t begin, std::size_t end, EquationSet& set) {
  const LoopId id = matching_.steps[begin].loop;
  const Loop& loop = original_.loops[id];
  const std::int64_t trips = TripCount(loop);
  const bool may_end = loop.kind == LoopKind::kDynamic;
  const EquationSet after = may_end ? set : EquationSet();
  const std::optional<std::int64_t> period = loops_.PeriodOf(id);
  const bool may_skip = period && trips > *period + 1;
  std::optional<EquationSet> later;  // what iteration `since` asked for
  std::int64_t since = 0;
  for (std::int64_t k = trips; k-- > 0 && steps_ <= kMaxSteps;) {
    if (may_end) set.Add(after);
    loop_values_[id.value] = loop.begin + k * loop.step;
    Back(begin + 1, end, set);
    if (!may_skip || (later && k != since - *period)) continue;
    set.Sort();
    if (later && set == *later) {
      // From here on every iteration asks what the one a period later did, as long as the
      // predicates are the same.
      const std::int64_t first = loops_.FirstLike(id, k, *period, loop_values_);
      k -= (k - first) / *period * *period;
    } else {
      later = set;
    }
    since = k;
  }
  if (may_end) set.Add(after);
}

void Walk::BackThroughBoth(const Step& step, EquationSet& set) {
  for (auto touch = step.touches.rbegin(); touch != step.touches.rend(); ++touch) {
    if (!touch->is_write) continue;
    for (const Touched& what : TouchedBy(*touch)) Define(step, *touch, what, set);
  }
  for (const Touch& touch : step.touches) {
    if (touch.is_write || matching_.is_apart[touch.original]) continue;
    for (Touched& what : TouchedBy(touch)) {
      Add({touch.original, what.block, std::move(what.sited), step.point}, set);
    }
  }
}

std::vector<Walk::Touched> Walk::TouchedBy(const Touch& touch) const {
  const Tensor& tensor = original_.tensors[touch.original];
  const Tensor& twin = allocated_.kernel.tensors[touch.allocated];
  const auto site = [&](std::int64_t block) {
    return SiteOf(allocated_.kernel, placement_, touch.allocated, block);
  };
  const bool any_block = touch.original_operand == nullptr || touch.pattern.empty();
  if (any_block && BlockCount(tensor) == BlockCount(twin)) {
    std::vector<Touched> all;
    for (std::int64_t b = 0; b < BlockCount(tensor); ++b) {
      all.push_back({b, {WholeBlock(tensor), site(b)}});
    }
    return all;
  }
  SPILLWAY_CHECK(touch.original_operand != nullptr, "offsets keep their tensor");
  const std::int64_t block = BlockIndex(tensor, *touch.original_operand, loop_values_);
  const Site where = site(BlockIndex(twin, *touch.allocated_operand, loop_values_));
  if (any_block) return {{block, {WholeBlock(tensor), where}}};
  if (!touch.moves) return {{block, {touch.pattern, where}}};
  const Operand& operand = *touch.original_operand;
  const Bytes element = ElementSize(OperandDType(original_, operand));
  const PartitionCount down(
      tensor.space == Space::kDram ? 0 : Evaluate(operand.partition_start, loop_values_));
  const Bytes right = element * Evaluate(operand.free_offset, loop_values_);
  return {{block, {touch.pattern.Shifted(down, right), where}}};
}

void Walk::BackThroughCopy(const Step& step, EquationSet& set) {
  std::vector<Equation> moved;
  for (const Move& move : MovesOfCopy(*step.copy)) {
    for (Equation& equation : set.equations()) {
      SitedBytes shared{SharedBytes(equation.sited, {move.bytes, move.to}), equation.sited.site};
      if (shared.bytes.empty()) continue;
      equation.sited.bytes.Subtract(shared.bytes);
      for (SitedBytes& before : BeforeMove(shared, move)) {
        moved.push_back({equation.tensor, equation.block, std::move(before), equation.use});
      }
    }
  }
  for (Equation& equation : moved) Add(std::move(equation), set);
}

void Walk::BackThroughRemoved(const Step& step, EquationSet& set) {
  const Operand& target = *step.load->to;
  const std::int64_t block = BlockIndex(original_.tensors[target.tensor], target, loop_values_);
  PlaneSet written;
  for (const Move& move : MovesOfLoad(*step.load)) written.Unite(move.bytes);
  std::vector<Equation> renewed;
  for (Equation& equation : set.equations()) {
    if (equation.tensor != target.tensor || equation.block != block) continue;
    Equation defined = equation;
    defined.sited.bytes.IntersectWith(written);
    if (defined.sited.bytes.empty()) continue;
    equation.sited.bytes.Subtract(written);
    if (equation.sited.site.form == Site::Form::kLost) {
      Complain(Fault::kOverwritten, defined, step.point);
      continue;
    }
    ++result_.checked;
    for (Equation& other : OfSource(defined, *step.load)) renewed.push_back(std::move(other));
  }
  for (Equation& equation : renewed) Add(std::move(equation), set);
}

void Walk::CheckStart(const EquationSet& set) {
  for (const Equation& equation : set.equations()) {
    // What nothing has defined may be anything.
    if (!IsInput(original_.tensors[equation.tensor])) continue;
    const Site own = OwnSite(equation.tensor, equation.block);
    if (SamePlaces(equation.sited.bytes, equation.sited.site, own)) continue;
    const bool is_lost = equation.sited.site.form == Site::Form::kLost;
    Complain(is_lost ? Fault::kOverwritten : Fault::kNeverThere, equation, PointId(0));
  }
}

}  // namespace spillway::check::backward
