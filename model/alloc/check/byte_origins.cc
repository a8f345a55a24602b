#include "model/alloc/check/byte_origins.h"

#include <algorithm>

#include "model/alloc/check/element_moves.h"
#include "model/alloc/ir/footprint.h"

namespace spillway::check {
namespace {

// Of one side of a move, and of one output; more than any tile has rows times columns.
constexpr std::size_t kMaxRuns = std::size_t{1} << 18;

constexpr auto kIgnore = [](const Origin&, const Rectangle&) {};

Rectangle RowsOf(const RunMove::Side& side, std::int64_t row, std::int64_t rows,
                 std::int64_t bytes) {
  const std::int64_t partition = side.partition + row * side.partition_step;
  const std::int64_t byte = side.byte + row * side.byte_step;
  return {{Partition(partition), Partition(partition + rows)},
          {ByteOffset(byte), ByteOffset(byte + bytes)}};
}

bool IsRectangle(const RunMove::Side& side) {
  return side.partition_step == 1 && side.byte_step == 0;
}

// `origin` as it counts after its bytes went from one corner to another.
Origin Moved(const Origin& origin, const Rectangle& from, const Rectangle& to) {
  const std::int64_t rows = (from.partitions.begin - to.partitions.begin).value;
  const std::int64_t bytes = (from.bytes.begin - to.bytes.begin).value;
  return {origin.producer, origin.base + rows * origin.row_step + bytes, origin.row_step};
}

}  // namespace

ByteOrigins::ByteOrigins(const Kernel& kernel, const Placement& places,
                         const std::map<std::string, std::uint64_t, std::less<>>& number_of_dram)
    : kernel_(kernel), places_(places) {
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    const auto number = number_of_dram.find(tensor.name);
    if (tensor.space != Space::kDram || number == number_of_dram.end()) continue;
    for (std::size_t block = 0; block < places.addresses[TensorId(t)].size(); ++block) {
      const ByteOffset byte = places.addresses[TensorId(t)][block].byte;
      const Origin origin{InitialBytesOf(number->second, block), -byte.value, 0};
      PlaneOf(TensorId(t))
          .Replace({{Partition(0), Partition(1)}, {byte, byte + BlockBytes(tensor)}}, origin,
                   kIgnore);
    }
  }
}

Rectangle ByteOrigins::Placed(TensorId tensor, std::int64_t block, const Rectangle& where) const {
  const Address& at = places_.addresses[tensor][static_cast<std::size_t>(block)];
  const PartitionCount rows = at.partition - Partition(0);
  const Bytes bytes = at.byte - ByteOffset(0);
  return {{where.partitions.begin + rows, where.partitions.end + rows},
          {where.bytes.begin + bytes, where.bytes.end + bytes}};
}

void ByteOrigins::Look(TensorId tensor, std::int64_t block, const Rectangle& where,
                       std::vector<OriginPart>& parts) const {
  const Rectangle placed = Placed(tensor, block, where);
  PlaneOf(tensor).Look(placed, [&](const Origin& origin, const Rectangle& piece) {
    const PartitionCount rows = placed.partitions.begin - Partition(0);
    const Bytes bytes = placed.bytes.begin - ByteOffset(0);
    const Rectangle part{{piece.partitions.begin - rows, piece.partitions.end - rows},
                         {piece.bytes.begin - bytes, piece.bytes.end - bytes}};
    const std::int64_t base = origin.base + rows.value * origin.row_step + bytes.value;
    parts.push_back({part, {origin.producer, base, origin.row_step}});
  });
}

void ByteOrigins::Write(const Access& access, std::span<const std::int64_t> values,
                        Producer producer) {
  const Footprint footprint = FootprintOf(kernel_, access, values, kMaxRuns);
  const auto blocks = static_cast<std::int64_t>(places_.addresses[access.tensor].size());
  const std::int64_t first = std::max<std::int64_t>(footprint.block, 0);
  const std::int64_t end = footprint.block < 0 ? blocks : std::min(first + 1, blocks);
  const bool on_chip = kernel_.tensors[access.tensor].space != Space::kDram;
  for (std::int64_t block = first; block < end; ++block) {
    const Address& at = places_.addresses[access.tensor][static_cast<std::size_t>(block)];
    const std::int64_t row = on_chip ? kProducerRow : 0;
    const Origin origin{producer,
                        -at.partition.value * row - at.byte.value +
                            (footprint.block < 0 ? block * (kProducerRow / 512) : 0),
                        row};
    for (const Interval<ByteOffset>& run : footprint.runs) {
      PlaneOf(access.tensor)
          .Replace(Placed(access.tensor, block, {footprint.partitions, run}), origin, kIgnore);
    }
  }
}

