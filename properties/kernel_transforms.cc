#include "properties/kernel_transforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "model/alloc/ir/access.h"

namespace spillway {
namespace {

// A draw below `n` that is the same on every machine.
std::size_t Draw(std::mt19937_64& random, std::size_t n) {
  return static_cast<std::size_t>(random() % n);
}

template <class Change>
void ForEachOperand(Kernel& kernel, Change change) {
  for (Instruction& instruction : kernel.instructions) {
    for (auto* groups : {&instruction.outputs, &instruction.inputs}) {
      for (OperandGroup& group : *groups) {
        for (Operand& operand : group.operands) change(operand);
      }
    }
  }
}

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

bool Conflict(const Instruction& a, const Instruction& b) {
  for (const Access& x : AccessesOf(a)) {
    for (const Access& y : AccessesOf(b)) {
      if (x.tensor == y.tensor && (x.is_write || y.is_write)) return true;
    }
  }
  return false;
}

}  // namespace

Kernel WithOtherNames(Kernel kernel, std::uint64_t seed) {
  constexpr std::array<std::string_view, 4> kTails = {"_ReloadStore1", "_SpillSave1", "_Split1",
                                                      ""};
  std::mt19937_64 random(seed);
  std::set<std::string> taken;
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.role != Role::kInternal) taken.insert(tensor.name);
  }
  std::string stem = "a";
  for (Tensor& tensor : kernel.tensors) {
    if (tensor.role != Role::kInternal) continue;
    // Some names are made of the previous one, as an allocator makes them.
    std::string name = stem + std::string(kTails[Draw(random, kTails.size())]);
    while (!taken.insert(name).second) name = fmt::format("n{}", Draw(random, 100'000));
    stem = tensor.name = name;
  }
  ForEachOperand(kernel, [&](Operand& operand) {
    if (operand.offsets) operand.indirect = kernel.tensors[*operand.offsets].name;
  });
  return kernel;
}

Kernel WithOtherOrder(const Kernel& kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> order(kernel.tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[Draw(random, i)]);
  Kernel permuted = kernel;
  permuted.tensors = {};
  IdVector<TensorId, TensorId> new_id(order.size());
  for (const std::size_t old : order) {
    new_id[TensorId(old)] = permuted.tensors.push_back(kernel.tensors[TensorId(old)]);
  }
  ForEachOperand(permuted, [&](Operand& operand) {
    operand.tensor = new_id[operand.tensor];
    if (operand.offsets) operand.offsets = new_id[*operand.offsets];
  });
  return permuted;
}

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

Kernel Scaled(Kernel kernel, std::int64_t factor) {
  for (Tensor& tensor : kernel.tensors) tensor.shape.push_back(factor);
  ForEachOperand(kernel, [&](Operand& operand) {
    operand.free_offset = ScaleAdd(operand.free_offset, factor, AffineExpr(0)).value();
    for (FreeDim& dim : operand.free_dims) dim.step *= factor;
    operand.free_dims.push_back({1, factor});
  });
  return kernel;
}

Kernel WithSwappedNeighbors(Kernel kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t round = 0; round < 3 * kernel.body.size(); ++round) {
    const std::size_t at = Draw(random, kernel.body.size());
    if (at + 1 >= kernel.body.size()) continue;
    const BodyItem& first = kernel.body[at];
    const BodyItem& second = kernel.body[at + 1];
    if (first.kind != BodyKind::kInstruction || second.kind != BodyKind::kInstruction) continue;
    Instruction& a = kernel.instructions[first.instruction()];
    Instruction& b = kernel.instructions[second.instruction()];
    if (!Conflict(a, b)) std::swap(a, b);
  }
  return kernel;
}

Kernel WithUnusedTensor(Kernel kernel) {
  Tensor unused;
  unused.name = "unused_tensor";
  unused.shape = {128, 64};
  kernel.tensors.push_back(std::move(unused));
  return kernel;
}

Kernel WithDeadTile(const Kernel& kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Kernel with = kernel;
  Tensor tile;
  tile.name = "dead_tile";
  tile.shape = {std::int64_t{32} << Draw(random, 3), 8};
  Operand all;
  all.partition_count = tile.shape.front();
  all.free_dims = {{1, tile.shape.back()}};
  all.tensor = with.tensors.push_back(std::move(tile));
  Instruction memset;
  memset.op = "memset";
  memset.outputs = {{"dst", {all}, false}};
  const std::size_t at = Draw(random, kernel.body.size() + 1);
  with.instructions = {};
  with.body.clear();
  const auto emit = [&](const Instruction& instruction) {
    const InstructionId id = with.instructions.push_back(instruction);
    with.body.push_back({BodyKind::kInstruction, id.value});
  };
  for (std::size_t i = 0; i <= kernel.body.size(); ++i) {
    if (i == at) emit(memset);
    if (i == kernel.body.size()) break;
    const BodyItem& item = kernel.body[i];
    if (item.kind == BodyKind::kInstruction) {
      emit(kernel.instructions[item.instruction()]);
    } else {
      with.body.push_back(item);
    }
  }
  return with;
}

Kernel Reversed(const Kernel& kernel) {
  Kernel reversed = kernel;
  std::reverse(reversed.instructions.begin(), reversed.instructions.end());
  for (Instruction& instruction : reversed.instructions) {
    std::swap(instruction.inputs, instruction.outputs);
  }
  return reversed;
}

}  // namespace spillway
