#include "model/alloc/ir/kernel.h"

#include <array>
#include <numeric>
#include <string_view>

namespace spillway {
namespace {

std::int64_t Product(std::span<const std::int64_t> values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{1}, std::multiplies<>());
}

struct DefaultEngine {
  std::string_view op;
  Engine engine;
};

// Source: nki.isa, the engine that an instruction runs on unless the kernel asks for another.
constexpr std::array kDefaultEngines = {
    DefaultEngine{"nc_matmul", Engine::kPe},
    DefaultEngine{"nc_transpose", Engine::kPe},
    DefaultEngine{"activation", Engine::kAct},
    DefaultEngine{"activation_reduce", Engine::kAct},
    DefaultEngine{"affine_select", Engine::kPool},
    DefaultEngine{"iota", Engine::kPool},
    DefaultEngine{"dma_copy", Engine::kDma},
    DefaultEngine{"dma_transpose", Engine::kDma},
    DefaultEngine{"tensor_copy", Engine::kDve},
    DefaultEngine{"tensor_tensor", Engine::kDve},
    DefaultEngine{"tensor_scalar", Engine::kDve},
    DefaultEngine{"tensor_reduce", Engine::kDve},
    DefaultEngine{"tensor_scalar_reduce", Engine::kDve},
    DefaultEngine{"scalar_tensor_tensor", Engine::kDve},
    DefaultEngine{"tensor_tensor_scan", Engine::kDve},
    DefaultEngine{"reciprocal", Engine::kDve},
    DefaultEngine{"memset", Engine::kDve},
    DefaultEngine{"nc_find_index8", Engine::kDve},
    DefaultEngine{"max8", Engine::kDve},
};

bool HoldsOne(const Predicate& predicate, std::span<const std::int64_t> loop_values) {
  const std::int64_t value = Evaluate(predicate.expr, loop_values);
  switch (predicate.comparison) {
    case Comparison::kGreaterEqual: return value >= 0;
    case Comparison::kGreater: return value > 0;
    case Comparison::kLessEqual: return value <= 0;
    case Comparison::kLess: return value < 0;
    case Comparison::kEqual: return value == 0;
    case Comparison::kNotEqual: return value != 0;
  }
  return false;
}

}  // namespace

std::int64_t BlockCount(const Tensor& tensor) { return Product(tensor.blocks); }

PartitionCount Partitions(const Tensor& tensor) {
  if (tensor.space == Space::kDram || tensor.shape.empty()) return PartitionCount(0);
  return PartitionCount(tensor.shape.front());
}

std::int64_t FreeElements(const Tensor& tensor) {
  const std::span<const std::int64_t> shape(tensor.shape);
  return Product(tensor.space == Space::kDram || shape.empty() ? shape : shape.subspan(1));
}

Bytes BlockBytes(const Tensor& tensor) { return ElementSize(tensor.dtype) * FreeElements(tensor); }

std::int64_t TripCount(const Loop& loop) {
  if (loop.step > 0 && loop.end > loop.begin)
    return (loop.end - loop.begin + loop.step - 1) / loop.step;
  if (loop.step < 0 && loop.end < loop.begin)
    return (loop.begin - loop.end - loop.step - 1) / -loop.step;
  return 0;
}

Engine EngineOf(const Kernel& kernel, const Instruction& instruction) {
  if (instruction.engine) return *instruction.engine;
  for (const DefaultEngine& row : kDefaultEngines) {
    if (row.op == instruction.op) return row.engine;
  }
  for (const auto* groups : {&instruction.inputs, &instruction.outputs}) {
    for (const OperandGroup& group : *groups) {
      for (const Operand& operand : group.operands) {
        if (kernel.tensors[operand.tensor].space == Space::kDram) return Engine::kDma;
      }
    }
  }
  return Engine::kDve;
}

bool Holds(const std::vector<Predicate>& when, std::span<const std::int64_t> loop_values) {
  for (const Predicate& predicate : when) {
    if (!HoldsOne(predicate, loop_values)) return false;
  }
  return true;
}

}  // namespace spillway
