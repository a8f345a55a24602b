#include "model/alloc/check/equation_steps.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "model/alloc/ir/footprint.h"

namespace spillway::check::backward {
namespace {

constexpr std::size_t kAllRuns = std::size_t{1} << 20;

bool IsLoop(const BodyItem& item) { return item.kind != BodyKind::kInstruction; }

PlaneSet PatternOf(const Kernel& kernel, const Operand& operand, bool moves) {
  const Bytes element = ElementSize(OperandDType(kernel, operand));
  const bool is_flat = kernel.tensors[operand.tensor].space == Space::kDram;
  const Partition first(moves || is_flat ? 0 : operand.partition_start.constant);
  return PlaneSet(
      {first, first + PartitionCount(is_flat ? 1 : operand.partition_count)},
      RunsOf(moves ? 0 : operand.free_offset.constant, operand.free_dims, element, kAllRuns));
}

class Matcher {
 public:
  Matcher(const Kernel& original, const LinearKernel& allocated, const Placement& placement)
      : original_(original), linear_(allocated), allocated_(allocated.kernel) {
    std::map<std::string_view, TensorId> ids;
    for (std::size_t t = 0; t < allocated_.tensors.size(); ++t) {
      ids.emplace(allocated_.tensors[TensorId(t)].name, TensorId(t));
    }
    is_new_.resize(allocated_.tensors.size(), true);
    result_.namesake.resize(original.tensors.size());
    for (std::size_t t = 0; t < original.tensors.size(); ++t) {
      const auto found = ids.find(original.tensors[TensorId(t)].name);
      if (found == ids.end()) continue;
      result_.namesake[TensorId(t)] = found->second;
      is_new_[found->second] = false;
    }
    is_removable_.resize(original.body.size());
    is_written_.resize(original.tensors.size(), false);
    for (const Instruction& instruction : original.instructions) {
      for (const OperandGroup& group : instruction.outputs) {
        for (const Operand& operand : group.operands) is_written_[operand.tensor] = true;
      }
    }
    result_.is_apart.resize(original.tensors.size(), false);
    for (std::size_t t = 0; t < original.tensors.size(); ++t) {
      const std::optional<TensorId>& namesake = result_.namesake[TensorId(t)];
      result_.is_apart[TensorId(t)] = original.tensors[TensorId(t)].space == Space::kDram &&
                                      namesake && HasOwnMemory(placement, *namesake);
    }
  }

  Matching Match() {
    const std::vector<BodyItem>& ours = original_.body;
    const std::vector<BodyItem>& theirs = allocated_.body;
    std::size_t o = 0;
    std::size_t a = 0;
    while (result_.violations.empty() && (o < ours.size() || a < theirs.size())) {
      const bool more_ours = o < ours.size();
      const bool more_theirs = a < theirs.size();
      if (more_ours && more_theirs && IsLoop(ours[o]) && ours[o] == theirs[a]) {
        AddLoop(ours[o++], PointId(a++));
      } else if (more_ours && more_theirs && !IsLoop(ours[o]) && !IsLoop(theirs[a]) &&
                 IsSame(InstructionAt(ours[o]), InstructionAt(PointId(a)))) {
        AddBoth(InstructionAt(ours[o++]), PointId(a++));
      } else if (more_ours && IsRemovable(o) && (!more_theirs || LeadsTo(PointId(a), o + 1))) {
        AddRemoved(InstructionAt(ours[o++]), PointId(a));
      } else if (more_theirs && IsInserted(PointId(a))) {
        AddInserted(PointId(a++));
      } else if (more_ours && IsRemovable(o)) {
        AddRemoved(InstructionAt(ours[o++]), PointId(a));
      } else {
        Refuse(o, a);
      }
    }
    if (result_.violations.empty()) Complete();
    return std::move(result_);
  }

 private:
  const Instruction& InstructionAt(const BodyItem& item) const {
    return original_.instructions[item.instruction()];
  }
  const Instruction& InstructionAt(PointId point) const { return linear_.instruction(point); }

  bool HasOwnMemory(const Placement& placement, TensorId tensor) const {
    return !placement.addresses.contains(tensor) || placement.addresses[tensor].empty();
  }

