#include "model/alloc/check/value_walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/check/explain_missing.h"
#include "model/alloc/ir/footprint.h"
#include "model/hw/fault.h"

namespace spillway::check {
namespace {

// Steps that one judgement may take, as many as a run may have: a checker has to end on any input.
constexpr std::int64_t kMaxSteps = 20'000'000;
// A shorter loop runs through before a comparison of states pays.
constexpr std::int64_t kShortLoop = 3;

constexpr TensorId kNoTensor{~std::uint32_t{0}};

// Of a block that starts there.
Location LocationAt(const Start& start) {
  return {start.store, start.linear, start.partition, start.byte, 0};
}

}  // namespace

ValueWalk::ValueWalk(const Kernel& original, const LinearKernel& allocated,
                     const Placement& placement, const std::vector<CodeStep>& steps)
    : original_(original),
      allocated_(allocated),
      values_(original),
      memory_(allocated.kernel, placement),
      steps_(ResolveSteps(steps, values_, allocated)),
      held_(values_.wholes()),
      loop_values_(allocated.kernel.loops.size(), 0),
      stands_for_(original.tensors.size(), kNoTensor),
      budget_(kMaxSteps),
      result_{"dataflow", 0, {}} {
  std::unordered_map<std::string_view, TensorId> by_name;
  for (std::size_t t = 0; t < allocated.kernel.tensors.size(); ++t) {
    by_name.emplace(allocated.kernel.tensors[TensorId(t)].name, TensorId(t));
  }
  for (std::size_t t = 0; t < original.tensors.size(); ++t) {
    const auto found = by_name.find(original.tensors[TensorId(t)].name);
    if (found != by_name.end()) stands_for_[t] = found->second;
  }
  for (ValueStep& step : steps_) {
    for (OperandUse& use : step.uses) {
      result_.checked += use.is_write ? 0 : 1;
      if (!use.whole && !DependsOnLoops(*use.original) && !DependsOnLoops(*use.allocated))
        use.constant = Resolve(use, values_, memory_, loop_values_);
    }
  }
}

CheckResult ValueWalk::Run() {
  for (std::size_t t = 0; t < allocated_.kernel.tensors.size(); ++t) {
    if (memory_.HasPlace(TensorId(t)) || allocated_.accesses_of[TensorId(t)].empty()) continue;
    const Tensor& tensor = allocated_.kernel.tensors[TensorId(t)];
    result_.violations.push_back(
        {Kind::kUnknownName,
         {tensor.name},
         tensor.space,
         std::nullopt,
         std::nullopt,
         fmt::format("unplaced: {} is used and has no place", tensor.name)});
  }
  if (!result_.violations.empty()) return std::move(result_);
  // What the caller left on the chip.
  for (ValueId value = 0; value < held_.size(); ++value) {
    const TensorId tensor = values_.TensorOf(value);
    const Role role = original_.tensors[tensor].role;
    if ((role != Role::kInput && role != Role::kConstant) || stands_for_[tensor.value] == kNoTensor)
      continue;
    if (const auto start = memory_.BlockStart(stands_for_[tensor.value], values_.BlockOf(value)))
      held_.Define(value, values_.Whole(value), LocationAt(*start));
  }
  RunSteps(0, steps_.size());
  CheckOutputs();
  if (budget_ < 0) {
    result_.violations.push_back(
        {Kind::kLimit,
         {},
         std::nullopt,
         std::nullopt,
         std::nullopt,
         fmt::format("not proven: more than {} steps to follow", kMaxSteps)});
  }
  return std::move(result_);
}

void ValueWalk::RunSteps(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end && budget_ >= 0; ++i) {
    const ValueStep& step = steps_[i];
    --budget_;
    if (step.code.kind == StepKind::kLoopBegin) {
      RunLoop(i);
      i = step.code.other_end;
      continue;
    }
    if (step.code.kind == StepKind::kLoopEnd) continue;
    if (!step.when->empty() && !Holds(*step.when, loop_values_)) continue;
    if (step.code.kind == StepKind::kOriginal) {
      RunOriginal(i);
    } else if (step.code.kind == StepKind::kCopy) {
      RunCopy(step);
    } else {
      Alias(step, true);
    }
  }
}

