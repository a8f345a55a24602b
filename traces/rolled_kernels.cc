#include "traces/rolled_kernels.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string>

#include "model/alloc/ir/kernel_builder.h"
#include "model/hw/error.h"

namespace spillway {
namespace {

constexpr std::int64_t kMaxPartitions = 128;  // of the kernel format
constexpr DType kFloat = DType::kFloat32;

void MustBePositive(std::initializer_list<std::int64_t> sizes) {
  for (const std::int64_t size : sizes)
    SPILLWAY_CHECK(size > 0, "a rolled kernel's sizes are positive");
}

KernelBuilder Begin(std::string name, std::string shape) {
  KernelBuilder b(std::move(name), "trn2");
  b.Origin("project", "spillway");
  b.Origin("shape", std::move(shape));
  return b;
}

/// rows x 1 in SBUF.
TensorId Column(KernelBuilder& b, std::string name, std::int64_t rows) {
  return b.Sbuf(std::move(name), kFloat, {rows, 1});
}

}  // namespace

Kernel TiledMatmul(const TiledMatmulShape& s) {
  MustBePositive({s.m_tiles, s.n_tiles, s.k_tiles, s.tile_m, s.tile_n, s.tile_k});
  SPILLWAY_CHECK(s.tile_m <= kMaxPartitions && s.tile_k <= kMaxPartitions,
                 "tiles have at most 128 partitions");
  const std::int64_t k_size = s.k_tiles * s.tile_k;
  const std::int64_t m_size = s.m_tiles * s.tile_m;
  const std::int64_t n_size = s.n_tiles * s.tile_n;
  KernelBuilder b = Begin("tiled_matmul", fmt::format("K={} M={} N={}", k_size, m_size, n_size));
  const TensorId lhs = b.Dram("lhs", DType::kBfloat16, {k_size, m_size}, Role::kInput);
  const TensorId rhs = b.Dram("rhs", DType::kBfloat16, {k_size, n_size}, Role::kInput);
  const TensorId out = b.Dram("out", kFloat, {m_size, n_size}, Role::kOutput);
  const TensorId lhs_tile = b.Sbuf("lhs_tile", DType::kBfloat16, {s.tile_k, s.tile_m});
  const TensorId rhs_tile = b.Sbuf("rhs_tile", DType::kBfloat16, {s.tile_k, s.tile_n});
  const TensorId product = b.Psum("product", kFloat, {s.tile_m, s.tile_n});
  const TensorId result = b.Sbuf("result", kFloat, {s.tile_m, s.tile_n});

  b.OpenLoop("m", 0, s.m_tiles);
  b.OpenLoop("n", 0, s.n_tiles);
  b.OpenLoop("k", 0, s.k_tiles, 1, LoopKind::kSequential);
  const AffineExpr k_row = b.Index("k") * s.tile_k;
  b.Copy(b.Whole(lhs_tile), b.Whole(lhs).Tile(k_row, s.tile_k, b.Index("m") * s.tile_m, s.tile_m));
  b.Copy(b.Whole(rhs_tile), b.Whole(rhs).Tile(k_row, s.tile_k, b.Index("n") * s.tile_n, s.tile_n));
  for (const bool accumulate : {false, true}) {
    b.Instruction("nc_matmul")
        .On(Engine::kPe)
        .Out("dst", b.Whole(product))
        .In("stationary", b.Whole(lhs_tile))
        .In("moving", b.Whole(rhs_tile))
        .Attr("accumulate", accumulate)
        .When(accumulate ? AtLeast(b.Index("k"), 1) : Equals(b.Index("k"), 0));
  }
  b.CloseLoop();
  b.Copy(b.Whole(result), b.Whole(product));
  b.Copy(b.Whole(out).Tile(b.Index("m") * s.tile_m, s.tile_m, b.Index("n") * s.tile_n, s.tile_n),
         b.Whole(result));
  b.CloseLoop();
  b.CloseLoop();
  return b.Build();
}

Kernel RunningMaximumAndSum(const RunningMaximumAndSumShape& s) {
  MustBePositive({s.trips, s.rows, s.width});
  constexpr double kLowest = -3.4028235e+38;  // of float32: below every input, and its exp is 0
  KernelBuilder b =
      Begin("running_maximum_and_sum", fmt::format("{}x{}", s.rows, s.trips * s.width));
  const TensorId x = b.Dram("x", kFloat, {s.rows, s.trips * s.width}, Role::kInput);
  const TensorId maximum_out = b.Dram("maximum", kFloat, {s.rows, 1}, Role::kOutput);
  const TensorId sum_out = b.Dram("sum", kFloat, {s.rows, 1}, Role::kOutput);
  const TensorId maximum = Column(b, "running_maximum", s.rows);
  const TensorId sum = Column(b, "running_sum", s.rows);
  const TensorId tile = b.Sbuf("tile", kFloat, {s.rows, s.width});
  const TensorId exponentials = b.Sbuf("exponentials", kFloat, {s.rows, s.width});
  const TensorId tile_maximum = Column(b, "tile_maximum", s.rows);
  const TensorId tile_sum = Column(b, "tile_sum", s.rows);
  const TensorId grown = Column(b, "grown_maximum", s.rows);
  const TensorId negated = Column(b, "negated_maximum", s.rows);
  const TensorId correction = Column(b, "correction", s.rows);

  b.Instruction("memset").Out("dst", b.Whole(maximum)).Attr("value", kLowest);
  b.Instruction("memset").Out("dst", b.Whole(sum)).Attr("value", 0.0);
  b.OpenLoop("i", 0, s.trips, 1, LoopKind::kSequential);
  b.Copy(b.Whole(tile), b.Whole(x).Tile(0, s.rows, b.Index("i") * s.width, s.width));
  b.Instruction("tensor_reduce")
      .Out("dst", b.Whole(tile_maximum))
      .In("data", b.Whole(tile))
      .Attr("op", "maximum")
      .Attr("axis", 1);
  b.Instruction("tensor_tensor")
      .Out("dst", b.Whole(grown))
      .In("data1", b.Whole(maximum))
      .In("data2", b.Whole(tile_maximum))
      .Attr("op", "maximum");
  b.Instruction("tensor_scalar")
      .Out("dst", b.Whole(negated))
      .In("data", b.Whole(grown))
      .Attr("op0", "multiply")
      .Attr("operand0", -1.0);
  // exp(old maximum - new maximum): what the sum so far must be multiplied by.
  b.Instruction("activation")
      .On(Engine::kAct)
      .Out("dst", b.Whole(correction))
      .In("data", b.Whole(maximum))
      .In("bias", b.Whole(negated))
      .Attr("op", "exp")
      .Attr("scale", 1.0);
  b.Instruction("activation_reduce")
      .On(Engine::kAct)
      .Out("reduce_res", b.Whole(tile_sum))
      .Out("dst", b.Whole(exponentials))
      .In("data", b.Whole(tile))
      .In("bias", b.Whole(negated))
      .Attr("op", "exp")
      .Attr("reduce_op", "add");
  b.Instruction("scalar_tensor_tensor")
      .Out("dst", b.Whole(sum))
      .In("data", b.Whole(sum))
      .In("operand0", b.Whole(correction))
      .In("operand1", b.Whole(tile_sum))
      .Attr("op0", "multiply")
      .Attr("op1", "add");
  b.Copy(b.Whole(maximum), b.Whole(grown));
  b.CloseLoop();
  b.Copy(b.Whole(maximum_out), b.Whole(maximum));
  b.Copy(b.Whole(sum_out), b.Whole(sum));
  return b.Build();
}

Kernel DoubleBuffered(const DoubleBufferedShape& s) {
  MustBePositive({s.trips, s.rows, s.width});
  KernelBuilder b = Begin("double_buffered", fmt::format("{}x{}", s.trips * s.rows, s.width));
  const TensorId x = b.Dram("x", kFloat, {s.trips * s.rows, s.width}, Role::kInput);
  const TensorId y = b.Dram("y", kFloat, {s.trips * s.rows, s.width}, Role::kOutput);
  const TensorId loaded = b.Sbuf("loaded", kFloat, {s.rows, s.width}, {.blocks = {2}});
  const TensorId computed = b.Sbuf("computed", kFloat, {s.rows, s.width}, {.blocks = {2}});

  b.Copy(b.Whole(loaded).Block({0}), b.Whole(x).Tile(0, s.rows, 0, s.width));
  b.OpenLoop("i", 0, s.trips, 1, LoopKind::kSequential);
  const AffineExpr next = b.Index("i") + 1;
  const Operand in = b.Whole(loaded).Block({b.Index("i") % 2});
  const Operand out = b.Whole(computed).Block({b.Index("i") % 2});
  b.Copy(b.Whole(loaded).Block({next % 2}), b.Whole(x).Tile(next * s.rows, s.rows, 0, s.width))
      .When(LessThan(next, s.trips));
  b.Instruction("tensor_scalar")
      .Out("dst", out)
      .In("data", in)
      .Attr("op0", "multiply")
      .Attr("operand0", 2.0);
  b.Instruction("tensor_scalar")
      .Out("dst", out)
      .In("data", out)
      .Attr("op0", "subtract")
      .Attr("operand0", -1.0);
  b.Copy(b.Whole(y).Tile(b.Index("i") * s.rows, s.rows, 0, s.width), out);
  b.CloseLoop();
  return b.Build();
}

Kernel RaggedLastTile(const RaggedLastTileShape& s) {
  MustBePositive({s.trips, s.rows, s.width, s.last_width});
  SPILLWAY_CHECK(s.last_width < s.width, "the last tile is narrower than the others");
  const std::int64_t columns = (s.trips - 1) * s.width + s.last_width;
  KernelBuilder b = Begin("ragged_last_tile", fmt::format("{}x{}", s.rows, columns));
  const TensorId x = b.Dram("x", kFloat, {s.rows, columns}, Role::kInput);
  const TensorId y = b.Dram("y", kFloat, {s.rows, columns}, Role::kOutput);
  const TensorId tile = b.Sbuf("tile", kFloat, {s.rows, s.width});
  const TensorId squares = b.Sbuf("squares", kFloat, {s.rows, s.width});

  b.OpenLoop("i", 0, s.trips);
  const AffineExpr i = b.Index("i");
  const AffineExpr column = i * s.width;
  for (const bool last : {false, true}) {
    const std::int64_t width = last ? s.last_width : s.width;
    const Predicate when = last ? Equals(i, s.trips - 1) : LessThan(i, s.trips - 1);
    const Operand in = b.Whole(tile).Elements(0, width);
    const Operand out = b.Whole(squares).Elements(0, width);
    b.Copy(in, b.Whole(x).Tile(0, s.rows, column, width)).When(when);
    b.Instruction("tensor_tensor")
        .Out("dst", out)
        .In("data1", in)
        .In("data2", in)
        .Attr("op", "multiply")
        .When(when);
    b.Copy(b.Whole(y).Tile(0, s.rows, column, width), out).When(when);
  }
  b.CloseLoop();
  return b.Build();
}

Kernel ValueUsedAfterLoop(const ValueUsedAfterLoopShape& s) {
  MustBePositive({s.trips, s.rows, s.width});
  KernelBuilder b = Begin("value_used_after_loop", fmt::format("{}x{}", s.rows, s.trips * s.width));
  const TensorId x = b.Dram("x", kFloat, {s.rows, s.trips * s.width}, Role::kInput);
  const TensorId scale_in = b.Dram("scale", kFloat, {s.rows, 1}, Role::kInput);
  const TensorId y = b.Dram("y", kFloat, {s.rows, s.trips * s.width}, Role::kOutput);
  const TensorId last_out = b.Dram("last", kFloat, {s.rows, 1}, Role::kOutput);
  const TensorId scale = Column(b, "scale_column", s.rows);
  const TensorId tile = b.Sbuf("tile", kFloat, {s.rows, s.width});
  const TensorId scaled = b.Sbuf("scaled", kFloat, {s.rows, s.width});
  const TensorId row_sum = Column(b, "row_sum", s.rows);
  const TensorId total = Column(b, "total", s.rows);

  b.Copy(b.Whole(scale), b.Whole(scale_in));
  b.OpenLoop("i", 0, s.trips);
  const AffineExpr column = b.Index("i") * s.width;
  b.Copy(b.Whole(tile), b.Whole(x).Tile(0, s.rows, column, s.width));
  b.Instruction("tensor_scalar")
      .Out("dst", b.Whole(scaled))
      .In("data", b.Whole(tile))
      .In("operand0", b.Whole(scale))
      .Attr("op0", "multiply");
  b.Instruction("tensor_reduce")
      .Out("dst", b.Whole(row_sum))
      .In("data", b.Whole(scaled))
      .Attr("op", "add")
      .Attr("axis", 1);
  b.Copy(b.Whole(y).Tile(0, s.rows, column, s.width), b.Whole(scaled));
  b.CloseLoop();
  b.Instruction("tensor_tensor")
      .Out("dst", b.Whole(total))
      .In("data1", b.Whole(row_sum))
      .In("data2", b.Whole(scale))
      .Attr("op", "add");
  b.Copy(b.Whole(last_out), b.Whole(total));
  return b.Build();
}

std::vector<Kernel> RolledKernels() {
  return {TiledMatmul(), RunningMaximumAndSum(), DoubleBuffered(), RaggedLastTile(),
          ValueUsedAfterLoop()};
}

std::vector<Kernel> RolledKernels(std::int64_t trips) {
  return {TiledMatmul({.m_tiles = trips, .n_tiles = trips, .k_tiles = trips}),
          RunningMaximumAndSum({.trips = trips}), DoubleBuffered({.trips = trips}),
          RaggedLastTile({.trips = trips}), ValueUsedAfterLoop({.trips = trips})};
}

}  // namespace spillway
