#include "properties/kernel_edit.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "model/alloc/ir/access.h"

namespace spillway {
namespace {

using Dropped = IdVector<InstructionId, bool>;

// Calls `visit` on every index expression of `instruction`.
template <class Visit>
void ForEachExpr(Instruction& instruction, Visit visit) {
  for (std::vector<OperandGroup>* groups : {&instruction.outputs, &instruction.inputs}) {
    for (OperandGroup& group : *groups) {
      for (Operand& operand : group.operands) {
        for (AffineExpr& block : operand.block) visit(block);
        visit(operand.partition_start);
        visit(operand.free_offset);
      }
    }
  }
  for (Predicate& predicate : instruction.when) visit(predicate.expr);
}

template <class Visit>
void ForEachTensor(Instruction& instruction, Visit visit) {
  for (std::vector<OperandGroup>* groups : {&instruction.outputs, &instruction.inputs}) {
    for (OperandGroup& group : *groups) {
      for (Operand& operand : group.operands) {
        visit(operand.tensor);
        if (operand.offsets) visit(*operand.offsets);
      }
    }
  }
}

// Marks instructions whose operand lost its last writer, until none is left.
void DropOrphans(const Kernel& kernel, Dropped& dropped) {
  bool grown = true;
  while (grown) {
    grown = false;
    IdVector<TensorId, bool> written(kernel.tensors.size(), false);
    for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
      const Role role = kernel.tensors[TensorId(t)].role;
      written[TensorId(t)] = role == Role::kInput || role == Role::kConstant;
    }
    const auto for_each_kept = [&](const auto& visit) {
      for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        if (!dropped[InstructionId(i)]) visit(InstructionId(i));
      }
    };
    for_each_kept([&](InstructionId id) {
      for (const Access& access : AccessesOf(kernel.instructions[id])) {
        if (access.is_write && !IsReadModifyWrite(kernel.instructions[id]))
          written[access.tensor] = true;
      }
    });
    for_each_kept([&](InstructionId id) {
      for (const Access& access : AccessesOf(kernel.instructions[id])) {
        if (access.is_write || written[access.tensor]) continue;
        dropped[id] = true;
        grown = true;
      }
    });
  }
}

// Loops that still hold an instruction.
IdVector<LoopId, bool> LivingLoops(const Kernel& kernel, const Dropped& dropped) {
  IdVector<LoopId, bool> living(kernel.loops.size(), false);
  std::vector<LoopId> open;
  for (const BodyItem& item : kernel.body) {
    switch (item.kind) {
      case BodyKind::kLoopBegin: open.push_back(item.loop()); break;
      case BodyKind::kLoopEnd: open.pop_back(); break;
      case BodyKind::kInstruction:
        if (dropped[item.instruction()]) break;
        for (const LoopId loop : open) living[loop] = true;
    }
  }
  return living;
}

std::int64_t ValueIn(const std::optional<std::int64_t>& value) { return value.value_or(0); }

// Keeps what isn't dropped; a loop of `unwrapped` gives way to its body at that value.
Kernel Rebuilt(const Kernel& kernel, const Dropped& dropped, const IdVector<LoopId, bool>& living,
               const IdVector<LoopId, std::optional<std::int64_t>>& unwrapped) {
  Kernel rebuilt;
  rebuilt.name = kernel.name;
  rebuilt.version = kernel.version;
  rebuilt.target = kernel.target;
  rebuilt.origin = kernel.origin;

  IdVector<LoopId, LoopId> new_loop(kernel.loops.size(), LoopId(0));
  const auto stays = [&](LoopId loop) { return living[loop] && !unwrapped[loop]; };
  const auto moved = [&](AffineExpr& expr) {
    std::vector<AffineTerm> terms;
    for (AffineTerm term : expr.terms) {
      if (unwrapped[term.loop]) {
        expr.constant += term.coefficient * ValueIn(unwrapped[term.loop]);
        continue;
      }
      term.loop = new_loop[term.loop];
      terms.push_back(term);
    }
    expr.terms = std::move(terms);
    expr = Normalized(std::move(expr));
  };
  std::vector<std::optional<LoopId>> open;
  for (const BodyItem& item : kernel.body) {
    if (item.kind == BodyKind::kInstruction) {
      if (dropped[item.instruction()]) continue;
      rebuilt.body.push_back(
          {BodyKind::kInstruction, static_cast<std::uint32_t>(rebuilt.instructions.size())});
      rebuilt.instructions.push_back(kernel.instructions[item.instruction()]);
      ForEachExpr(rebuilt.instructions[InstructionId(rebuilt.instructions.size() - 1)], moved);
      continue;
    }
    if (!stays(item.loop())) continue;
    if (item.kind == BodyKind::kLoopEnd) {
      rebuilt.body.push_back({BodyKind::kLoopEnd, new_loop[item.loop()].value});
      open.pop_back();
      continue;
    }
    const LoopId id(rebuilt.loops.size());
    new_loop[item.loop()] = id;
    Loop loop = kernel.loops[item.loop()];
    loop.parent = open.empty() ? std::nullopt : open.back();
    rebuilt.loops.push_back(std::move(loop));
    rebuilt.body.push_back({BodyKind::kLoopBegin, id.value});
    open.emplace_back(id);
  }

  IdVector<TensorId, bool> used(kernel.tensors.size(), false);
  for (Instruction& instruction : rebuilt.instructions) {
    ForEachTensor(instruction, [&](TensorId id) { used[id] = true; });
  }
  IdVector<TensorId, TensorId> new_tensor(kernel.tensors.size(), TensorId(0));
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    if (!used[TensorId(t)]) continue;
    new_tensor[TensorId(t)] = TensorId(rebuilt.tensors.size());
    rebuilt.tensors.push_back(kernel.tensors[TensorId(t)]);
  }
  for (Instruction& instruction : rebuilt.instructions) {
    ForEachTensor(instruction, [&](TensorId& id) { id = new_tensor[id]; });
  }
  return rebuilt;
}

}  // namespace

Kernel WithoutInstructions(const Kernel& kernel, const Dropped& dropped) {
  Dropped all = dropped;
  DropOrphans(kernel, all);
  return Rebuilt(kernel, all, LivingLoops(kernel, all),
                 IdVector<LoopId, std::optional<std::int64_t>>(kernel.loops.size()));
}

Kernel WithoutLoop(const Kernel& kernel, LoopId loop) {
  const Dropped none(kernel.instructions.size(), false);
  IdVector<LoopId, std::optional<std::int64_t>> unwrapped(kernel.loops.size(), std::nullopt);
  unwrapped[loop] = kernel.loops[loop].begin;
  return Rebuilt(kernel, none, LivingLoops(kernel, none), unwrapped);
}

Kernel WithTrips(Kernel kernel, LoopId id, std::int64_t trips) {
  Loop& loop = kernel.loops[id];
  loop.end = loop.begin + loop.step * trips;
  return kernel;
}

Kernel WithoutPredicate(Kernel kernel, InstructionId instruction, std::size_t predicate) {
  std::vector<Predicate>& when = kernel.instructions[instruction].when;
  when.erase(when.begin() + static_cast<std::ptrdiff_t>(predicate));
  return kernel;
}

Kernel WithoutInput(const Kernel& kernel, InstructionId instruction, std::size_t input) {
  Kernel smaller = kernel;
  std::vector<OperandGroup>& inputs = smaller.instructions[instruction].inputs;
  inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(input));
  return WithoutInstructions(smaller, Dropped(smaller.instructions.size(), false));
}

}  // namespace spillway