  bool IsConstant(TensorId tensor) const {
    const Role role = original_.tensors[tensor].role;
    return (role == Role::kInput || role == Role::kConstant) && !is_written_[tensor] &&
           result_.is_apart[tensor];
  }

  std::optional<CopyShape> ConstantLoad(const Instruction& instruction) const {
    std::optional<CopyShape> shape = CopyShapeOf(original_, instruction);
    if (shape && !IsConstant(shape->from->tensor)) shape.reset();
    return shape;
  }

  bool IsRemovable(std::size_t item) {
    if (!is_removable_[item]) {
      const BodyItem& what = original_.body[item];
      is_removable_[item] = !IsLoop(what) && ConstantLoad(InstructionAt(what)).has_value();
    }
    return *is_removable_[item];
  }

  // Whether `point` has the original's instruction `o`, or one that only loads separate from it.
  bool LeadsTo(PointId point, std::size_t o) {
    if (!linear_.IsInstruction(point)) return false;
    for (; o < original_.body.size() && !IsLoop(original_.body[o]); ++o) {
      if (IsSame(InstructionAt(original_.body[o]), InstructionAt(point))) return true;
      if (!IsRemovable(o)) return false;
    }
    return false;
  }

  bool IsInserted(PointId point) const {
    return linear_.IsInstruction(point) &&
           CopyShapeOf(allocated_, InstructionAt(point)).has_value();
  }

  bool MayStandFor(const Operand& theirs, const Operand& ours) const {
    const Tensor& a = allocated_.tensors[theirs.tensor];
    const Tensor& o = original_.tensors[ours.tensor];
    if (a.space != o.space || a.dtype != o.dtype) return false;
    const bool is_namesake = result_.namesake[ours.tensor] == theirs.tensor;
    // A tensor of the original stands for itself, and nothing else stands for DRAM.
    if (!is_namesake && (!is_new_[theirs.tensor] || a.space == Space::kDram)) return false;
    return theirs.partition_start == ours.partition_start &&
           theirs.partition_count == ours.partition_count &&
           theirs.free_offset == ours.free_offset && theirs.free_dims == ours.free_dims &&
           theirs.as == ours.as && theirs.indirect == ours.indirect &&
           theirs.offsets.has_value() == ours.offsets.has_value();
  }

  bool MayStandFor(const std::vector<OperandGroup>& theirs,
                   const std::vector<OperandGroup>& ours) const {
    if (theirs.size() != ours.size()) return false;
    for (std::size_t g = 0; g < ours.size(); ++g) {
      const OperandGroup& a = theirs[g];
      const OperandGroup& o = ours[g];
      if (a.name != o.name || a.operands.size() != o.operands.size()) return false;
      for (std::size_t i = 0; i < o.operands.size(); ++i) {
        if (!MayStandFor(a.operands[i], o.operands[i])) return false;
      }
    }
    return true;
  }

  bool IsSame(const Instruction& ours, const Instruction& theirs) const {
    return ours.op == theirs.op && ours.spill == theirs.spill && ours.engine == theirs.engine &&
           ours.when == theirs.when && ours.attrs == theirs.attrs &&
           MayStandFor(theirs.outputs, ours.outputs) && MayStandFor(theirs.inputs, ours.inputs);
  }

  void AddLoop(const BodyItem& item, PointId point) {
    const Loop& ours = original_.loops[item.loop()];
    if (ours != allocated_.loops[item.loop()]) {
      Complain(fmt::format("loop {} has other bounds in the allocated function", ours.name), {});
      return;
    }
    Step step;
    step.loop = item.loop();
    step.point = point;
    step.kind = item.kind == BodyKind::kLoopBegin ? StepKind::kLoopBegin : StepKind::kLoopEnd;
    if (step.kind == StepKind::kLoopBegin) {
      open_.push_back(result_.steps.size());
    } else {
      step.partner = open_.back();
      open_.pop_back();
    }
    result_.steps.push_back(std::move(step));
    gap_ = result_.steps.size();
  }

  void AddBoth(const Instruction& ours, PointId point) {
    Step step;
    step.point = point;
    step.original = &ours;
    step.when = &ours.when;
    result_.steps.push_back(std::move(step));
    gap_ = result_.steps.size();
  }

