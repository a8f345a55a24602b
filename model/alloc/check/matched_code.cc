#include "model/alloc/check/matched_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/ir/footprint.h"

namespace spillway::check {
namespace {

// How far an instruction is looked for among the program's next ones, to name what is missing.
constexpr std::size_t kLookAhead = 256;

bool IsCallers(const Tensor& tensor) {
  return tensor.space == Space::kDram && tensor.role != Role::kInternal;
}

class Matcher {
 public:
  Matcher(const Kernel& original, const LinearKernel& allocated)
      : original_(original), allocated_(allocated) {
    for (std::size_t t = 0; t < original.tensors.size(); ++t) {
      by_name_.emplace(original.tensors[TensorId(t)].name, TensorId(t));
    }
    code_.steps.reserve(allocated.point_count());
  }

  MatchedCode Match() {
    for (std::size_t p = 0; p < allocated_.point_count(); ++p) {
      const BodyItem& item = allocated_.kernel.body[p];
      const PointId point(p);
      const bool goes_on = item.kind == BodyKind::kInstruction
                               ? TakeInstruction(item.instruction(), point)
                               : TakeLoop(item, point);
      if (!goes_on) return std::move(code_);
    }
    SkipTo(original_.body.size(), PointId(allocated_.point_count()));
    return std::move(code_);
  }

 private:
  const Instruction& OriginalAt(std::size_t item) const {
    return original_.instructions[original_.body[item].instruction()];
  }
  bool IsInstruction(std::size_t item) const {
    return item < original_.body.size() && original_.body[item].kind == BodyKind::kInstruction;
  }

  bool TakeInstruction(InstructionId id, PointId point) {
    const Instruction& instruction = allocated_.kernel.instructions[id];
    if (const std::optional<std::size_t> twin = FindTwin(instruction)) {
      SkipTo(*twin, point);
      code_.steps.push_back(
          {StepKind::kOriginal, original_.body[*twin].instruction(), id, LoopId(), point, 0});
      next_ = *twin + 1;
      drop_at_ = code_.steps.size();
      return true;
    }
    if (IsPlainCopy(allocated_.kernel, instruction)) {
      code_.steps.push_back({StepKind::kCopy, InstructionId(), id, LoopId(), point, 0});
      return true;
    }
    std::size_t expected = next_;
    while (IsInstruction(expected) && IsPlainCopy(original_, OriginalAt(expected))) ++expected;
    if (IsInstruction(expected) && OriginalAt(expected).op == instruction.op) {
      Violate("changed instruction", point,
              fmt::format("expected {} as in the program, found other operands, attributes or "
                          "predicates",
                          Describe(original_, OriginalAt(expected))));
      next_ = expected + 1;
      return true;
    }
    Violate("unknown instruction", point,
            fmt::format("expected {}, or a copy of an allocator's, found {}",
                        IsInstruction(expected) ? Describe(original_, OriginalAt(expected))
                                                : std::string("the end of a body"),
                        Describe(allocated_.kernel, instruction)));
    return true;
  }

  // The program's next instruction that `instruction` is. A copy may be one of the program's or one
  // that repeats it; what it writes then bears the name.
  std::optional<std::size_t> FindTwin(const Instruction& instruction) const {
    const bool is_copy = IsPlainCopy(allocated_.kernel, instruction);
    std::optional<std::size_t> by_shape;
    bool passed_needed = false;
    for (std::size_t i = next_; IsInstruction(i) && i < next_ + kLookAhead; ++i) {
      const Instruction& candidate = OriginalAt(i);
      if (candidate.op == instruction.op && IsSame(instruction, candidate)) {
        if (!is_copy || HasNameOf(instruction, candidate)) return i;
        if (!passed_needed && !by_shape) by_shape = i;
      }
      passed_needed = passed_needed || !IsPlainCopy(original_, candidate);
      // A copy that isn't next was put in.
      if (is_copy && passed_needed) break;
    }
    if (instruction.spill != SpillRole::kNone || by_shape != next_) return std::nullopt;
    return by_shape;
  }

  bool TakeLoop(const BodyItem& item, PointId point) {
    std::size_t next = next_;
    while (IsInstruction(next)) ++next;
    SkipTo(next, point);
    const bool same_kind =
        next < original_.body.size() && original_.body[next].kind == item.kind &&
        original_.loops[original_.body[next].loop()] == allocated_.kernel.loops[item.loop()];
    if (!same_kind) {
      Violate("changed loop", point,
              fmt::format("expected the program's next loop or end of a loop, found {} of {}",
                          item.kind == BodyKind::kLoopBegin ? "the start" : "the end",
                          allocated_.kernel.loops[item.loop()].name));
      return false;
    }
    CodeStep step{item.kind == BodyKind::kLoopBegin ? StepKind::kLoopBegin : StepKind::kLoopEnd,
                  InstructionId(),
                  InstructionId(),
                  item.loop(),
                  point,
                  0};
    code_.steps.push_back(step);
    drop_at_ = code_.steps.size();
    next_ = next + 1;
    return true;
  }

  // What the allocated function leaves out before item `end` of the program.
  void SkipTo(std::size_t end, PointId point) {
    for (; next_ < end; ++next_) {
      if (!IsInstruction(next_)) {
        Violate("missing loop", point, "the allocated function ends before the program does");
        next_ = end;
        return;
      }
      const InstructionId id = original_.body[next_].instruction();
      if (!IsPlainCopy(original_, original_.instructions[id])) {
        Violate("missing instruction", point,
                fmt::format("expected {}", Describe(original_, original_.instructions[id])));
        continue;
      }
      code_.steps.insert(code_.steps.begin() + static_cast<std::ptrdiff_t>(drop_at_),
                         CodeStep{StepKind::kDropped, id, InstructionId(), LoopId(), point, 0});
      ++drop_at_;
    }
  }

