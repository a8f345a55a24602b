#include "model/alloc/ir/match_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "model/alloc/ir/footprint.h"
#include "model/alloc/ir/print_kernel.h"

namespace spillway {
namespace {

// Copies between equal tensors can be read as the author's or as the allocator's. More readings
// than this are open at once only in kernels of nothing else.
constexpr std::size_t kMostReadings = 64;

bool IsCopy(const Instruction& instruction) {
  return instruction.op == "dma_copy" || instruction.op == "tensor_copy";
}

template <class Condition>
bool AnyOperand(const std::vector<OperandGroup>& groups, Condition condition) {
  return std::any_of(groups.begin(), groups.end(), [&](const OperandGroup& group) {
    return std::any_of(group.operands.begin(), group.operands.end(), condition);
  });
}

// So far `consumed` items of the original have been found; `previous` is the reading, one item of
// the allocated kernel earlier, that this one goes on from.
struct Reading {
  std::size_t consumed = 0;
  std::size_t previous = 0;
  bool matched = false;
};

class Matcher {
 public:
  Matcher(const Kernel& original, const Kernel& allocated)
      : original_(original), allocated_(allocated), original_of_(allocated.tensors.size()) {
    match_.added = IdVector<InstructionId, bool>(allocated.instructions.size(), false);
  }

  ProgramMatch Match() {
    CompareTensors();
    if (original_.loops != allocated_.loops) {
      Differ("the loops differ: an allocator keeps them as they are");
    }
    if (match_.differences.empty()) CompareBodies();
    return std::move(match_);
  }

 private:
  void Differ(std::string text) { match_.differences.push_back(std::move(text)); }

  void CompareTensors() {
    std::map<std::string_view, TensorId> by_name;
    for (std::size_t t = 0; t < original_.tensors.size(); ++t) {
      by_name.emplace(original_.tensors[TensorId(t)].name, TensorId(t));
    }
    for (std::size_t t = 0; t < allocated_.tensors.size(); ++t) {
      const Tensor& tensor = allocated_.tensors[TensorId(t)];
      const auto found = by_name.find(tensor.name);
      if (found == by_name.end()) {
        if (tensor.role == Role::kInternal) continue;
        Differ(fmt::format("expected only internal tensors on top of the kernel's, found {}",
                           PrintTensor(tensor)));
        continue;
      }
      original_of_[TensorId(t)] = found->second;
      Tensor expected = original_.tensors[found->second];
      by_name.erase(found);
      if (expected.at.empty()) expected.at = tensor.at;
      // Who gave the addresses is another way to write them, and they are compared.
      expected.alloc = tensor.alloc;
      expected.by_function = tensor.by_function;
      if (expected == tensor) continue;
      Differ(
          fmt::format("expected tensor {}, found {}", PrintTensor(expected), PrintTensor(tensor)));
    }
    for (const auto& [name, id] : by_name) {
      if (original_.tensors[id].role == Role::kInternal) continue;
      Differ(fmt::format("expected tensor {}, found none of that name",
                         PrintTensor(original_.tensors[id])));
    }
  }

  bool IsAdded(TensorId tensor) const { return !original_of_[tensor]; }

  bool SameOffsets(const Operand& wanted, const Operand& found) const {
    if (wanted.offsets.has_value() != found.offsets.has_value()) return false;
    if (!wanted.offsets) return wanted.indirect == found.indirect;
    return IsAdded(*found.offsets) || original_of_[*found.offsets] == wanted.offsets;
  }

  bool SameOperand(const Operand& wanted, const Operand& found) const {
    if (!SameOffsets(wanted, found)) return false;
    if (!IsAdded(found.tensor)) {
      return original_of_[found.tensor] == wanted.tensor && wanted.block == found.block &&
             wanted.partition_start == found.partition_start &&
             wanted.partition_count == found.partition_count &&
             wanted.free_offset == found.free_offset && wanted.free_dims == found.free_dims &&
             wanted.as == found.as;
    }
    const Tensor& tensor = original_.tensors[wanted.tensor];
    return tensor.role == Role::kInternal &&
           tensor.space == allocated_.tensors[found.tensor].space &&
           wanted.partition_count == found.partition_count &&
           OperandDType(original_, wanted) == OperandDType(allocated_, found) &&
           std::equal(wanted.free_dims.begin(), wanted.free_dims.end(), found.free_dims.begin(),
                      found.free_dims.end(),
                      [](const FreeDim& a, const FreeDim& b) { return a.count == b.count; });
  }

  bool SameGroups(const std::vector<OperandGroup>& wanted,
                  const std::vector<OperandGroup>& found) const {
    return std::equal(wanted.begin(), wanted.end(), found.begin(), found.end(),
                      [&](const OperandGroup& a, const OperandGroup& b) {
                        return a.name == b.name && a.is_list == b.is_list &&
                               std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(),
                                          b.operands.end(), [&](const auto& x, const auto& y) {
                                            return SameOperand(x, y);
                                          });
                      });
  }

