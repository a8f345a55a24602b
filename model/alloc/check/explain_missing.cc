#include "model/alloc/check/explain_missing.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace spillway::check {
namespace {

// Steps of other iterations that a search for a writer looks at: an explanation has to end.
constexpr std::int64_t kMaxOtherSteps = 1 << 14;

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

  bool WritesLost(const ValueStep& step, std::span<const std::int64_t> loop_values) const {
    if (step.when != nullptr && !Holds(*step.when, loop_values)) return false;
    if (step.code.kind == StepKind::kCopy) {
      const auto to = state_.memory.StartOf(*step.copy->to, loop_values);
      return to && Meet(lost_, state_.memory.RegionOf(*step.copy->to, step.copy->to_pattern, *to));
    }
    if (step.code.kind != StepKind::kOriginal) return false;
    return std::any_of(step.uses.begin(), step.uses.end(), [&](const OperandUse& use) {
      if (!use.is_write || use.whole) return false;
      const auto at = Resolve(use, state_.values, state_.memory, loop_values);
      if (!at) return false;
      const std::vector<StoreRegion> regions = RegionsOf(at->bytes, at->at);
      return std::any_of(regions.begin(), regions.end(),
                         [&](const StoreRegion& region) { return Meet(lost_, region); });
    });
  }

  // The last of the steps that wrote into the lost bytes, with the loops around them at `values`.
  // Loops among the steps are over: all their iterations count, the last one first.
  const ValueStep* LastIn(std::size_t begin, std::size_t end, std::vector<std::int64_t>& values,
                          std::int64_t& other_steps) const {
    for (std::size_t i = end; i-- > begin && other_steps >= 0;) {
      const CodeStep& code = state_.steps[i].code;
      if (code.kind == StepKind::kLoopEnd) {
        const std::int64_t trips = TripCount(state_.allocated.kernel.loops[code.loop]);
        if (const ValueStep* writer =
                LastIn(code.other_end + 1, i, trips, code.loop, values, other_steps))
          return writer;
        i = code.other_end;
        continue;
      }
      if (WritesLost(state_.steps[i], values)) return &state_.steps[i];
    }
    return nullptr;
  }

  // The same for the first `trips` iterations of `loop` around the steps.
  const ValueStep* LastIn(std::size_t begin, std::size_t end, std::int64_t trips, LoopId loop,
                          std::vector<std::int64_t>& values, std::int64_t& other_steps) const {
    const Loop& around = state_.allocated.kernel.loops[loop];
    const std::int64_t value = values[loop.value];
    const ValueStep* writer = nullptr;
    for (std::int64_t trip = trips; trip-- > 0 && writer == nullptr && other_steps >= 0;) {
      other_steps -= static_cast<std::int64_t>(end - begin) + 1;
      values[loop.value] = around.begin + trip * around.step;
      writer = LastIn(begin, end, values, other_steps);
    }
    values[loop.value] = value;
    return writer;
  }

  // The last step that wrote into the lost bytes: before the read in its loop's body, else in an
  // earlier iteration, else outside.
  const ValueStep* LastWriter(std::int64_t& other_steps) const {
    std::vector<std::int64_t> values = state_.loop_values;
    std::size_t end = std::min(index_, state_.steps.size());
    for (std::size_t i = end; i-- > 0;) {
      const CodeStep& code = state_.steps[i].code;
      if (code.kind != StepKind::kLoopBegin || code.other_end <= index_) continue;
      if (const ValueStep* writer = LastIn(i + 1, end, values, other_steps)) return writer;
      const Loop& loop = state_.allocated.kernel.loops[code.loop];
      const std::int64_t trips = (values[code.loop.value] - loop.begin) / loop.step;
      if (const ValueStep* writer =
              LastIn(i + 1, code.other_end, trips, code.loop, values, other_steps))
        return writer;
      end = i;
    }
    return LastIn(0, end, values, other_steps);
  }

  std::string StepText(const ValueStep& step) const {
    return fmt::format("{} at point {}", state_.allocated.instruction(step.code.point).op,
                       step.code.point.value);
  }

  Cause FindCause() const {
    std::int64_t other_steps = kMaxOtherSteps;
    const ValueStep* writer = LastWriter(other_steps);
    const std::optional<ValueId> other = OtherValue();
    if (writer == nullptr && other) return Destroyed(*other, writer);
    if (writer == nullptr && other_steps < 0) {
      return {Kind::kWrongValue,
              "clobbered",
              "what an iteration wrote that is further back than the search goes",
              {}};
    }
    if (writer == nullptr)
      return {Kind::kUninitializedRead, "uninitialized", "bytes that nothing wrote before", {}};
    if (writer->code.kind == StepKind::kCopy) return FromCopy(*writer, other);
    if (other) return Destroyed(*other, writer);
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

  // `other` lies there; `writer` is null where it is further back than the search goes.
  Cause Destroyed(ValueId other, const ValueStep* writer) const {
    const std::string by =
        writer == nullptr ? "" : fmt::format(", written by {}", StepText(*writer));
    const TensorId tensor = state_.values.TensorOf(other);
    if (tensor == use_.tensor) {
      return {Kind::kWrongValue,
              "wrong bytes",
              fmt::format("other bytes of {}{}", ValueName(other), by),
              {}};
    }
    return {Kind::kWrongValue,
            "clobbered",
            ValueName(other) + by,
            {state_.values.kernel().tensors[tensor].name}};
  }

  Cause FromCopy(const ValueStep& copy, const std::optional<ValueId>& other) const {
    const std::string source = state_.allocated.kernel.tensors[copy.copy->from->tensor].name;
    const std::string target = state_.allocated.kernel.tensors[copy.copy->to->tensor].name;
    if (copy.copy->to->tensor != use_.stands_for && other && *other != resolved_.value) {
      Cause cause{Kind::kWrongValue,
                  "clobbered",
                  fmt::format("{}, written by {}", ValueName(*other), StepText(copy)),
                  {state_.values.kernel().tensors[state_.values.TensorOf(*other)].name}};
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