void ValueWalk::RunLoop(std::size_t begin) {
  const ValueStep& step = steps_[begin];
  const Loop& loop = allocated_.kernel.loops[step.code.loop];
  const auto& [period, turns] = step.pattern;
  const std::int64_t trips =
      SPILLWAY_FAULT(E2, TripCount(loop), std::min<std::int64_t>(TripCount(loop), 1));
  const bool is_dynamic = loop.kind == LoopKind::kDynamic;
  const bool may_settle = period > 0 && trips > std::max(kShortLoop, 2 * period);
  std::optional<HeldValues> after;  // whatever the number of iterations
  if (is_dynamic) after = held_;
  std::optional<HeldValues> before;  // iteration `since`
  std::int64_t since = 0;
  for (std::int64_t i = 0; i < trips && budget_ >= 0; ++i) {
    const auto turn = std::lower_bound(turns.begin(), turns.end(), i);
    if (may_settle && (!before || i == since + period || (turn != turns.end() && *turn == i))) {
      // A whole period that changed nothing changes nothing again, up to the next turn.
      const bool settled = before && i == since + period && *before == held_;
      const std::int64_t next = turn == turns.end() ? trips : std::min(*turn, trips);
      if (settled && next > i) i += (next - i) / period * period;
      if (!settled) before = held_;
      since = i;
      if (i == trips) break;
    }
    loop_values_[step.code.loop.value] = loop.begin + i * loop.step;
    RunSteps(begin + 1, step.code.other_end);
    if (is_dynamic) after->MeetWith(held_);
  }
  if (is_dynamic) held_ = std::move(*after);
}

template <class Take>
void ValueWalk::ForEachResolved(const OperandUse& use, Take take) {
  if (use.constant) return take(*use.constant);
  if (!use.whole) {
    if (const auto resolved = Resolve(use, values_, memory_, loop_values_)) take(*resolved);
    return;
  }
  const std::int64_t blocks = BlockCount(original_.tensors[use.tensor]);
  for (std::int64_t block = 0; block < blocks; ++block) {
    const ValueId value = values_.ValueOf(use.tensor, block);
    // A block that isn't there is read from nowhere.
    const Start start = memory_.BlockStart(use.stands_for, block).value_or(Start{~StoreId{0}});
    ResolvedUse whole{value, values_.Whole(value), LocationAt(start), {}};
    if (use.is_write) whole.regions = RegionsOf(whole.bytes, whole.at);
    take(whole);
  }
}

void ValueWalk::RunOriginal(std::size_t index) {
  ValueStep& step = steps_[index];
  for (OperandUse& use : step.uses) {
    if (!use.is_write) Read(index, use);
  }
  for (const OperandUse& use : step.uses) {
    if (use.is_write) Write(use);
  }
  if (step.copy) Alias(step, false);
}

void ValueWalk::Read(std::size_t index, OperandUse& use) {
  ForEachResolved(use, [&](const ResolvedUse& resolved) {
    const PlaneSet missing = held_.MissingAt(resolved.value, resolved.bytes, resolved.at);
    if (!missing.empty() && !use.is_reported) Report(index, use, resolved, missing);
  });
}

void ValueWalk::Write(const OperandUse& use) {
  ForEachResolved(use, [&](const ResolvedUse& resolved) {
    for (const StoreRegion& region : resolved.regions) {
      held_.Overwrite(region, resolved.value, resolved.at);
    }
    if (use.is_exact) {
      held_.Define(resolved.value, resolved.bytes, resolved.at);
    } else {
      held_.MayDefine(resolved.value, resolved.bytes, resolved.at);
    }
  });
}

void ValueWalk::RunCopy(const ValueStep& step) {
  const std::optional<Start> from = memory_.StartOf(*step.copy->from, loop_values_);
  const std::optional<Start> to = memory_.StartOf(*step.copy->to, loop_values_);
  if (!to) return;
  struct Arrival {
    ValueId value = 0;
    PlaneSet bytes;    // that certainly arrive as they are
    PlaneSet written;  // all that the copy writes at that place
    Location at;
  };
  std::vector<Arrival> arrivals;
  bool moves_as_one = true;
  if (from && step.copy->dims) {
    const StoreRegion source = memory_.RegionOf(*step.copy->from, step.copy->from_pattern, *from);
    held_.ForEachIn(source, [&](ValueId value, const Holding& holding) {
      std::vector<Holding> parts =
          CopiedBytes(*step.copy->dims, *from, *to, holding, values_.RowBytes(value));
      moves_as_one = moves_as_one && parts.size() == 1;
      for (Holding& copied : parts) {
        Arrival arrival{value, copied.bytes, std::move(copied.bytes), copied.at};
        arrival.bytes.IntersectWith(holding.bytes);
        if (!arrival.bytes.empty()) arrivals.push_back(std::move(arrival));
      }
    });
  }
  const StoreRegion target = memory_.RegionOf(*step.copy->to, step.copy->to_pattern, *to);
  if (arrivals.size() == 1 && moves_as_one) {
    // The usual case, and the quicker one: at its new place, the value's own bytes are known.
    held_.Drop(arrivals[0].value, arrivals[0].written, arrivals[0].at);
    held_.Overwrite(target, arrivals[0].value, arrivals[0].at);
  } else {
    held_.Overwrite(target, ~ValueId{0}, {});
  }
  for (const Arrival& arrival : arrivals) held_.Hold(arrival.value, arrival.bytes, arrival.at);
}