void ByteOrigins::AddPiece(const Rectangle& where, const Origin& origin) {
  if (!pieces_.empty()) {
    Piece& last = pieces_.back();
    if (last.origin == origin && last.where.bytes == where.bytes &&
        last.where.partitions.end == where.partitions.begin) {
      last.where.partitions.end = where.partitions.end;
      return;
    }
  }
  pieces_.push_back({where, origin});
}

void ByteOrigins::Carry(TensorId from, const Rectangle& source, const Rectangle& target) {
  const PartitionCount rows = target.partitions.begin - source.partitions.begin;
  const Bytes bytes = target.bytes.begin - source.bytes.begin;
  PlaneOf(from).Look(source, [&](const Origin& origin, const Rectangle& piece) {
    AddPiece({{piece.partitions.begin + rows, piece.partitions.end + rows},
              {piece.bytes.begin + bytes, piece.bytes.end + bytes}},
             Moved(origin, source, target));
  });
}

void ByteOrigins::Move(const Instruction& move, std::span<const std::int64_t> values) {
  const Operand& from = move.inputs.front().operands.front();
  const Operand& to = move.outputs.front().operands.front();
  const std::int64_t from_block = BlockIndex(kernel_.tensors[from.tensor], from, values);
  const std::int64_t to_block = BlockIndex(kernel_.tensors[to.tensor], to, values);
  if (!HasPlace(from.tensor, from_block) || !HasPlace(to.tensor, to_block)) return;
  const auto moves = RunMovesOf(kernel_, move, values, kMaxRuns);
  if (!moves) {
    Write({to.tensor, &to, "dst", true, false}, values, kAnything);
    return;
  }
  pieces_.clear();
  for (const RunMove& runs : *moves) {
    if (runs.rows == 1 || (IsRectangle(runs.from) && IsRectangle(runs.to))) {
      Carry(from.tensor,
            Placed(from.tensor, from_block, RowsOf(runs.from, 0, runs.rows, runs.bytes)),
            Placed(to.tensor, to_block, RowsOf(runs.to, 0, runs.rows, runs.bytes)));
      continue;
    }
    // Rows of one tensor in DRAM that come to lie below each other stay one piece.
    const Rectangle first = Placed(from.tensor, from_block, RowsOf(runs.from, 0, 1, runs.bytes));
    Rectangle hull = first;
    hull.bytes.end = hull.bytes.end + Bytes((runs.rows - 1) * runs.from.byte_step);
    const bool stacks =
        IsRectangle(runs.to) && runs.from.partition_step == 0 && runs.from.byte_step > 0;
    const Origin* whole = stacks ? PlaneOf(from.tensor).Covering(hull) : nullptr;
    if (whole != nullptr) {
      const Rectangle target =
          Placed(to.tensor, to_block, RowsOf(runs.to, 0, runs.rows, runs.bytes));
      const std::int64_t row = first.partitions.begin.value;
      const std::int64_t base = whole->base + row * whole->row_step + first.bytes.begin.value;
      const std::int64_t step = runs.from.byte_step;
      AddPiece(target,
               {whole->producer,
                base - target.partitions.begin.value * step - target.bytes.begin.value, step});
      continue;
    }
    for (std::int64_t row = 0; row < runs.rows; ++row) {
      Carry(from.tensor, Placed(from.tensor, from_block, RowsOf(runs.from, row, 1, runs.bytes)),
            Placed(to.tensor, to_block, RowsOf(runs.to, row, 1, runs.bytes)));
    }
  }
  for (const Piece& piece : pieces_) PlaneOf(to.tensor).Replace(piece.where, piece.origin, kIgnore);
}

}  // namespace spillway::check
