#include "model/alloc/psum/insert_tensor_copies.h"
#include "model/alloc/ir/without_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace spillway::psum {
namespace {

Instruction TensorCopy(SpillRole role, Operand from, Operand to, std::vector<Predicate> when) {
  Instruction copy;
  copy.op = "tensor_copy";
  copy.engine = Engine::kDve;
  copy.outputs = {{"dst", {std::move(to)}, false}};
  copy.inputs = {{"src", {std::move(from)}, false}};
  copy.attrs = {{"spill", role == SpillRole::kSave ? "save" : "reload"}};
  copy.when = std::move(when);
  copy.spill = role;
  return copy;
}

class CopyInserter {
 public:
  CopyInserter(const LinearKernel& linear, CopyCounters counters)
      : linear_(linear), before_(linear.point_count()), after_(linear.point_count()) {
    result_.kernel = linear.kernel;
    result_.counters = counters;
    for (const Tensor& tensor : linear.kernel.tensors) names_.insert(tensor.name);
  }

  void Split(TensorId tensor, const SpillPlan& plan) {
    const bool is_saved =
        std::any_of(plan.residences.begin(), plan.residences.end(), [](const Residence& residence) {
          return !residence.saves.empty() || !residence.reloads.empty();
        });
    std::optional<TensorId> home;
    if (is_saved)
      home = AddTensor(tensor, Space::kSbuf, "_SpillTensorCopy", result_.counters.spill_copies);
    bool is_first = true;
    for (const Residence& residence : plan.residences) {
      const bool one_block = residence.block.has_value();
      // A tensor with blocks keeps them all; one block of it is a new tensor.
      const bool keeps_name = is_first && linear_.kernel.tensors[tensor].blocks.empty();
      const TensorId copy = keeps_name ? tensor
                                       : AddTensor(tensor, Space::kPsum, "_ReloadTensorCopy",
                                                   result_.counters.reload_copies);
      if (one_block) result_.kernel.tensors[copy].blocks.clear();
      is_first = false;
      result_.psum_copies.push_back(copy);
      for (const SpillCopy& reload : residence.reloads) {
        before_[residence.first].push_back(TensorCopy(SpillRole::kReload, On(reload.operand, *home),
                                                      InPsum(reload.operand, copy, one_block),
                                                      reload.when));
      }
      for (const SpillCopy& save : residence.saves) {
        after_[residence.last].push_back(TensorCopy(SpillRole::kSave,
                                                    InPsum(save.operand, copy, one_block),
                                                    On(save.operand, *home), save.when));
      }
      for (const PointId use : residence.uses) Rename(use, tensor, copy, one_block);
    }
  }

  CopiedFunction Finish() {
    Kernel& kernel = result_.kernel;
    IdVector<InstructionId, Instruction> renamed = std::move(kernel.instructions);
    kernel.instructions = {};
    kernel.body.clear();
    const auto emit = [&](Instruction instruction) {
      const InstructionId id = kernel.instructions.push_back(std::move(instruction));
      kernel.body.push_back({BodyKind::kInstruction, id.value});
    };
    for (std::size_t p = 0; p < linear_.point_count(); ++p) {
      const BodyItem& item = linear_.kernel.body[p];
      for (Instruction& reload : before_[PointId(p)]) emit(std::move(reload));
      if (item.kind == BodyKind::kInstruction) {
        emit(std::move(renamed[item.instruction()]));
      } else {
        kernel.body.push_back(item);
      }
      for (Instruction& save : after_[PointId(p)]) emit(std::move(save));
    }
    return std::move(result_);
  }

 private:
  static Operand On(Operand operand, TensorId tensor) {
    operand.tensor = tensor;
    return operand;
  }
  static Operand InPsum(Operand operand, TensorId tensor, bool one_block) {
    operand.tensor = tensor;
    if (one_block) operand.block.clear();
    return operand;
  }

  TensorId AddTensor(TensorId original, Space space, std::string_view suffix,
                     std::int64_t& serial) {
    Tensor tensor = linear_.kernel.tensors[original];
    const std::string stem = tensor.name;
    do {
      tensor.name = fmt::format("{}{}{}", stem, suffix, ++serial);
    } while (!names_.insert(tensor.name).second);
    tensor.space = space;
    tensor.role = Role::kInternal;
    ForgetPlace(tensor);
    return result_.kernel.tensors.push_back(std::move(tensor));
  }

  void Rename(PointId use, TensorId tensor, TensorId copy, bool one_block) {
    Instruction& instruction =
        result_.kernel.instructions[linear_.kernel.body[use.value].instruction()];
    for (auto* groups : {&instruction.outputs, &instruction.inputs}) {
      for (OperandGroup& group : *groups) {
        for (Operand& operand : group.operands) {
          if (operand.tensor == tensor) operand = InPsum(operand, copy, one_block);
        }
      }
    }
  }

  const LinearKernel& linear_;
  IdVector<PointId, std::vector<Instruction>> before_;
  IdVector<PointId, std::vector<Instruction>> after_;
  std::set<std::string, std::less<>> names_;
  CopiedFunction result_;
};

}  // namespace

CopiedFunction InsertTensorCopies(const LinearKernel& linear, const std::vector<SpillPlan>& plans,
                                  const std::vector<TensorId>& tensors, CopyCounters counters) {
  SPILLWAY_CHECK(plans.size() == tensors.size(), "a plan a tensor");
  CopyInserter inserter(linear, counters);
  for (std::size_t i = 0; i < tensors.size(); ++i) inserter.Split(tensors[i], plans[i]);
  return inserter.Finish();
}

}  // namespace spillway::psum
