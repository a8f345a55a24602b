#include "properties/planted_breakage.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/alloc/ir/print_kernel.h"

namespace spillway {
namespace {

// Instruction numbers follow the body.
void Renumber(Kernel& kernel) {
  IdVector<InstructionId, Instruction> in_order;
  for (BodyItem& item : kernel.body) {
    if (item.kind != BodyKind::kInstruction) continue;
    item.index = in_order.push_back(kernel.instructions[item.instruction()]).value;
  }
  kernel.instructions = std::move(in_order);
}

std::vector<std::size_t> SpillItems(const Kernel& kernel) {
  std::vector<std::size_t> items;
  for (std::size_t i = 0; i < kernel.body.size(); ++i) {
    if (kernel.body[i].kind == BodyKind::kInstruction &&
        kernel.instructions[kernel.body[i].instruction()].spill != SpillRole::kNone)
      items.push_back(i);
  }
  return items;
}

bool IsLike(const Tensor& a, const Tensor& b) {
  return a.space == b.space && a.dtype == b.dtype && a.shape == b.shape && a.blocks == b.blocks &&
         a.role == b.role;
}

class Breaker {
 public:
  Breaker(const Kernel& kernel, const Placement& placement, std::uint32_t where)
      : where_(where), spills_(SpillItems(kernel)), broken_{kernel, placement, {}} {}

  std::optional<PlantedBreakage> MoveTensor(Bytes capacity, Bytes granule) {
    const TensorId tensor(Choose(broken_.kernel.tensors.size()));
    const Tensor& what = broken_.kernel.tensors[tensor];
    std::vector<Address>& addresses = broken_.placement.addresses[tensor];
    if (what.space != Space::kSbuf || addresses.empty()) return std::nullopt;
    const std::int64_t room = (capacity - BlockBytes(what)) / granule;
    if (room <= 0) return std::nullopt;
    Address& address = addresses[Choose(addresses.size())];
    address.byte = ByteOffset(granule.value *
                              static_cast<std::int64_t>(Choose(static_cast<std::size_t>(room))));
    return Done(fmt::format("{} lies at byte {}", what.name, address.byte.value));
  }

  std::optional<PlantedBreakage> DropCopy() {
    const auto item = ChooseSpill();
    if (!item) return std::nullopt;
    const std::string text = Text(*item);
    broken_.kernel.body.erase(broken_.kernel.body.begin() + static_cast<std::ptrdiff_t>(*item));
    return Done("without " + text);
  }

  std::optional<PlantedBreakage> MoveCopy() {
    const auto item = ChooseSpill();
    if (!item) return std::nullopt;
    const std::size_t steps = 1 + Choose(3);
    const bool later = Choose(2) == 0;
    std::vector<BodyItem>& body = broken_.kernel.body;
    if (later ? *item + steps >= body.size() : *item < steps) return std::nullopt;
    const auto at = body.begin() + static_cast<std::ptrdiff_t>(*item);
    const auto distance = static_cast<std::ptrdiff_t>(steps);
    const auto first = later ? at : at - distance;
    const auto last = later ? at + distance + 1 : at + 1;
    if (std::any_of(first, last,
                    [](const BodyItem& i) { return i.kind != BodyKind::kInstruction; }))
      return std::nullopt;
    const std::string text = Text(*item);
    std::rotate(first, later ? at + 1 : at, last);
    return Done(fmt::format("{} steps {}: {}", steps, later ? "later" : "earlier", text));
  }

  std::optional<PlantedBreakage> DropGuard() {
    const auto item = ChooseSpill();
    if (!item || Of(*item).when.empty()) return std::nullopt;
    Of(*item).when.clear();
    return Done("without its predicates: " + Text(*item));
  }

  std::optional<PlantedBreakage> ShiftHome() {
    const auto item = ChooseSpill();
    if (!item) return std::nullopt;
    for (auto* groups : {&Of(*item).inputs, &Of(*item).outputs}) {
      Operand& operand = (*groups)[0].operands[0];
      if (broken_.kernel.tensors[operand.tensor].space != Space::kDram) continue;
      // Only towards the start, so that the operand stays inside its tensor.
      if (!operand.free_offset.IsConstant() || operand.free_offset.constant <= 0) continue;
      if (std::any_of(operand.free_dims.begin(), operand.free_dims.end(),
                      [](const FreeDim& dim) { return dim.step < 0; }))
        continue;
      operand.free_offset.constant -= 1;
      return Done("one element off: " + Text(*item));
    }
    return std::nullopt;
  }

  std::optional<PlantedBreakage> SwapTensor() {
    Kernel& kernel = broken_.kernel;
    Instruction& instruction =
        kernel.instructions[InstructionId(Choose(kernel.instructions.size()))];
    if (instruction.inputs.empty() || instruction.inputs[0].operands.empty()) return std::nullopt;
    Operand& operand = instruction.inputs[0].operands[0];
    const TensorId other(Choose(kernel.tensors.size()));
    const Tensor& mine = kernel.tensors[operand.tensor];
    const bool placed = mine.space != Space::kSbuf || !broken_.placement.addresses[other].empty();
    if (other == operand.tensor || !placed || !IsLike(mine, kernel.tensors[other]))
      return std::nullopt;
    operand.tensor = other;
    return Done("another tensor: " + PrintInstruction(kernel, instruction));
  }

 private:
  // Mixed radix: each choice takes its digit.
  std::size_t Choose(std::size_t among) {
    const std::size_t digit = where_ % among;
    where_ = static_cast<std::uint32_t>(where_ / among);
    return digit;
  }
  std::optional<std::size_t> ChooseSpill() {
    if (spills_.empty()) return std::nullopt;
    return spills_[Choose(spills_.size())];
  }
  Instruction& Of(std::size_t item) {
    return broken_.kernel.instructions[broken_.kernel.body[item].instruction()];
  }
  std::string Text(std::size_t item) { return PrintInstruction(broken_.kernel, Of(item)); }
  std::optional<PlantedBreakage> Done(std::string what) {
    broken_.what = std::move(what);
    Renumber(broken_.kernel);
    return std::move(broken_);
  }

  std::uint32_t where_;
  std::vector<std::size_t> spills_;
  PlantedBreakage broken_;
};

}  // namespace

std::optional<PlantedBreakage> PlantBreakage(const Kernel& kernel, const Placement& placement,
                                             Breakage breakage, std::uint32_t where, Bytes capacity,
                                             Bytes granule) {
  Breaker breaker(kernel, placement, where);
  switch (breakage) {
    case Breakage::kMoveTensor: return breaker.MoveTensor(capacity, granule);
    case Breakage::kDropCopy: return breaker.DropCopy();
    case Breakage::kMoveCopy: return breaker.MoveCopy();
    case Breakage::kDropGuard: return breaker.DropGuard();
    case Breakage::kShiftHome: return breaker.ShiftHome();
    case Breakage::kSwapTensor: return breaker.SwapTensor();
  }
  return std::nullopt;
}

}  // namespace spillway
