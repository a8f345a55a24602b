#include "model/alloc/sbuf/spill_operands.h"
#include "model/alloc/ir/without_places.h"

namespace spillway {
namespace {

SpillOperands WholeBlock(const Tensor& tensor, TensorId copy, TensorId home,
                         const std::vector<AffineExpr>& block) {
  SpillOperands both;
  both.whole_block = true;
  both.copy.tensor = copy;
  both.copy.partition_count = Partitions(tensor).value;
  both.copy.free_dims = {{1, FreeElements(tensor)}};
  both.home.tensor = home;
  both.home.block = block;
  both.home.free_dims = {{1, Partitions(tensor).value * FreeElements(tensor)}};
  return both;
}

}  // namespace

SpillOperands SpillOperandsOf(const Tensor& tensor, const Operand& operand, TensorId copy,
                              TensorId home, const std::vector<AffineExpr>& block) {
  const Bytes element = ElementSize(operand.as.value_or(tensor.dtype));
  if (BlockBytes(tensor).value % element.value != 0) return WholeBlock(tensor, copy, home, block);
  const std::int64_t row = BlockBytes(tensor) / element;
  const std::optional<AffineExpr> offset =
      ScaleAdd(operand.partition_start, row, operand.free_offset);
  if (!offset) return WholeBlock(tensor, copy, home, block);
  SpillOperands both;
  both.copy = operand;
  both.copy.tensor = copy;
  both.copy.block.clear();
  std::erase_if(both.copy.free_dims, [](const FreeDim& dim) { return dim.step == 0; });
  if (both.copy.free_dims.empty()) both.copy.free_dims = {{1, 1}};
  both.home = both.copy;
  both.home.tensor = home;
  both.home.block = block;
  both.home.partition_start = 0;
  both.home.partition_count = 0;
  both.home.free_offset = *offset;
  both.home.free_dims.insert(both.home.free_dims.begin(), {row, operand.partition_count});
  return both;
}

Tensor MakeHome(const Tensor& tensor, std::string name) {
  Tensor home;
  home.name = std::move(name);
  home.space = Space::kDram;
  home.dtype = tensor.dtype;
  home.shape = tensor.shape;
  home.blocks = tensor.blocks;
  return home;
}

Tensor MakeWorkingCopy(const Tensor& tensor, std::string name) {
  Tensor copy = tensor;
  copy.name = std::move(name);
  copy.role = Role::kInternal;
  copy.blocks.clear();
  ForgetPlace(copy);
  return copy;
}

Instruction MakeSpillDma(SpillRole role, Operand from, Operand to, std::vector<Predicate> when) {
  Instruction dma;
  dma.op = "dma_copy";
  dma.engine = Engine::kDma;
  dma.outputs = {{"dst", {std::move(to)}, false}};
  dma.inputs = {{"src", {std::move(from)}, false}};
  dma.attrs = {{"spill", role == SpillRole::kSave ? "save" : "reload"}};
  dma.when = std::move(when);
  dma.spill = role;
  return dma;
}

}  // namespace spillway