  bool Matches(const BodyItem& wanted, const BodyItem& found) const {
    if (wanted.kind != found.kind) return false;
    if (wanted.kind != BodyKind::kInstruction) return wanted.index == found.index;
    const Instruction& a = original_.instructions[wanted.instruction()];
    const Instruction& b = allocated_.instructions[found.instruction()];
    return a.op == b.op && a.engine == b.engine && a.attrs == b.attrs && a.when == b.when &&
           a.source_loops == b.source_loops && a.src == b.src && a.spill == b.spill &&
           SameGroups(a.outputs, b.outputs) && SameGroups(a.inputs, b.inputs);
  }

  bool MayBeAdded(const BodyItem& item) const {
    if (item.kind != BodyKind::kInstruction) return false;
    const Instruction& instruction = allocated_.instructions[item.instruction()];
    if (!IsCopy(instruction)) return false;
    const auto is_added = [&](const Operand& operand) { return IsAdded(operand.tensor); };
    return instruction.spill != SpillRole::kNone || AnyOperand(instruction.outputs, is_added) ||
           AnyOperand(instruction.inputs, is_added);
  }

  bool MayBeMissing(const BodyItem& item) const {
    if (item.kind != BodyKind::kInstruction) return false;
    const Instruction& instruction = original_.instructions[item.instruction()];
    const auto is_kept = [&](const Operand& operand) {
      const Tensor& tensor = original_.tensors[operand.tensor];
      return tensor.space == Space::kDram || tensor.role != Role::kInternal;
    };
    const auto is_on_chip = [&](const Operand& operand) {
      return original_.tensors[operand.tensor].space != Space::kDram;
    };
    return instruction.op == "dma_copy" && !AnyOperand(instruction.outputs, is_kept) &&
           !AnyOperand(instruction.inputs, is_on_chip);
  }

  // `item` after each of `readings`, as the author's or as the allocator's.
  std::vector<Reading> GoOn(const std::vector<Reading>& readings, const BodyItem& item) const {
    std::vector<Reading> next;
    const auto add = [&](Reading reading) {
      const auto same = [&](const Reading& other) { return other.consumed == reading.consumed; };
      if (std::none_of(next.begin(), next.end(), same)) next.push_back(reading);
    };
    const bool may_be_added = MayBeAdded(item);
    for (std::size_t r = 0; r < readings.size(); ++r) {
      const std::size_t at = readings[r].consumed;
      if (at < original_.body.size() && Matches(original_.body[at], item)) add({at + 1, r, true});
      if (may_be_added) add({at, r, false});
    }
    for (std::size_t r = 0; next.empty() && r < readings.size(); ++r) {
      std::size_t at = readings[r].consumed;
      while (at < original_.body.size() && !Matches(original_.body[at], item)) {
        at = MayBeMissing(original_.body[at]) ? at + 1 : original_.body.size();
      }
      if (at < original_.body.size()) add({at + 1, r, true});
    }
    if (next.size() > kMostReadings) {
      std::sort(next.begin(), next.end(),
                [](const Reading& a, const Reading& b) { return a.consumed > b.consumed; });
      next.resize(kMostReadings);
    }
    return next;
  }

  std::string Text(const Kernel& kernel, std::size_t at) const {
    if (at >= kernel.body.size()) return "the end of the kernel";
    const BodyItem& item = kernel.body[at];
    if (item.kind == BodyKind::kInstruction) {
      return PrintInstruction(kernel, kernel.instructions[item.instruction()]);
    }
    return fmt::format("{} of loop {}", item.kind == BodyKind::kLoopBegin ? "the start" : "the end",
                       kernel.loops[item.loop()].name);
  }

  void CompareBodies() {
    std::vector<std::vector<Reading>> steps{{Reading{}}};
    for (const BodyItem& item : allocated_.body) {
      std::vector<Reading> next = GoOn(steps.back(), item);
      if (next.empty()) {
        Differ(fmt::format("item {}: expected {}, found {}", steps.size() - 1,
                           Text(original_, Furthest(steps.back()).consumed),
                           Text(allocated_, steps.size() - 1)));
        return;
      }
      steps.push_back(std::move(next));
    }
    for (std::size_t r = 0; r < steps.back().size(); ++r) {
      std::size_t at = steps.back()[r].consumed;
      while (at < original_.body.size() && MayBeMissing(original_.body[at])) ++at;
      if (at < original_.body.size()) continue;
      NoteAdded(steps, r);
      return;
    }
    Differ(fmt::format("expected {}, found the end of the kernel",
                       Text(original_, Furthest(steps.back()).consumed)));
  }

  static const Reading& Furthest(const std::vector<Reading>& readings) {
    return *std::max_element(
        readings.begin(), readings.end(),
        [](const Reading& a, const Reading& b) { return a.consumed < b.consumed; });
  }

  void NoteAdded(const std::vector<std::vector<Reading>>& steps, std::size_t reading) {
    for (std::size_t step = steps.size(); step-- > 1;) {
      const Reading& last = steps[step][reading];
      const BodyItem& item = allocated_.body[step - 1];
      if (item.kind == BodyKind::kInstruction) match_.added[item.instruction()] = !last.matched;
      reading = last.previous;
    }
  }

  const Kernel& original_;
  const Kernel& allocated_;
  IdVector<TensorId, std::optional<TensorId>> original_of_;
  ProgramMatch match_;
};

}  // namespace

ProgramMatch MatchProgram(const Kernel& original, const Kernel& allocated) {
  return Matcher(original, allocated).Match();
}

}  // namespace spillway