  void AddInserted(PointId point) {
    Step step;
    step.kind = StepKind::kInserted;
    step.point = point;
    step.when = &InstructionAt(point).when;
    step.copy = CopyShapeOf(allocated_, InstructionAt(point));
    result_.steps.push_back(std::move(step));
  }

  // Before the copies of its gap: what reloads from constant memory relies on the load's value.
  void AddRemoved(const Instruction& ours, PointId next) {
    Step step;
    step.kind = StepKind::kRemoved;
    step.point = next;
    step.original = &ours;
    step.when = &ours.when;
    step.load = CopyShapeOf(original_, ours);
    result_.steps.insert(result_.steps.begin() + static_cast<std::ptrdiff_t>(gap_++),
                         std::move(step));
  }

  // What depends on which instructions turned out to be inserted.
  void Complete() {
    for (const Step& step : result_.steps) {
      if (step.kind != StepKind::kInserted) continue;
      const std::string& written = allocated_.tensors[step.copy->to->tensor].name;
      for (std::size_t t = 0; t < original_.tensors.size(); ++t) {
        if (original_.tensors[TensorId(t)].name == written) result_.is_apart[TensorId(t)] = false;
      }
    }
    for (Step& step : result_.steps) {
      if (step.kind == StepKind::kBoth) CompleteBoth(step);
    }
  }

  void CompleteBoth(Step& step) {
    step.load = ConstantLoad(*step.original);
    if (step.load) step.copy = CopyShapeOf(allocated_, InstructionAt(step.point));
    const std::vector<Access> accesses = AccessesOf(*step.original);
    const std::vector<Access>& twins = linear_.accesses[step.point];
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const Access& access = accesses[i];
      Touch touch;
      touch.original = access.tensor;
      touch.allocated = twins[i].tensor;
      touch.original_operand = access.operand;
      touch.allocated_operand = twins[i].operand;
      touch.is_write = access.is_write;
      if (access.whole_tensor || access.operand == nullptr) {
        touch.is_exact = false;
      } else if (!result_.is_apart[access.tensor]) {
        touch.moves = !access.operand->partition_start.IsConstant() ||
                      !access.operand->free_offset.IsConstant();
        touch.is_exact = !IsHullOnly(access.operand->free_dims, kAllRuns);
        touch.pattern = PatternOf(original_, *access.operand, touch.moves);
      }
      step.touches.push_back(std::move(touch));
    }
  }

  void Refuse(std::size_t o, std::size_t a) {
    const auto what = [](const Kernel& kernel, std::size_t at) -> std::string {
      if (at >= kernel.body.size()) return "its end";
      const BodyItem& item = kernel.body[at];
      if (IsLoop(item)) return fmt::format("an edge of loop {}", kernel.loops[item.loop()].name);
      return kernel.instructions[item.instruction()].op;
    };
    std::optional<Interval<PointId>> time;
    if (a < allocated_.body.size()) time = Interval<PointId>{PointId(a), PointId(a + 1)};
    Complain(fmt::format("item {} of the original, {}, doesn't stand at point {}, which is {}", o,
                         what(original_, o), a, what(allocated_, a)),
             time);
  }

  void Complain(std::string text, std::optional<Interval<PointId>> time) {
    Violation violation;
    violation.kind = Kind::kWrongValue;
    violation.time = time;
    violation.text = std::move(text);
    result_.violations.push_back(std::move(violation));
  }

  const Kernel& original_;
  const LinearKernel& linear_;
  const Kernel& allocated_;
  IdVector<TensorId, bool> is_new_;      // of the allocated function: the original lacks the name
  IdVector<TensorId, bool> is_written_;  // of the original
  std::vector<std::optional<bool>> is_removable_;  // items of the original, as far as asked
  std::vector<std::size_t> open_;                  // steps that opened loops
  std::size_t gap_ = 0;  // first step after the last one of both functions
  Matching result_;
};

}  // namespace

Matching MatchInstructions(const Kernel& original, const LinearKernel& allocated,
                           const Placement& placement) {
  return Matcher(original, allocated, placement).Match();
}

}  // namespace spillway::check::backward
