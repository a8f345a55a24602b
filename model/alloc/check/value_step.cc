#include "model/alloc/check/value_step.h"

#include <algorithm>

#include "model/alloc/ir/footprint.h"

namespace spillway::check {
namespace {

void AddOperand(const Operand* operand, LoopId id, const Loop& loop, LoopPattern& pattern) {
  if (operand == nullptr) return;
  pattern.AddIndex(operand->partition_start, id, loop);
  pattern.AddIndex(operand->free_offset, id, loop);
  for (const AffineExpr& index : operand->block) pattern.AddIndex(index, id, loop);
}

void AddStep(const ValueStep& step, LoopId id, const Loop& loop, LoopPattern& pattern) {
  for (const Predicate& predicate : *step.when) pattern.AddPredicate(predicate, id, loop);
  if (step.copy) {
    AddOperand(step.copy->from, id, loop, pattern);
    AddOperand(step.copy->to, id, loop, pattern);
  }
  for (const OperandUse& use : step.uses) {
    AddOperand(use.original, id, loop, pattern);
    AddOperand(use.allocated, id, loop, pattern);
  }
}

// Both instructions have the same operands in the same groups.
void AddUses(ValueStep& step, const ProgramValues& values, const Instruction& theirs,
             const std::vector<Access>& mine) {
  const std::vector<Access> accesses = AccessesOf(theirs);
  SPILLWAY_CHECK(accesses.size() == mine.size(), "matched instructions have the same operands");
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Access& access = accesses[i];
    if (!values.IsFollowed(access.tensor)) continue;
    OperandUse use;
    use.original = access.operand;
    use.allocated = mine[i].operand;
    use.tensor = access.tensor;
    use.stands_for = mine[i].tensor;
    use.name = access.name;
    use.is_write = access.is_write;
    use.whole = access.whole_tensor || access.operand == nullptr;
    if (!use.whole) use.pattern = PatternOf(values.kernel(), *access.operand);
    use.is_exact = !use.whole && !IsHullOnly(access.operand->free_dims, kMaxPatternRuns);
    step.uses.push_back(std::move(use));
  }
}

// Whether the pattern visits a byte twice: then the last element that arrives stays.
bool OverlapsItself(const Kernel& kernel, const Operand& operand, const Runs& pattern) {
  std::int64_t bytes = ElementSize(OperandDType(kernel, operand)).value;
  for (const FreeDim& dim : operand.free_dims) bytes *= dim.count;
  for (const Interval<ByteOffset>& run : pattern) bytes -= (run.end - run.begin).value;
  return bytes != 0;
}

CopyUse CopyOf(const Kernel& kernel, const Instruction& instruction) {
  CopyUse copy;
  copy.from = &instruction.inputs[0].operands[0];
  copy.to = &instruction.outputs[0].operands[0];
  copy.from_pattern = PatternOf(kernel, *copy.from);
  copy.to_pattern = PatternOf(kernel, *copy.to);
  if (!OverlapsItself(kernel, *copy.to, copy.to_pattern))
    copy.dims = CopyDimsOf(kernel, *copy.from, *copy.to);
  return copy;
}

bool IsCallers(const Tensor& tensor) {
  return tensor.space == Space::kDram && tensor.role != Role::kInternal;
}

// Whether a copy that the allocator put in reads memory that nobody writes: then it may repeat a
// load of the program's.
bool RepeatsLoads(const std::vector<CodeStep>& steps, const Kernel& allocated) {
  return std::any_of(steps.begin(), steps.end(), [&](const CodeStep& step) {
    if (step.kind != StepKind::kCopy) return false;
    const Operand& from = allocated.instructions[step.allocated].inputs[0].operands[0];
    return IsCallers(allocated.tensors[from.tensor]);
  });
}

}  // namespace

ProgramValues::ProgramValues(const Kernel& kernel)
    : kernel_(&kernel), first_(kernel.tensors.size(), kNone) {
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    if (tensor.space == Space::kDram && tensor.role != Role::kInternal) continue;
    first_[t] = static_cast<ValueId>(tensor_of_.size());
    const PartitionCount rows =
        tensor.space == Space::kDram ? PartitionCount(1) : Partitions(tensor);
    const PlaneSet whole({Partition(0), Partition(0) + rows},
                         {{ByteOffset(0), ByteOffset(0) + BlockBytes(tensor)}});
    for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
      tensor_of_.push_back(TensorId(t));
      wholes_.push_back(whole);
    }
  }
}

