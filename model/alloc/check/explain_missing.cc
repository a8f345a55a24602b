#include "model/alloc/check/explain_missing.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway::check {
namespace {

bool Meet(const StoreRegion& a, const StoreRegion& b) {
  if (a.store != b.store || !Overlap(a.partitions, b.partitions)) return false;
  return std::any_of(a.runs.begin(), a.runs.end(), [&](const Interval<ByteOffset>& run) {
    return std::any_of(b.runs.begin(), b.runs.end(),
                       [&](const Interval<ByteOffset>& other) { return Overlap(run, other); });
  });
}

bool Meet(const std::vector<StoreRegion>& a, const StoreRegion& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const StoreRegion& region) { return Meet(region, b); });
}

class Explainer {
 public:
  Explainer(const WalkState& state, std::size_t index, const OperandUse& use,
            const ResolvedUse& resolved, const PlaneSet& missing)
      : state_(state),
        index_(index),
        use_(use),
        resolved_(resolved),
        missing_(missing),
        lost_(RegionsOf(missing, resolved.at)) {}

  Violation Explain() {
    const Cause cause = FindCause();
    const PlaneSet::Band& band = missing_.bands().front();
    const Interval<ByteOffset> bytes{band.runs.front().begin, band.runs.front().end};
    Violation violation;
    violation.kind = cause.kind;
    violation.tensors = {Original().name};
    if (index_ < state_.steps.size() && Allocated().name != Original().name)
      violation.tensors.push_back(Allocated().name);
    for (const std::string& other : cause.others) violation.tensors.push_back(other);
    violation.space = Allocated().space;
    violation.range = bytes;
    std::string reader = "the caller";
    if (index_ < state_.steps.size()) {
      const PointId point = state_.steps[index_].code.point;
      violation.time = Interval<PointId>{point, PointId(point.value + 1)};
      reader = fmt::format("{} at point {} ({})", state_.allocated.instruction(point).op,
                           point.value, use_.name);
    }
    violation.text = fmt::format(
        "{}: {} reads bytes [{}, {}) of partitions [{}, {}) of {} in {}, expected its value, "
        "found {}",
        cause.what, reader, bytes.begin.value, bytes.end.value, band.partitions.begin.value,
        band.partitions.end.value, ValueName(resolved_.value), PlaceText(), cause.found);
    return violation;
  }

 private:
  struct Cause {
    Kind kind = Kind::kWrongValue;
    std::string_view what;
    std::string found;
    std::vector<std::string> others;
  };

  const Tensor& Original() const { return state_.values.kernel().tensors[use_.tensor]; }
  const Tensor& Allocated() const {
    return index_ < state_.steps.size() ? state_.allocated.kernel.tensors[use_.stands_for]
                                        : Original();
  }

  std::string ValueName(ValueId value) const {
    const Tensor& tensor = state_.values.kernel().tensors[state_.values.TensorOf(value)];
    if (tensor.blocks.empty()) return tensor.name;
    return fmt::format("{} block {}", tensor.name, state_.values.BlockOf(value));
  }

  std::string PlaceText() const {
    const StoreRegion& first = lost_.front();
    const std::string rows =
        first.linear ? "" : fmt::format("partition {}, ", first.partitions.begin.value);
    return fmt::format("{} ({}{} byte {})", Allocated().name, rows, SpaceName(Allocated().space),
                       first.runs.front().begin.value);
  }

  // What else lies in the lost bytes: a value, with the place that it has as a whole.
  std::optional<ValueId> OtherValue() const {
    std::optional<ValueId> other;
    for (const StoreRegion& region : lost_) {
      state_.held.ForEachIn(region, [&](ValueId value, const Holding& holding) {
        if (!other && !BytesIn(region, holding.at, holding.bytes).empty()) other = value;
      });
      if (other) break;
    }
    return other;
  }

  bool IsStaleIn(const StoreRegion& region) const {
    const std::vector<Holding>& stale = state_.held.StaleOf(resolved_.value);
    return std::any_of(stale.begin(), stale.end(), [&](const Holding& holding) {
      return holding.at.store == region.store &&
             !BytesIn(region, holding.at, holding.bytes).empty();
    });
  }

  bool WritesLost(const ValueStep& step) const {
    if (step.when != nullptr && !Holds(*step.when, state_.loop_values)) return false;
    if (step.code.kind == StepKind::kCopy) {
      const auto to = state_.memory.StartOf(*step.copy->to, state_.loop_values);
      return to && Meet(lost_, state_.memory.RegionOf(*step.copy->to, step.copy->to_pattern, *to));
    }
    if (step.code.kind != StepKind::kOriginal) return false;
    return std::any_of(step.uses.begin(), step.uses.end(), [&](const OperandUse& use) {
      if (!use.is_write || use.whole) return false;
      const auto at = Resolve(use, state_.values, state_.memory, state_.loop_values);
      if (!at) return false;
      const std::vector<StoreRegion> regions = RegionsOf(at->bytes, at->at);
      return std::any_of(regions.begin(), regions.end(),
                         [&](const StoreRegion& region) { return Meet(lost_, region); });
    });
  }

