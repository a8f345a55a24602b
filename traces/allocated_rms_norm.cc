// The kernels that normalise: RmsNormQkv and PrefetchedRmsNorm.
#include <fmt/format.h>

#include "traces/allocated_kernels.h"
#include "traces/allocated_parts.h"
#include "traces/bump_layout.h"

namespace spillway {
namespace {

constexpr DType kBfloat16 = DType::kBfloat16;
constexpr DType kFloat = DType::kFloat32;
constexpr double kEpsilon = 1e-6;
constexpr std::int64_t kLargestWidth = 8192;

/// What a row's normalisation needs beside the row.
struct RowStatistics {
  TensorId epsilon;       ///< a column that holds the small number
  TensorId squares;       ///< rows x width in float32
  TensorId inverse_root;  ///< a column, first the sum of squares
};

/// dst = src / root(mean of src^2 + epsilon), row by row.
void Normalise(KernelBuilder& b, const RowStatistics& with, std::int64_t width, const Operand& dst,
               const Operand& src) {
  b.Instruction("tensor_tensor")
      .Out("dst", b.Whole(with.squares))
      .In("data1", src)
      .In("data2", src)
      .Attr("op", "multiply");
  Reduce(b, b.Whole(with.inverse_root), b.Whole(with.squares), "add");
  b.Instruction("activation")
      .On(Engine::kAct)
      .Out("dst", b.Whole(with.inverse_root))
      .In("data", b.Whole(with.inverse_root))
      .In("bias", b.Whole(with.epsilon))
      .Attr("op", "rsqrt")
      .Attr("scale", 1.0 / static_cast<double>(width));
  RowScalar(b, dst, src, "multiply", b.Whole(with.inverse_root));
}

}  // namespace

Kernel RmsNormQkv(const RmsNormQkvShape& s) {
  SPILLWAY_CHECK(s.batch > 0 && s.rows > 0 && s.width > 0 && s.columns > 0, "sizes are positive");
  SPILLWAY_CHECK(s.rows % kTileRows == 0 && s.width % kTileColumns == 0, "tiles are whole");
  SPILLWAY_CHECK(s.width <= kLargestWidth && s.columns <= kTileColumns,
                 "at most 8192 wide, with 512 columns of weights");
  const std::int64_t tiles = s.rows / kTileRows;
  const std::int64_t groups = s.width / kTileColumns;  // tiles of a transposed row
  KernelBuilder b =
      BeginAllocated("rms_norm_qkv", "trn1",
                     fmt::format("B={} S={} D={} H={}", s.batch, s.rows, s.width, s.columns));
  const TensorId hidden = b.Dram("hidden", kBfloat16, {s.batch, s.rows, s.width}, Role::kInput);
  const TensorId weights_in = b.Dram("weights_in", kBfloat16, {s.width, s.columns}, Role::kInput);
  const TensorId out = b.Dram("out", kBfloat16, {s.batch, s.rows, s.columns}, Role::kOutput);

  BumpLayout sbuf(b);
  const TensorId identity = sbuf.Add("identity", kBfloat16, {kTileRows, kTileRows});
  const TensorId epsilon = sbuf.Add("epsilon", kFloat, {kTileRows, 1});
  const TensorId hidden_tiles = sbuf.Add("hidden_tiles", kBfloat16, {kTileRows, s.width},
                                         {.blocks = {tiles}, .num_free_tiles = {2}});
  const ByteOffset shared = sbuf.end();
  const TensorId squares = sbuf.Add("squares", kFloat, {kTileRows, s.width});
  const TensorId inverse_root = sbuf.Add("inverse_root", kFloat, {kTileRows, 1});
  const TensorId normalised = sbuf.Add("normalised", kBfloat16, {kTileRows, s.width});
  const TensorId result = sbuf.Add("result", kBfloat16, {kTileRows, s.columns});
  const TensorId weights =
      sbuf.Add("weights", kBfloat16, {kTileRows, s.columns},
               {.blocks = {s.width / kTileRows}, .num_free_tiles = {s.width / kTileRows}});
  // The squares are done with once they are summed.
  const TensorId transposed = sbuf.AddAt(shared, "transposed", kBfloat16, {kTileRows, kTileColumns},
                                         {.blocks = {groups}, .num_free_tiles = {groups}});
  const TensorId turned = b.Psum("turned", kBfloat16, {kTileRows, kTileColumns},
                                 {.blocks = {groups}, .alloc = ModuloLaw{.base_bank = BankId(0)}});
  const TensorId product = b.Psum("product", kFloat, {kTileRows, s.columns},
                                  {.alloc = ModuloLaw{.base_bank = BankId(7)}});

  FillIdentity(b, identity);
  Fill(b, b.Whole(epsilon), kEpsilon);
  b.OpenLoop("m", 0, s.width / kTileRows);
  b.Copy(b.Whole(weights).Block({b.Index("m")}),
         b.Whole(weights_in).Tile(b.Index("m") * kTileRows, kTileRows, 0, s.columns));
  b.CloseLoop();
  b.OpenLoop("b", 0, s.batch);
  b.OpenLoop("i", 0, tiles);
  const AffineExpr row = b.Index("b") * s.rows + b.Index("i") * kTileRows;
  const Operand tile = b.Whole(hidden_tiles).Block({b.Index("i")});
  b.Copy(tile, b.Whole(hidden).Tile(row, kTileRows, 0, s.width));
  Normalise(b, {epsilon, squares, inverse_root}, s.width, b.Whole(normalised), tile);
  b.OpenLoop("t", 0, groups);
  b.OpenLoop("u", 0, kTransposesPerTile);
  Transpose(b, b.Whole(turned).Block({b.Index("t")}).Elements(b.Index("u") * kTileRows, kTileRows),
            b.Whole(normalised)
                .Elements(b.Index("t") * kTileColumns + b.Index("u") * kTileRows, kTileRows),
            identity);
  b.CloseLoop();
  b.Copy(b.Whole(transposed).Block({b.Index("t")}), b.Whole(turned).Block({b.Index("t")}))
      .On(Engine::kAct);
  b.CloseLoop();
  b.OpenLoop("t", 0, groups, 1, LoopKind::kSequential);
  b.OpenLoop("u", 0, kTransposesPerTile, 1, LoopKind::kSequential);
  const AffineExpr step = b.Index("t") * kTransposesPerTile + b.Index("u");
  Accumulate(
      b, b.Whole(product),
      b.Whole(transposed).Block({b.Index("t")}).Elements(b.Index("u") * kTileRows, kTileRows),
      b.Whole(weights).Block({step}), step);
  b.CloseLoop();
  b.CloseLoop();
  b.Copy(b.Whole(result), b.Whole(product)).On(Engine::kDve);
  b.Copy(b.Whole(out).Tile(row, kTileRows, 0, s.columns), b.Whole(result));
  b.CloseLoop();
  b.CloseLoop();
  return b.Build();
}

Kernel PrefetchedRmsNorm(const PrefetchedRmsNormShape& s) {
  SPILLWAY_CHECK(s.tiles > 0 && s.width > 0 && s.distance > 0 && s.buffers > 0,
                 "sizes are positive");
  SPILLWAY_CHECK(s.tiles >= s.distance, "there is a tile for every load before the loop");
  KernelBuilder b =
      BeginAllocated("prefetched_rms_norm", "trn1",
                     fmt::format("S={} D={}, {} ahead, {} buffers", s.tiles * kTileRows, s.width,
                                 s.distance, s.buffers));
  const TensorId x = b.Dram("x", kBfloat16, {s.tiles * kTileRows, s.width}, Role::kInput);
  const TensorId y = b.Dram("y", kBfloat16, {s.tiles * kTileRows, s.width}, Role::kOutput);
  BumpLayout sbuf(b);
  const TensorId epsilon = sbuf.Add("epsilon", kFloat, {kTileRows, 1});
  const TensorId hidden_tiles = sbuf.Add("hidden_tiles", kBfloat16, {kTileRows, s.width},
                                         {.blocks = {s.tiles}, .num_free_tiles = {s.buffers}});
  const TensorId squares = sbuf.Add("squares", kFloat, {kTileRows, s.width});
  const TensorId inverse_root = sbuf.Add("inverse_root", kFloat, {kTileRows, 1});
  const TensorId normalised = sbuf.Add("normalised", kBfloat16, {kTileRows, s.width},
                                       {.blocks = {s.tiles}, .num_free_tiles = {2}});

  Fill(b, b.Whole(epsilon), kEpsilon);
  b.OpenLoop("first", 0, s.distance);
  b.Copy(b.Whole(hidden_tiles).Block({b.Index("first")}),
         b.Whole(x).Tile(b.Index("first") * kTileRows, kTileRows, 0, s.width));
  b.CloseLoop();
  b.OpenLoop("i", 0, s.tiles, 1, LoopKind::kSequential);
  const AffineExpr ahead = b.Index("i") + s.distance;
  b.Copy(b.Whole(hidden_tiles).Block({ahead}),
         b.Whole(x).Tile(ahead * kTileRows, kTileRows, 0, s.width))
      .When(LessThan(ahead, s.tiles));
  const Operand done = b.Whole(normalised).Block({b.Index("i")});
  Normalise(b, {epsilon, squares, inverse_root}, s.width, done,
            b.Whole(hidden_tiles).Block({b.Index("i")}));
  b.Copy(b.Whole(y).Tile(b.Index("i") * kTileRows, kTileRows, 0, s.width), done);
  b.CloseLoop();
  return b.Build();
}

}  // namespace spillway
