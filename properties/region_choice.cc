#include "properties/region_choice.h"

#include <cstdlib>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway {
namespace {

enum class Shape {
  kFrontHalf = 4,
  kBackHalf,
  kBand,
  kMovesWithInner,
  kMovesWithOuter,
  kTurns,
  kEveryOther,
  kRepeated,
  kReinterpreted,
  kBandTurns,
  kBandTurnsWithOffset,
  kBackwards,
};
constexpr int kShapes = 16;
constexpr std::int64_t kBand = 32;

void MoveWith(const OpenLoopShape& loop, std::int64_t free, Operand& operand) {
  if (loop.trips < 2) return;
  const std::int64_t count = std::max<std::int64_t>(1, free / loop.trips);
  const std::int64_t pace = (free - count) / (std::abs(loop.step) * (loop.trips - 1));
  if (pace == 0) return;
  operand.free_offset = (IndexOf(loop) - loop.begin) * (loop.step > 0 ? pace : -pace);
  operand.free_dims = {{1, count}};
}

void TurnWith(const OpenLoopShape& loop, std::int64_t free, std::uint8_t detail, Operand& operand) {
  const std::int64_t count = 1 + detail % 3;
  if (free < 2 * count) return;
  operand.free_offset = (IndexOf(loop) * count + count * (detail % 2)) % (free / count * count);
  operand.free_dims = {{1, count}};
}

void Reinterpret(const Tensor& tensor, std::uint8_t detail, Operand& operand) {
  constexpr std::array<DType, 4> kTypes = {DType::kUint8, DType::kUint16, DType::kInt32,
                                           DType::kFloat16};
  const DType type = kTypes[detail % kTypes.size()];
  const std::int64_t bytes = BlockBytes(tensor).value;
  if (bytes % ElementSize(type).value != 0) return;
  operand.as = type;
  operand.free_dims = {{1, bytes / ElementSize(type).value}};
}

}  // namespace

AffineExpr IndexOf(const OpenLoopShape& loop) {
  AffineExpr index;
  index.terms.push_back({loop.id, 1});
  return index;
}

Operand ChooseRegion(const Tensor& tensor, TensorId id, std::span<const OpenLoopShape> loops,
                     std::uint8_t region, std::uint8_t detail, bool is_write) {
  const std::int64_t free = FreeElements(tensor);
  const std::int64_t height = Partitions(tensor).value;
  Operand operand;
  operand.tensor = id;
  operand.partition_count = height;
  operand.free_dims = {{1, free}};
  switch (static_cast<Shape>(region % kShapes)) {
    case Shape::kFrontHalf: operand.free_dims = {{1, (free + 1) / 2}}; break;
    case Shape::kBackHalf:
      operand.free_offset = free / 2;
      operand.free_dims = {{1, free - free / 2}};
      break;
    case Shape::kBand: {
      const std::int64_t start = detail % ((height + kBand - 1) / kBand) * kBand;
      operand.partition_start = start;
      operand.partition_count = std::min(kBand * (1 + detail / 4 % 2), height - start);
      break;
    }
    case Shape::kMovesWithInner:
      if (!loops.empty()) MoveWith(loops.back(), free, operand);
      break;
    case Shape::kMovesWithOuter:
      if (!loops.empty()) MoveWith(loops.front(), free, operand);
      break;
    case Shape::kTurns:
      if (!loops.empty()) TurnWith(loops[detail % loops.size()], free, detail, operand);
      break;
    case Shape::kEveryOther:
      operand.free_offset = free > 1 ? detail % 2 : 0;
      operand.free_dims = {{2, std::max<std::int64_t>(1, free / 2)}};
      break;
    case Shape::kRepeated:
      if (!is_write) operand.free_dims = {{0, 2}, {1, free}};
      break;
    case Shape::kReinterpreted: Reinterpret(tensor, detail, operand); break;
    case Shape::kBandTurns:
    case Shape::kBandTurnsWithOffset: {
      if (loops.empty() || height < 2 * kBand) break;
      operand.partition_start =
          (IndexOf(loops[detail % loops.size()]) * kBand) % (height / kBand * kBand);
      operand.partition_count = kBand;
      if (region % kShapes == static_cast<int>(Shape::kBandTurns)) break;
      operand.free_offset = free / 2;
      operand.free_dims = {{1, free - free / 2}};
      break;
    }
    case Shape::kBackwards:
      operand.free_offset = free - 1;
      operand.free_dims = {{-1, free}};
      break;
    default: break;
  }
  return operand;
}

std::vector<Operand> ChooseHalves(const Tensor& tensor, const Operand& whole, std::uint8_t region) {
  const std::int64_t free = FreeElements(tensor);
  const std::int64_t height = Partitions(tensor).value;
  std::vector<Operand> parts(2, whole);
  if (region % 3 == 0 && free > 1) {
    parts[0].free_dims = {{1, free / 2}};
    parts[1].free_offset = free / 2;
    parts[1].free_dims = {{1, free - free / 2}};
  } else if (region % 3 == 1 && free > 1) {
    parts[0].free_dims = {{2, (free + 1) / 2}};
    parts[1].free_offset = 1;
    parts[1].free_dims = {{2, free / 2}};
  } else if (height > kBand) {
    parts[0].partition_count = kBand;
    parts[1].partition_start = kBand;
    parts[1].partition_count = height - kBand;
  } else {
    parts.pop_back();
  }
  return parts;
}

AffineExpr ChooseBlock(std::int64_t blocks, std::span<const OpenLoopShape> loops,
                       std::uint8_t detail) {
  if (loops.empty() || detail % 2 == 0) return detail / 2 % blocks;
  const OpenLoopShape& loop = loops[detail / 2u % loops.size()];
  return (IndexOf(loop) + detail / 16 % 3) % blocks;
}

}  // namespace spillway