std::int64_t ProgramValues::RowBytes(ValueId value) const {
  const Tensor& tensor = kernel_->tensors[tensor_of_[value]];
  return tensor.space == Space::kDram ? 0 : BlockBytes(tensor).value;
}

Start PlaceIn(const Location& location, std::int64_t partition, std::int64_t byte) {
  if (location.linear) {
    return {location.store, true, 0, location.byte + partition * location.stride + byte};
  }
  return {location.store, false, location.partition + partition, location.byte + byte};
}

std::vector<StoreRegion> RegionsOf(const PlaneSet& bytes, const Location& at) {
  std::vector<StoreRegion> regions;
  const auto add = [&](Interval<Partition> partitions, const Runs& runs, std::int64_t shift) {
    StoreRegion region{at.store, at.linear, partitions, {}};
    region.runs.reserve(runs.size());
    for (const Interval<ByteOffset>& run : runs) {
      region.runs.push_back({run.begin + Bytes(shift), run.end + Bytes(shift)});
    }
    regions.push_back(std::move(region));
  };
  for (const PlaneSet::Band& band : bytes.bands()) {
    if (!at.linear) {
      const PartitionCount down(at.partition);
      add({band.partitions.begin + down, band.partitions.end + down}, band.runs, at.byte);
      continue;
    }
    for (std::int64_t p = band.partitions.begin.value; p < band.partitions.end.value; ++p) {
      add({Partition(0), Partition(1)}, band.runs, at.byte + p * at.stride);
    }
  }
  return regions;
}

std::vector<ValueStep> ResolveSteps(const std::vector<CodeStep>& steps, const ProgramValues& values,
                                    const LinearKernel& allocated) {
  const Kernel& original = values.kernel();
  std::vector<ValueStep> resolved;
  resolved.reserve(steps.size());
  const bool repeats_loads = RepeatsLoads(steps, allocated.kernel);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const CodeStep& code = steps[i];
    ValueStep& step = resolved.emplace_back();
    step.code = code;
    if (code.kind == StepKind::kLoopBegin) open.push_back(i);
    if (code.kind == StepKind::kLoopEnd) open.pop_back();
    if (code.kind == StepKind::kLoopBegin || code.kind == StepKind::kLoopEnd) continue;
    const bool is_dropped = code.kind == StepKind::kDropped;
    const Kernel& kernel = is_dropped ? original : allocated.kernel;
    const Instruction& instruction =
        kernel.instructions[is_dropped ? code.original : code.allocated];
    step.when = &instruction.when;
    if (code.kind == StepKind::kOriginal) {
      const Instruction& theirs = original.instructions[code.original];
      AddUses(step, values, theirs, allocated.accesses[code.point]);
      if (repeats_loads && IsPlainCopy(original, theirs) &&
          IsCallers(original.tensors[theirs.inputs[0].operands[0].tensor]))
        step.copy = CopyOf(original, theirs);
    } else {
      step.copy = CopyOf(kernel, instruction);
    }
    for (const std::size_t loop : open) {
      const LoopId id = resolved[loop].code.loop;
      AddStep(step, id, allocated.kernel.loops[id], resolved[loop].pattern);
    }
  }
  return resolved;
}

std::optional<ResolvedUse> Resolve(const OperandUse& use, const ProgramValues& values,
                                   const PlacedMemory& memory,
                                   std::span<const std::int64_t> loop_values) {
  const Tensor& tensor = values.kernel().tensors[use.tensor];
  Touched touched = TouchedBy(values.kernel(), *use.original, use.pattern, loop_values);
  const std::optional<Start> start = memory.StartOf(*use.allocated, loop_values);
  if (!start || touched.block < 0 || touched.block >= BlockCount(tensor)) return std::nullopt;
  const std::int64_t element = ElementSize(OperandDType(values.kernel(), *use.original)).value;
  ResolvedUse resolved;
  resolved.value = values.ValueOf(use.tensor, touched.block);
  resolved.bytes = std::move(touched.bytes);
  resolved.at.store = start->store;
  resolved.at.linear = start->linear;
  resolved.at.byte = start->byte - Evaluate(use.original->free_offset, loop_values) * element;
  if (!start->linear) {
    resolved.at.partition = start->partition - Evaluate(use.original->partition_start, loop_values);
  }
  if (use.is_write) resolved.regions = RegionsOf(resolved.bytes, resolved.at);
  return resolved;
}

}  // namespace spillway::check
