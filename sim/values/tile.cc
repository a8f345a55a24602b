#include "sim/values/tile.h"

#include "model/alloc/ir/footprint.h"
#include "model/hw/error.h"
#include "sim/values/convert.h"
#include "sim/values/op_facts.h"
#include "sim/values/pattern.h"

namespace spillway {

Tile::Tile(std::int64_t rows, std::int64_t columns)
    : rows_(rows),
      columns_(columns),
      values_(std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(rows * columns))) {}

Tile Tile::Reshaped(std::int64_t rows, std::int64_t columns) && {
  SPILLWAY_CHECK(rows * columns == size(), "a matrix of another size");
  Tile tile = std::move(*this);
  tile.rows_ = rows;
  tile.columns_ = columns;
  return tile;
}

Tile LoadTile(const OpContext& context, const Operand& operand) {
  const Pattern pattern = PatternOf(context.kernel, operand, context.loop_values);
  const BlockView view = context.memory.Block(pattern.tensor, pattern.block);
  const auto row_bytes = static_cast<std::size_t>(pattern.row_bytes());
  Tile tile(pattern.rows, pattern.columns);
  std::vector<std::byte> packed(pattern.contiguous_row() ? 0 : row_bytes);
  for (std::int64_t row = 0; row < pattern.rows; ++row) {
    if (pattern.contiguous_row()) {
      const std::byte* from = RowBase(pattern, view, row) + pattern.start;
      DecodeElements(pattern.dtype, {from, row_bytes}, tile.row(row));
    } else {
      GatherRow(pattern, view, row, packed);
      DecodeElements(pattern.dtype, packed, tile.row(row));
    }
  }
  return tile;
}

std::vector<std::byte> Encoded(const OpContext& context, const Operand& operand, const Tile& tile) {
  const DType dtype = OperandDType(context.kernel, operand);
  std::vector<std::byte> packed(static_cast<std::size_t>(tile.size() * ElementSize(dtype).value));
  EncodeElements(dtype, tile.all(), packed);
  return packed;
}

std::vector<std::byte> LoadBytes(const OpContext& context, const Operand& operand) {
  return Gather(PatternOf(context.kernel, operand, context.loop_values), context.memory);
}

InstructionResult Assemble(const OpContext& context, NamedOutputs outputs) {
  InstructionResult result;
  for (const OperandGroup& group : context.instruction.outputs) {
    for (auto& [name, bytes] : outputs) {
      if (name == group.name) result.outputs.push_back(std::move(bytes));
    }
  }
  SPILLWAY_CHECK(result.outputs.size() == context.instruction.outputs.size(),
                 "an operation computes all of its outputs");
  return result;
}

Broadcast::Broadcast(const OpContext& context, std::string_view name, std::int64_t rows,
                     float otherwise) {
  if (const Operand* operand = Input(context.instruction, name)) {
    Tile tile = LoadTile(context, *operand);
    if (tile.size() == 1) {
      number_ = tile.all().front();
      return;
    }
    is_number_ = false;
    const std::int64_t columns = tile.size() / rows;
    values_ = std::move(tile).Reshaped(rows, columns);
    return;
  }
  const std::optional<double> number = NumberAttr(context.instruction.attrs, name);
  number_ = number ? static_cast<float>(*number) : otherwise;
}

RowOperand Broadcast::row(std::int64_t r) const {
  if (is_number_) return {&number_, true};
  return {values_.row(r).data(), values_.columns() == 1};
}

}  // namespace spillway