  bool IsSame(const Instruction& a, const Instruction& o) const {
    if (a.engine != o.engine || a.when != o.when || a.outputs.size() != o.outputs.size() ||
        a.inputs.size() != o.inputs.size())
      return false;
    if (a.spill != SpillRole::kNone && a.spill != o.spill) return false;
    for (std::size_t g = 0; g < a.outputs.size(); ++g) {
      if (!IsSameGroup(a.outputs[g], o.outputs[g])) return false;
    }
    for (std::size_t g = 0; g < a.inputs.size(); ++g) {
      if (!IsSameGroup(a.inputs[g], o.inputs[g])) return false;
    }
    return HasSameAttrs(a.attrs, o.attrs);
  }

  static bool HasSameAttrs(const std::vector<Attr>& a, const std::vector<Attr>& b) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (true) {
      while (i < a.size() && a[i].name == "spill") ++i;
      while (j < b.size() && b[j].name == "spill") ++j;
      if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
      if (!(a[i++] == b[j++])) return false;
    }
  }

  bool IsSameGroup(const OperandGroup& a, const OperandGroup& o) const {
    if (a.name != o.name || a.is_list != o.is_list || a.operands.size() != o.operands.size())
      return false;
    for (std::size_t i = 0; i < a.operands.size(); ++i) {
      if (!IsSameOperand(a.operands[i], o.operands[i])) return false;
    }
    return true;
  }

  // Equal but for the tensor, and for where the pattern starts in it: the values will tell.
  bool IsSameOperand(const Operand& a, const Operand& o) const {
    const Tensor& mine = allocated_.kernel.tensors[a.tensor];
    const Tensor& theirs = original_.tensors[o.tensor];
    if (a.partition_count != o.partition_count || a.free_dims != o.free_dims ||
        a.indirect.empty() != o.indirect.empty() ||
        a.offsets.has_value() != o.offsets.has_value() || mine.space != theirs.space)
      return false;
    if (a.as.value_or(mine.dtype) != o.as.value_or(theirs.dtype)) return false;
    if (!IsCallers(theirs)) return !IsCallers(mine);
    return mine.name == theirs.name && mine.role == theirs.role && mine.dtype == theirs.dtype &&
           mine.shape == theirs.shape && mine.blocks == theirs.blocks && a.block == o.block &&
           a.partition_start == o.partition_start && a.free_offset == o.free_offset;
  }

  // Whether what `a` writes is called like what `o` writes, or after it.
  bool HasNameOf(const Instruction& a, const Instruction& o) const {
    const std::string_view mine = allocated_.kernel.tensors[a.outputs[0].operands[0].tensor].name;
    const std::string_view theirs = original_.tensors[o.outputs[0].operands[0].tensor].name;
    if (mine == theirs) return true;
    return mine.size() > theirs.size() && mine.starts_with(theirs) && mine[theirs.size()] == '_' &&
           !by_name_.contains(mine);
  }

  static std::string Describe(const Kernel& kernel, const Instruction& instruction) {
    std::string text = instruction.op;
    for (const OperandGroup& group : instruction.outputs) {
      for (const Operand& operand : group.operands) {
        text += fmt::format(" {}", kernel.tensors[operand.tensor].name);
      }
    }
    return text;
  }

  void Violate(std::string_view what, PointId point, const std::string& text) {
    Violation violation;
    violation.kind = Kind::kWrongValue;
    violation.time = Interval<PointId>{point, PointId(point.value + 1)};
    violation.text = fmt::format("{}: at point {}: {}", what, point.value, text);
    if (point.value < allocated_.point_count() && allocated_.IsInstruction(point)) {
      for (const OperandGroup& group : allocated_.instruction(point).outputs) {
        for (const Operand& operand : group.operands) {
          violation.tensors.push_back(allocated_.kernel.tensors[operand.tensor].name);
        }
      }
    }
    code_.violations.push_back(std::move(violation));
  }

  const Kernel& original_;
  const LinearKernel& allocated_;
  std::unordered_map<std::string_view, TensorId> by_name_;
  std::size_t next_ = 0;     // item of the program's body
  std::size_t drop_at_ = 0;  // step after the last one of the program's
  MatchedCode code_;
};

}  // namespace

bool IsPlainCopy(const Kernel& kernel, const Instruction& instruction) {
  if (instruction.op != "dma_copy" && instruction.op != "tensor_copy") return false;
  if (instruction.inputs.size() != 1 || instruction.outputs.size() != 1) return false;
  if (instruction.inputs[0].operands.size() != 1 || instruction.outputs[0].operands.size() != 1)
    return false;
  const Operand& source = instruction.inputs[0].operands[0];
  const Operand& target = instruction.outputs[0].operands[0];
  const bool only_marks = std::all_of(instruction.attrs.begin(), instruction.attrs.end(),
                                      [](const Attr& attr) { return attr.name == "spill"; });
  return only_marks && source.indirect.empty() && target.indirect.empty() &&
         kernel.tensors[target.tensor].role == Role::kInternal;
}

MatchedCode MatchCode(const Kernel& original, const LinearKernel& allocated) {
  MatchedCode code = Matcher(original, allocated).Match();
  if (!code.violations.empty()) return code;
  // Dropped copies have moved what comes after them: pair the loops' ends now.
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < code.steps.size(); ++i) {
    if (code.steps[i].kind == StepKind::kLoopBegin) open.push_back(i);
    if (code.steps[i].kind != StepKind::kLoopEnd) continue;
    code.steps[i].other_end = open.back();
    code.steps[open.back()].other_end = i;
    open.pop_back();
  }
  return code;
}

}  // namespace spillway::check
