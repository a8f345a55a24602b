#include "model/alloc/check/element_moves.h"

#include <algorithm>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/footprint.h"

namespace spillway::check {
namespace {

struct Run {
  std::int64_t partition = 0;
  std::int64_t byte = 0;
  std::int64_t bytes = 0;
};

const Operand* OnlyOperand(const std::vector<OperandGroup>& groups) {
  if (groups.size() != 1 || groups.front().operands.size() != 1) return nullptr;
  const Operand& operand = groups.front().operands.front();
  return operand.indirect.empty() ? &operand : nullptr;
}

// Runs in the order of the elements, each as long as its neighbours in memory go.
std::optional<std::vector<Run>> RunsInOrder(const Kernel& kernel, const Operand& operand,
                                            std::span<const std::int64_t> values,
                                            std::size_t max_runs) {
  const bool on_chip = kernel.tensors[operand.tensor].space != Space::kDram;
  const std::int64_t element = ElementSize(OperandDType(kernel, operand)).value;
  std::int64_t run = 1;
  std::size_t outer = operand.free_dims.size();
  while (outer > 0) {
    const FreeDim& dim = operand.free_dims[outer - 1];
    if (dim.count != 1 && dim.step != run) break;
    run *= dim.count;
    --outer;
  }
  std::size_t count = on_chip ? static_cast<std::size_t>(operand.partition_count) : 1;
  for (std::size_t d = 0; d < outer; ++d)
    count *= static_cast<std::size_t>(operand.free_dims[d].count);
  if (count > max_runs) return std::nullopt;
  std::vector<Run> runs;
  runs.reserve(count);
  const std::int64_t row = on_chip ? Evaluate(operand.partition_start, values) : 0;
  runs.push_back({row, Evaluate(operand.free_offset, values) * element, run * element});
  std::vector<Run> next;
  const auto repeat = [&](std::int64_t times, std::int64_t rows, std::int64_t bytes) {
    if (times == 1) return;
    // Outer dimensions come first in the order, so the inner ones repeat as a whole.
    next.clear();
    for (std::int64_t i = 0; i < times; ++i) {
      for (const Run& known : runs)
        next.push_back({known.partition + i * rows, known.byte + i * bytes, known.bytes});
    }
    runs.swap(next);
  };
  for (std::size_t d = outer; d-- > 0;)
    repeat(operand.free_dims[d].count, 0, operand.free_dims[d].step * element);
  if (on_chip) repeat(operand.partition_count, 1, 0);
  return runs;
}

bool Continues(const RunMove::Side& side, std::int64_t rows, std::int64_t partition,
               std::int64_t byte) {
  return partition == side.partition + rows * side.partition_step &&
         byte == side.byte + rows * side.byte_step;
}

// Appends a piece to the last move where it goes on in equal steps.
void Append(std::vector<RunMove>& moves, const RunMove& piece) {
  if (!moves.empty() && moves.back().bytes == piece.bytes) {
    RunMove& last = moves.back();
    if (last.rows == 1) {
      last.from.partition_step = piece.from.partition - last.from.partition;
      last.from.byte_step = piece.from.byte - last.from.byte;
      last.to.partition_step = piece.to.partition - last.to.partition;
      last.to.byte_step = piece.to.byte - last.to.byte;
      ++last.rows;
      return;
    }
    if (Continues(last.from, last.rows, piece.from.partition, piece.from.byte) &&
        Continues(last.to, last.rows, piece.to.partition, piece.to.byte)) {
      ++last.rows;
      return;
    }
  }
  moves.push_back(piece);
}

}  // namespace

bool IsMove(const Kernel& kernel, const Instruction& instruction) {
  const Operand* from = OnlyOperand(instruction.inputs);
  const Operand* to = OnlyOperand(instruction.outputs);
  if (from == nullptr || to == nullptr || IsReadModifyWrite(instruction)) return false;
  if (instruction.spill == SpillRole::kNone) {
    const Role role = kernel.tensors[from->tensor].role;
    const bool constant = role == Role::kInput || role == Role::kConstant;
    const bool on_chip = kernel.tensors[to->tensor].space != Space::kDram;
    if (instruction.op != "dma_copy" || !constant || !on_chip) return false;
  }
  return OperandDType(kernel, *from) == OperandDType(kernel, *to) &&
         ElementCount(*from) == ElementCount(*to);
}

std::optional<std::vector<RunMove>> RunMovesOf(const Kernel& kernel, const Instruction& move,
                                               std::span<const std::int64_t> values,
                                               std::size_t max_runs) {
  const auto from = RunsInOrder(kernel, *OnlyOperand(move.inputs), values, max_runs);
  const auto to = RunsInOrder(kernel, *OnlyOperand(move.outputs), values, max_runs);
  if (!from || !to) return std::nullopt;
  std::vector<RunMove> moves;
  std::int64_t from_done = 0;
  std::int64_t to_done = 0;
  for (std::size_t f = 0, t = 0; f < from->size() && t < to->size();) {
    const Run& source = (*from)[f];
    const Run& target = (*to)[t];
    RunMove piece;
    piece.bytes = std::min(source.bytes - from_done, target.bytes - to_done);
    piece.from = {source.partition, source.byte + from_done, 0, 0};
    piece.to = {target.partition, target.byte + to_done, 0, 0};
    Append(moves, piece);
    from_done += piece.bytes;
    to_done += piece.bytes;
    if (from_done == source.bytes) ++f, from_done = 0;
    if (to_done == target.bytes) ++t, to_done = 0;
  }
  return moves;
}

}  // namespace spillway::check
