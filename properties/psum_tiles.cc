#include "properties/psum_tiles.h"

#include <algorithm>
#include <array>

#include "model/alloc/ir/modulo_law.h"

namespace spillway {
namespace {

// Taller ones would take longer than they tell.
constexpr std::int64_t kMostWidePartitions = 4;

// Elements of a partition that end before, at and behind the end of one bank or two.
std::int64_t WideElements(DType type, std::uint8_t choice) {
  constexpr std::array<std::int64_t, 8> kAround = {-1, 0, 1, 0, -1, 1, 0, 1};
  const std::int64_t banks = choice % 8 < 6 ? 1 : 2;
  return banks * (kAddressBankBytes.value / ElementSize(type).value) + kAround[choice % 8];
}

}  // namespace

const PsumTiles::Tile& PsumTiles::Make(Tensor tensor, std::vector<AffineExpr> only_block) {
  tensor.space = Space::kPsum;
  tensor.shape[0] = std::min(tensor.shape[0], most_.value);
  const TensorId id = builder_.Add(tensor);
  tiles_.push_back({id, std::move(tensor), std::move(only_block)});
  return tiles_.back();
}

const PsumTiles::Tile& PsumTiles::Add(const Choice& c, std::string name, std::int64_t partitions,
                                      std::int64_t free_elements) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.shape = {partitions, free_elements};
  if (c.guard % 16 == 15) {
    constexpr std::array<DType, 3> kTypes = {DType::kFloat32, DType::kBfloat16, DType::kUint8};
    tensor.dtype = kTypes[c.guard / 16u % kTypes.size()];
    tensor.shape = {std::min(partitions, kMostWidePartitions), WideElements(tensor.dtype, c.size)};
  }
  return Make(std::move(tensor), {});
}

const PsumTiles::Tile& PsumTiles::AddBlocks(const Choice& c, std::string name,
                                            std::int64_t partitions, std::int64_t free_elements,
                                            std::span<const OpenLoopShape> loops) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.shape = {partitions, free_elements};
  const std::int64_t blocks = 2 + c.detail % 2;
  tensor.blocks = {blocks};
  if (loops.empty() || c.region % 2 == 0) return Make(std::move(tensor), {});
  return Make(std::move(tensor), {IndexOf(loops[c.detail / 2u % loops.size()]) % blocks});
}

std::vector<Operand> PsumTiles::Openings(const Tile& tile) const {
  std::vector<Operand> operands;
  if (tile.tensor.blocks.empty() || !tile.only_block.empty()) {
    return {builder_.Whole(tile.id).Block(tile.only_block)};
  }
  for (std::int64_t b = 0; b < tile.tensor.blocks.front(); ++b) {
    operands.push_back(builder_.Whole(tile.id).Block({AffineExpr(b)}));
  }
  return operands;
}

const PsumTiles::Tile& PsumTiles::Pick(std::uint8_t back) const {
  SPILLWAY_CHECK(!tiles_.empty(), "there is a tile to pick");
  return tiles_[tiles_.size() - 1 - back % tiles_.size()];
}

Operand PsumTiles::Part(const Tile& tile, std::uint8_t region, std::uint8_t detail, bool is_write,
                        std::span<const OpenLoopShape> loops) const {
  Operand operand = ChooseRegion(tile.tensor, tile.id, loops, region, detail, is_write);
  operand.block = Block(tile, detail, loops).block;
  return operand;
}

Operand PsumTiles::Evacuated(const Tile& tile, std::uint8_t detail,
                             std::span<const OpenLoopShape> loops) const {
  Operand operand = Block(tile, detail, loops);
  constexpr std::int64_t kMost = 64;
  constexpr std::int64_t kFew = 8;
  const std::int64_t free = FreeElements(tile.tensor);
  if (free <= kMost) return operand;
  operand.free_offset = detail % 4 == 0 ? 0 : free - kFew;
  operand.free_dims = {{1, kFew}};
  return operand;
}

void PsumTiles::OpenLoop() { before_.push_back(tiles_.size()); }

void PsumTiles::CloseLoop(LoopId closed, bool may_not_run) {
  if (may_not_run) {
    while (tiles_.size() > before_.back()) tiles_.pop_back();
  }
  before_.pop_back();
  std::erase_if(tiles_, [&](const Tile& tile) {
    return std::any_of(tile.only_block.begin(), tile.only_block.end(), [&](const AffineExpr& e) {
      return std::any_of(e.terms.begin(), e.terms.end(),
                         [&](const AffineTerm& term) { return term.loop == closed; });
    });
  });
}

Operand PsumTiles::Block(const Tile& tile, std::uint8_t detail,
                         std::span<const OpenLoopShape> loops) const {
  std::vector<AffineExpr> block = tile.only_block;
  if (!tile.tensor.blocks.empty() && block.empty())
    block = {ChooseBlock(tile.tensor.blocks.front(), loops, detail)};
  return builder_.Whole(tile.id).Block(std::move(block));
}

}  // namespace spillway
