#include "model/alloc/sbuf/working_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/alloc/sbuf/height_class.h"

namespace spillway {
namespace {

struct NeededBlock {
  TensorId tensor;
  std::vector<AffineExpr> block;
  friend bool operator==(const NeededBlock&, const NeededBlock&) = default;
};

std::vector<NeededBlock> BlocksOf(const Kernel& kernel, const Instruction& instruction) {
  std::vector<NeededBlock> blocks;
  for (const Access& access : AccessesOf(instruction)) {
    if (kernel.tensors[access.tensor].space != Space::kSbuf) continue;
    NeededBlock needed{access.tensor, {}};
    if (access.operand != nullptr) needed.block = access.operand->block;
    if (std::find(blocks.begin(), blocks.end(), needed) == blocks.end())
      blocks.push_back(std::move(needed));
  }
  return blocks;
}

std::int64_t QuadrantsTall(const Tensor& tensor) {
  return std::popcount(static_cast<unsigned>(BandsOf(ClassOf(Partitions(tensor))).front()));
}

}  // namespace

Bytes WorkingSetOf(const Kernel& kernel, const Instruction& instruction, Bytes granule) {
  Bytes sum(0);
  for (const NeededBlock& needed : BlocksOf(kernel, instruction)) {
    sum += RoundUp(BlockBytes(kernel.tensors[needed.tensor]), granule);
  }
  return sum;
}

std::optional<Error> FindOversized(const LinearKernel& linear, Bytes capacity, Bytes granule) {
  const Kernel& kernel = linear.kernel;
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    const Instruction& instruction = kernel.instructions[InstructionId(i)];
    if (WorkingSetOf(kernel, instruction, granule) <= capacity) continue;
    std::int64_t area = 0;
    Bytes exact(0);
    std::string names;
    for (const NeededBlock& needed : BlocksOf(kernel, instruction)) {
      const Tensor& tensor = kernel.tensors[needed.tensor];
      const Bytes bytes = RoundUp(BlockBytes(tensor), granule);
      if (bytes > capacity) {
        return Error{Kind::kCapacity, "tensor-too-big",
                     fmt::format("{} is too big for SB, requires {} bytes with SB size {}",
                                 tensor.name, BlockBytes(tensor).value, capacity.value),
                     "", 0};
      }
      area += bytes.value * QuadrantsTall(tensor);
      exact += BlockBytes(tensor);
      names += fmt::format("{}{} ({} bytes)", names.empty() ? "" : ", ", tensor.name,
                           BlockBytes(tensor).value);
    }
    if (area <= capacity.value * static_cast<std::int64_t>(kQuadrants)) continue;
    return Error{
        Kind::kInstructionWorkingSet, "instruction-exceeds-sbuf",
        fmt::format("instruction {} ({}{}{}) needs {} bytes per partition at once: {}; the usable "
                    "partition has {}, and spilling can't help: use smaller tiles",
                    i, instruction.op, instruction.src.empty() ? "" : " at ", instruction.src,
                    exact.value, names, capacity.value),
        "", 0};
  }
  return std::nullopt;
}

}  // namespace spillway
