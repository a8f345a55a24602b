// Kernels of the project's own that keep their loops, at any trip count.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

// All sizes are at least 1; partitions at most 128. Other values throw ContractViolation. Every
// kernel reads back through the kernel reader, and computes the formula that stands beside it.

/// out[m, n] = sum over k of lhs[k, m] * rhs[k, n], in three nested loops; the innermost adds onto
/// one PSUM tile, whose first product overwrites.
struct TiledMatmulShape {
  std::int64_t m_tiles = 2;
  std::int64_t n_tiles = 2;
  std::int64_t k_tiles = 3;
  std::int64_t tile_m = 128;  ///< at most 128
  std::int64_t tile_n = 512;  ///< at most 512: one PSUM bank of float32
  std::int64_t tile_k = 128;  ///< at most 128
};
Kernel TiledMatmul(const TiledMatmulShape& shape = {});

/// maximum[r] = max over c of x[r, c]; sum[r] = sum over c of exp(x[r, c] - maximum[r]), in one
/// pass that carries both from tile to tile and rescales the sum when the maximum grows.
struct RunningMaximumAndSumShape {
  std::int64_t trips = 4;
  std::int64_t rows = 128;
  std::int64_t width = 256;  ///< columns of a tile
};
Kernel RunningMaximumAndSum(const RunningMaximumAndSumShape& shape = {});

/// y = 2 x + 1 tile by tile; tile i + 1 is loaded into the other buffer before tile i is used.
struct DoubleBufferedShape {
  std::int64_t trips = 5;
  std::int64_t rows = 128;  ///< of a tile
  std::int64_t width = 256;
};
Kernel DoubleBuffered(const DoubleBufferedShape& shape = {});

/// y = x * x over columns that are no multiple of the tile: the last trip handles `last_width`.
struct RaggedLastTileShape {
  std::int64_t trips = 3;  ///< the narrow tile included
  std::int64_t rows = 128;
  std::int64_t width = 256;
  std::int64_t last_width = 100;  ///< less than `width`
};
Kernel RaggedLastTile(const RaggedLastTileShape& shape = {});

/// y = x * scale, row by row, and last[r] = scale[r] + sum over the last tile's columns of y[r, c]:
/// `scale` is defined before the loop and used in it and after it, the row sum is defined in it and
/// used after it.
struct ValueUsedAfterLoopShape {
  std::int64_t trips = 4;
  std::int64_t rows = 128;
  std::int64_t width = 256;
};
Kernel ValueUsedAfterLoop(const ValueUsedAfterLoopShape& shape = {});

/// All five, in the order above, at their default sizes. traces/rolled holds them printed.
std::vector<Kernel> RolledKernels();
/// The same with `trips` trips in every loop.
std::vector<Kernel> RolledKernels(std::int64_t trips);

}  // namespace spillway
