#include "properties/loop_transforms.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "model/alloc/ir/access.h"

namespace spillway {
namespace {

std::size_t EndOfLoop(const Kernel& kernel, std::size_t begin) {
  std::size_t end = begin + 1;
  while (kernel.body[end].kind != BodyKind::kLoopEnd ||
         kernel.body[end].index != kernel.body[begin].index) {
    ++end;
  }
  return end;
}

enum class Treatment { kKeep, kUnroll, kPeel };

/// Copies a kernel's body, with loops kept, written out, or the first iteration in front.
class BodyCopy {
 public:
  BodyCopy(const Kernel& from, IdVector<LoopId, Treatment> treatment)
      : from_(from), treatment_(std::move(treatment)), bindings_(from.loops.size()) {
    to_ = from;
    to_.loops = {};
    to_.instructions = {};
    to_.body.clear();
  }

  Kernel Copy() {
    Copy(0, from_.body.size());
    return std::move(to_);
  }

 private:
  /// What a loop's variable stands for in the copy.
  struct Binding {
    std::optional<LoopId> loop;
    std::int64_t value = 0;
  };

  void Copy(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const BodyItem& item = from_.body[i];
      if (item.kind == BodyKind::kInstruction) {
        CopyInstruction(from_.instructions[item.instruction()]);
        continue;
      }
      const std::size_t close = EndOfLoop(from_, i);
      CopyLoop(item.loop(), i + 1, close);
      i = close;
    }
  }

  void CopyLoop(LoopId id, std::size_t begin, std::size_t end) {
    Loop loop = from_.loops[id];
    const std::int64_t trips = TripCount(loop);
    const Treatment treatment = treatment_[id];
    const std::int64_t written_out = treatment == Treatment::kKeep   ? 0
                                     : treatment == Treatment::kPeel ? 1
                                                                     : trips;
    for (std::int64_t k = 0; k < std::min(written_out, trips); ++k) {
      bindings_[id] = {std::nullopt, loop.begin + k * loop.step};
      Copy(begin, end);
    }
    if (written_out >= trips && trips > 0) return;
    loop.begin += written_out * loop.step;
    loop.parent = open_;
    while (!names_.insert(loop.name).second) loop.name += "_again";
    const LoopId copy = to_.loops.push_back(std::move(loop));
    bindings_[id] = {copy, 0};
    to_.body.push_back({BodyKind::kLoopBegin, copy.value});
    const std::optional<LoopId> around = std::exchange(open_, copy);
    Copy(begin, end);
    open_ = around;
    to_.body.push_back({BodyKind::kLoopEnd, copy.value});
  }

  void CopyInstruction(Instruction instruction) {
    for (Predicate& predicate : instruction.when) Bind(predicate.expr);
    for (const Predicate& predicate : instruction.when) {
      if (predicate.expr.IsConstant() && !Holds({predicate}, {})) return;
    }
    std::erase_if(instruction.when,
                  [](const Predicate& predicate) { return predicate.expr.IsConstant(); });
    for (auto* groups : {&instruction.outputs, &instruction.inputs}) {
      for (OperandGroup& group : *groups) {
        for (Operand& operand : group.operands) {
          for (AffineExpr& block : operand.block) Bind(block);
          Bind(operand.partition_start);
          Bind(operand.free_offset);
        }
      }
    }
    const InstructionId id = to_.instructions.push_back(std::move(instruction));
    to_.body.push_back({BodyKind::kInstruction, id.value});
  }

  void Bind(AffineExpr& expr) const {
    for (AffineTerm& term : expr.terms) {
      const Binding& binding = bindings_[term.loop];
      if (binding.loop) {
        term.loop = *binding.loop;
      } else {
        expr.constant += std::exchange(term.coefficient, 0) * binding.value;
      }
    }
    expr = Normalized(std::move(expr));
  }

  const Kernel& from_;
  IdVector<LoopId, Treatment> treatment_;
  IdVector<LoopId, Binding> bindings_;
  std::optional<LoopId> open_;
  std::set<std::string> names_;
  Kernel to_;
};

}  // namespace

Kernel Unrolled(const Kernel& kernel) {
  return BodyCopy(kernel, IdVector<LoopId, Treatment>(kernel.loops.size(), Treatment::kUnroll))
      .Copy();
}

std::optional<Kernel> Peeled(const Kernel& kernel, std::size_t index) {
  std::vector<LoopId> outermost;
  for (std::size_t l = 0; l < kernel.loops.size(); ++l) {
    if (!kernel.loops[LoopId(l)].parent) outermost.push_back(LoopId(l));
  }
  if (outermost.empty()) return std::nullopt;
  IdVector<LoopId, Treatment> treatment(kernel.loops.size(), Treatment::kKeep);
  treatment[outermost[index % outermost.size()]] = Treatment::kPeel;
  return BodyCopy(kernel, std::move(treatment)).Copy();
}

Kernel WithTrips(Kernel kernel, const std::vector<LoopId>& loops, std::int64_t trips) {
  for (const LoopId id : loops) {
    Loop& loop = kernel.loops[id];
    loop.end = loop.begin + loop.step * std::min(trips, TripCount(loop));
  }
  return kernel;
}

std::vector<LoopId> UniformLoops(const Kernel& kernel) {
  IdVector<LoopId, bool> uniform(kernel.loops.size(), true);
  const auto note = [&](const AffineExpr& expr) {
    if (expr.modulus != 0) return;
    for (const AffineTerm& term : expr.terms) uniform[term.loop] = false;
  };
  for (const Instruction& instruction : kernel.instructions) {
    for (const Predicate& predicate : instruction.when) {
      for (const AffineTerm& term : predicate.expr.terms) uniform[term.loop] = false;
    }
    for (const Access& access : AccessesOf(instruction)) {
      if (access.operand == nullptr || kernel.tensors[access.tensor].space == Space::kDram)
        continue;
      for (const AffineExpr& block : access.operand->block) note(block);
      note(access.operand->partition_start);
      note(access.operand->free_offset);
    }
  }
  std::vector<LoopId> loops;
  for (std::size_t l = 0; l < uniform.size(); ++l) {
    if (uniform[LoopId(l)]) loops.push_back(LoopId(l));
  }
  return loops;
}

}  // namespace spillway
