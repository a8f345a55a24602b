#include "properties/kernel_features.h"

#include <optional>
#include <vector>

#include "model/alloc/ir/exposure.h"
#include "model/alloc/ir/live_intervals.h"

namespace spillway {
namespace {

bool CrossesIterations(const LinearKernel& linear, TensorId tensor) {
  const std::vector<PointAccess>& accesses = linear.accesses_of[tensor];
  const std::optional<LoopId> loop = CommonLoop(linear, accesses);
  return loop && !ExposureOf(linear, accesses, loop).exposed.empty();
}

}  // namespace

KernelFeatures FeaturesOf(const Kernel& kernel) {
  KernelFeatures features;
  const LinearKernel linear = Linearize(kernel);
  for (const Loop& loop : kernel.loops) {
    features.loops = true;
    features.nested_loops = features.nested_loops || loop.parent.has_value();
  }
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    if (tensor.space != Space::kSbuf) continue;
    features.blocks = features.blocks || !tensor.blocks.empty();
    features.narrow = features.narrow || Partitions(tensor) <= PartitionCount(64);
    features.carried = features.carried || CrossesIterations(linear, TensorId(t));
  }
  for (const Instruction& instruction : kernel.instructions) {
    features.predicates = features.predicates || !instruction.when.empty();
    features.accumulation = features.accumulation || IsReadModifyWrite(instruction);
    for (const Access& access : AccessesOf(instruction)) {
      for (const AffineExpr& index : access.operand->block) {
        features.rotating_blocks = features.rotating_blocks || index.modulus != 0;
      }
    }
  }
  return features;
}

}  // namespace spillway