  const ValueStep* LastIn(std::size_t begin, std::size_t end) const {
    for (std::size_t i = end; i-- > begin;) {
      if (WritesLost(state_.steps[i])) return &state_.steps[i];
    }
    return nullptr;
  }

  // The last step that wrote into the lost bytes: before the read in its loop's body, else behind
  // it in an earlier iteration, else outside.
  const ValueStep* LastWriter() const {
    std::size_t end = std::min(index_, state_.steps.size());
    for (std::size_t i = end; i-- > 0;) {
      const CodeStep& code = state_.steps[i].code;
      if (code.kind != StepKind::kLoopBegin || code.other_end <= index_) continue;
      if (const ValueStep* writer = LastIn(i, end)) return writer;
      const Loop& loop = state_.allocated.kernel.loops[code.loop];
      const bool is_first = state_.loop_values[code.loop.value] == loop.begin;
      if (const ValueStep* writer = is_first ? nullptr : LastIn(index_, code.other_end))
        return writer;
      end = i;
    }
    return LastIn(0, end);
  }

  std::string StepText(const ValueStep& step) const {
    return fmt::format("{} at point {}", state_.allocated.instruction(step.code.point).op,
                       step.code.point.value);
  }

  Cause FindCause() const {
    const ValueStep* writer = LastWriter();
    if (writer == nullptr)
      return {Kind::kUninitializedRead, "uninitialized", "bytes that nothing wrote before", {}};
    const std::optional<ValueId> other = OtherValue();
    if (writer->code.kind == StepKind::kCopy) return FromCopy(*writer, other);
    if (other && state_.values.TensorOf(*other) == use_.tensor) {
      return {Kind::kWrongValue,
              "wrong bytes",
              fmt::format("other bytes of {}, written by {}", ValueName(*other), StepText(*writer)),
              {}};
    }
    if (other) return Clobbered(*other, *writer);
    if (std::any_of(lost_.begin(), lost_.end(),
                    [&](const StoreRegion& region) { return IsStaleIn(region); })) {
      return {
          Kind::kWrongValue,
          "stale copy",
          fmt::format("the value of before its last definition, written by {}", StepText(*writer)),
          {}};
    }
    return {Kind::kWrongValue, "clobbered", fmt::format("what {} wrote", StepText(*writer)), {}};
  }

  Cause Clobbered(ValueId other, const ValueStep& writer) const {
    return {Kind::kWrongValue,
            "clobbered",
            fmt::format("{}, written by {}", ValueName(other), StepText(writer)),
            {state_.values.kernel().tensors[state_.values.TensorOf(other)].name}};
  }

  Cause FromCopy(const ValueStep& copy, const std::optional<ValueId>& other) const {
    const std::string source = state_.allocated.kernel.tensors[copy.copy->from->tensor].name;
    const std::string target = state_.allocated.kernel.tensors[copy.copy->to->tensor].name;
    if (copy.copy->to->tensor != use_.stands_for && other && *other != resolved_.value) {
      Cause cause = Clobbered(*other, copy);
      cause.others.push_back(target);
      return cause;
    }
    const auto from = state_.memory.StartOf(*copy.copy->from, state_.loop_values);
    const bool is_stale =
        from && IsStaleIn(state_.memory.RegionOf(*copy.copy->from, copy.copy->from_pattern, *from));
    if (is_stale || std::any_of(lost_.begin(), lost_.end(),
                                [&](const StoreRegion& region) { return IsStaleIn(region); })) {
      return {Kind::kWrongValue,
              "stale reload",
              fmt::format("what {} brought from {} before its last definition was saved there",
                          StepText(copy), source),
              {source}};
    }
    if (other) {
      return {Kind::kWrongValue,
              "wrong bytes",
              fmt::format("bytes of {} that {} brought from {}", ValueName(*other), StepText(copy),
                          source),
              {source}};
    }
    return {Kind::kWrongValue,
            "lost save",
            fmt::format("what {} brought from {}, where its value isn't", StepText(copy), source),
            {source}};
  }

  const WalkState& state_;
  const std::size_t index_;
  const OperandUse& use_;
  const ResolvedUse& resolved_;
  const PlaneSet& missing_;
  const std::vector<StoreRegion> lost_;
};

}  // namespace

Violation ExplainMissing(const WalkState& state, std::size_t index, const OperandUse& use,
                         const ResolvedUse& resolved, const PlaneSet& missing) {
  return Explainer(state, index, use, resolved, missing).Explain();
}

}  // namespace spillway::check
