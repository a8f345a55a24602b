#include "properties/kernel_transforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
