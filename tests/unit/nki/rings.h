// Small hand-placed kernels with rings of tiles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/target.h"

namespace spillway {

inline constexpr std::int64_t kRows = 128;
inline constexpr std::int64_t kRow = 16;              ///< elements of a partition
inline constexpr std::int64_t kTileBytes = 2 * kRow;  ///< of bfloat16

inline const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}

/// A kernel from x to y through SBUF, a DMA a tile; every tile is 128 x 16 bfloat16.
class RingKernel {
 public:
  explicit RingKernel(std::int64_t rows_of_tiles) : b_("rings", "trn2") {
    x_ = b_.Dram("x", DType::kBfloat16, {rows_of_tiles * kRows, kRow}, Role::kInput);
    y_ = b_.Dram("y", DType::kBfloat16, {rows_of_tiles * kRows, kRow}, Role::kOutput);
  }

  TensorId Ring(const std::string& name, std::vector<std::int64_t> blocks,
                std::vector<std::int64_t> tiles, std::int64_t base = 0) {
    TensorOptions options;
    options.blocks = std::move(blocks);
    options.alloc.emplace();
    options.alloc->base_addr = ByteOffset(base);
    options.alloc->num_free_tiles = std::move(tiles);
    return b_.Sbuf(name, DType::kBfloat16, {kRows, kRow}, std::move(options));
  }

  InstructionBuilder Load(TensorId ring, std::vector<AffineExpr> block, const AffineExpr& row) {
    return b_.Copy(b_.Whole(ring).Block(std::move(block)),
                   b_.Whole(x_).Tile(row * kRows, kRows, 0, kRow));
  }
  InstructionBuilder Store(TensorId ring, std::vector<AffineExpr> block, const AffineExpr& row) {
    return b_.Copy(b_.Whole(y_).Tile(row * kRows, kRows, 0, kRow),
                   b_.Whole(ring).Block(std::move(block)));
  }

  KernelBuilder& builder() { return b_; }
  AffineExpr Open(const std::string& loop, std::int64_t trips) {
    b_.OpenLoop(loop, 0, trips);
    return b_.Index(loop);
  }
  void Close() { b_.CloseLoop(); }
  Kernel Build() const { return b_.Build(); }

 private:
  KernelBuilder b_;
  TensorId x_;
  TensorId y_;
};

/// Loads k[i] and stores k[i - skew] in iteration i.
inline Kernel Pipeline(std::int64_t trips, std::int64_t skew, std::int64_t tiles) {
  RingKernel kernel(trips);
  const TensorId k = kernel.Ring("k", {trips}, {tiles});
  const AffineExpr i = kernel.Open("i", trips);
  kernel.Load(k, {i}, i);
  kernel.Store(k, {i - skew}, i - skew).When(AtLeast(i, skew));
  kernel.Close();
  return kernel.Build();
}

/// Loads all blocks, then stores all.
inline Kernel FillThenRead(std::int64_t blocks, std::int64_t tiles, std::int64_t base = 0) {
  RingKernel kernel(blocks);
  const TensorId k = kernel.Ring("k", {blocks}, {tiles}, base);
  const AffineExpr i = kernel.Open("i", blocks);
  kernel.Load(k, {i}, i).Source("kernel.py:3");
  kernel.Close();
  const AffineExpr j = kernel.Open("j", blocks);
  kernel.Store(k, {j}, j).Source("kernel.py:7");
  kernel.Close();
  return kernel.Build();
}

}  // namespace spillway