std::optional<Start> ValueWalk::CallersStart(const Operand& operand) const {
  const TensorId tensor = stands_for_[operand.tensor.value];
  if (tensor == kNoTensor) return std::nullopt;
  Operand theirs = operand;
  theirs.tensor = tensor;
  return memory_.StartOf(theirs, loop_values_);
}

void ValueWalk::Alias(const ValueStep& step, bool define) {
  const Operand& from = *step.copy->from;
  const Operand& to = *step.copy->to;
  const Touched touched = TouchedBy(original_, to, step.copy->to_pattern, loop_values_);
  const ValueId value = values_.ValueOf(to.tensor, touched.block);
  const PlaneSet& to_bytes = touched.bytes;
  // Where the destination's bytes are, as a block lies in itself.
  Start in_block{
      kFirstTensorStore, values_.RowBytes(value) == 0, 0,
      Evaluate(to.free_offset, loop_values_) * ElementSize(OperandDType(original_, to)).value};
  if (!in_block.linear) in_block.partition = Evaluate(to.partition_start, loop_values_);
  const Holding itself{{kFirstTensorStore, in_block.linear, 0, 0, 0}, {}};
  std::vector<Holding> places;
  const auto add = [&](std::vector<CopyDim> dims, const Start& lies) {
    for (CopyDim& dim : dims) std::swap(dim.from, dim.to);
    for (Holding& place : CopiedBytes(dims, in_block, lies, itself, values_.RowBytes(value))) {
      places.push_back(std::move(place));
    }
  };
  if (step.copy->dims && !values_.IsFollowed(from.tensor)) {
    if (const std::optional<Start> start = CallersStart(from)) add(*step.copy->dims, *start);
  } else if (step.copy->dims) {
    const Touched source = TouchedBy(original_, from, step.copy->from_pattern, loop_values_);
    const ValueId source_value = values_.ValueOf(from.tensor, source.block);
    const std::int64_t first_partition =
        source.bytes.empty() ? 0 : source.bytes.bands().front().partitions.begin.value;
    const std::int64_t first_byte =
        Evaluate(from.free_offset, loop_values_) * ElementSize(OperandDType(original_, from)).value;
    for (const Holding& holding : held_.HoldingsOf(source_value)) {
      if (!held_.MissingAt(source_value, source.bytes, holding.at).empty()) continue;
      std::vector<CopyDim> dims = *step.copy->dims;
      for (CopyDim& dim : dims) {
        if (!holding.at.linear) continue;
        dim.from = {0, dim.from.partitions * holding.at.stride + dim.from.bytes};
      }
      add(std::move(dims), PlaceIn(holding.at, first_partition, first_byte));
    }
  }
  if (define) held_.DefineNowhere(value, to_bytes);
  for (const Holding& place : places) held_.Hold(value, place.bytes, place.at);
}

void ValueWalk::CheckOutputs() {
  for (ValueId value = 0; value < held_.size() && budget_ >= 0; ++value) {
    const TensorId tensor = values_.TensorOf(value);
    if (original_.tensors[tensor].role != Role::kOutput) continue;
    OperandUse use;
    use.tensor = tensor;
    use.stands_for = stands_for_[tensor.value];
    use.name = "output";
    std::optional<Start> start;
    if (use.stands_for != kNoTensor)
      start = memory_.BlockStart(use.stands_for, values_.BlockOf(value));
    ResolvedUse resolved{value, values_.Whole(value), {}, {}};
    if (start) resolved.at = LocationAt(*start);
    const PlaneSet missing = held_.MissingAt(value, resolved.bytes, resolved.at);
    if (!missing.empty()) Report(steps_.size(), use, resolved, missing);
  }
}

void ValueWalk::Report(std::size_t step, OperandUse& use, const ResolvedUse& resolved,
                       const PlaneSet& missing) {
  use.is_reported = true;
  result_.violations.push_back(ExplainMissing(
      {values_, memory_, allocated_, steps_, held_, loop_values_}, step, use, resolved, missing));
}

}  // namespace spillway::check
