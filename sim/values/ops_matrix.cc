#include <Eigen/Core>
#include <algorithm>
#include <array>

#include "model/hw/error.h"
#include "sim/values/op_table.h"
#include "sim/values/tile.h"

namespace spillway {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Reason CheckMatmul(const Kernel&, const Instruction& instruction) {
  const Operand& stationary = *Input(instruction, "stationary");
  const Operand& moving = *Input(instruction, "moving");
  const Operand& dst = *Output(instruction, "dst");
  if (RowsOf(stationary) != RowsOf(moving)) return "stationary and moving differ in partitions";
  if (RowsOf(dst) != ColumnsOf(stationary) || ColumnsOf(dst) != ColumnsOf(moving)) {
    return "dst isn't shaped as the product";
  }
  // The double modes fold a free dimension into the contraction.
  const std::string_view mode = StringAttr(instruction.attrs, "perf_mode");
  if (!mode.empty() && !mode.ends_with("none")) return "perf_mode \"" + std::string(mode) + "\"";
  return std::nullopt;
}

/// Blocks of a product depend on what caches Eigen believes in; sums over them must not depend on
/// the machine.
void FixBlocking() {
  static const bool fixed = [] {
    Eigen::setCpuCacheSizes(32 * 1024, 512 * 1024, 4 * 1024 * 1024);
    return true;
  }();
  SPILLWAY_CHECK(fixed, "cache sizes are set once");
}

/// product[m, n] = sum over k of stationary[k, m] * moving[k, n], in float32, single-threaded.
Tile Product(const Tile& stationary, const Tile& moving) {
  FixBlocking();
  Tile product(stationary.columns(), moving.columns());
  const Eigen::Map<const Matrix> a(stationary.all().data(), stationary.rows(),
                                   stationary.columns());
  const Eigen::Map<const Matrix> b(moving.all().data(), moving.rows(), moving.columns());
  Eigen::Map<Matrix> c(product.all().data(), product.rows(), product.columns());
  c.noalias() = a.transpose() * b;
  return product;
}

bool IsIdentity(const Tile& tile) {
  if (tile.rows() != tile.columns()) return false;
  for (std::int64_t r = 0; r < tile.rows(); ++r) {
    for (std::int64_t c = 0; c < tile.columns(); ++c) {
      if (tile.row(r)[static_cast<std::size_t>(c)] != (r == c ? 1.0f : 0.0f)) return false;
    }
  }
  return true;
}

/// In transpose mode the array moves stationary values past an identity without arithmetic, so that
/// infinities and NaNs arrive as they are. Source: NKI ISA, nc_matmul, transpose mode.
Tile TransposedStationary(const Tile& stationary) {
  Tile product(stationary.columns(), stationary.rows());
  for (std::int64_t m = 0; m < product.rows(); ++m) {
    for (std::int64_t n = 0; n < product.columns(); ++n) {
      product.row(m)[static_cast<std::size_t>(n)] = stationary.row(n)[static_cast<std::size_t>(m)];
    }
  }
  return product;
}

InstructionResult ComputeMatmul(const OpContext& c) {
  const std::vector<Attr>& attrs = c.instruction.attrs;
  const Operand& dst = *Output(c.instruction, "dst");
  const Tile stationary = LoadTile(c, *Input(c.instruction, "stationary"));
  const Tile moving = LoadTile(c, *Input(c.instruction, "moving"));
  const bool moves = BoolAttr(attrs, "is_transpose", false) && IsIdentity(moving);
  Tile product = moves ? TransposedStationary(stationary) : Product(stationary, moving);
  if (BoolAttr(attrs, "accumulate", false)) {
    const Tile old = LoadTile(c, dst);
    ApplyRow(BinaryOp::kAdd, true, product.all(), {old.all().data(), false});
  }
  return Assemble(c, {{"dst", Encoded(c, dst, product)}});
}

}  // namespace

std::span<const NumericOp> MatrixOps() {
  static constexpr std::array kOps = {
      NumericOp{"nc_matmul",
                {"dst", "stationary moving", "accumulate is_transpose perf_mode"},
                CheckMatmul,
                ComputeMatmul},
  };
  return kOps;
}

}  // namespace spillway
