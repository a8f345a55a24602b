// What the kernels allocated by hand have in common.
#pragma once

#include <string>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway {

/// Rows of a tile, and the contracted rows and columns of a product: what the engines take at once.
inline constexpr std::int64_t kTileRows = 128;
/// Columns of a product: one PSUM bank of float32.
inline constexpr std::int64_t kTileColumns = 512;
inline constexpr std::int64_t kTransposesPerTile = kTileColumns / kTileRows;

KernelBuilder BeginAllocated(std::string name, std::string target, std::string shape);

/// Ones on the diagonal of `identity` (128 x 128): direct allocation has no implicit tensors, so
/// that what transposes on the tensor engine brings its own.
void FillIdentity(KernelBuilder& b, TensorId identity);

void Fill(KernelBuilder& b, const Operand& dst, double value);

/// dst = transposed src, both of 128 x 128, through the tensor engine.
void Transpose(KernelBuilder& b, const Operand& dst, const Operand& src, TensorId identity);

/// dst += stationary^T moving; where `step` is 0, dst is overwritten.
void Accumulate(KernelBuilder& b, const Operand& dst, const Operand& stationary,
                const Operand& moving, const AffineExpr& step);

/// dst = `op` over src's free dimension.
void Reduce(KernelBuilder& b, const Operand& dst, const Operand& src, std::string op);

/// dst = src op operand, one value a row.
void RowScalar(KernelBuilder& b, const Operand& dst, const Operand& src, std::string op,
               const Operand& operand);

}  // namespace spillway
