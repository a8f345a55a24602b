// Attention with all scores of a tile of queries in SBUF: AttentionBankMap.
#include <fmt/format.h>

#include <cmath>

#include "traces/allocated_kernels.h"
#include "traces/allocated_parts.h"
#include "traces/bump_layout.h"

namespace spillway {
namespace {

constexpr DType kBfloat16 = DType::kBfloat16;
constexpr DType kFloat = DType::kFloat32;
constexpr std::int64_t kHead = 128;  // d
constexpr std::int64_t kGroups = 2;  // tiles of queries that are under way together
constexpr std::int64_t kHalves = 2;  // of the keys: each has a product with v of its own
constexpr std::int64_t kBanks = 8;   // of the kernel's map
constexpr std::int64_t kTurnBanks = 4;

/// The maps of banks: a list of addresses, row-major over (group, tile of 512 keys). Scores take
/// all banks, each group from another one on; transposed tiles the lower four, as the products lie
/// in the upper four.
std::vector<Address> BankMap(std::int64_t key_tiles, std::int64_t banks) {
  std::vector<Address> at;
  for (std::int64_t group = 0; group < kGroups; ++group) {
    for (std::int64_t tile = 0; tile < key_tiles; ++tile)
      at.push_back(AtPsumBank((tile + group * banks / kGroups) % banks));
  }
  return at;
}

struct Attention {
  explicit Attention(const AttentionBankMapShape& shape)
      : s(shape),
        key_tiles(s.sequence / kTileColumns),
        b(BeginAllocated("attention_bank_map", "trn1",
                         fmt::format("bs={} S={} d={}", s.batch, s.sequence, kHead))) {
    q = b.Dram("q", kFloat, {s.batch, kHead, s.sequence}, Role::kInput);
    k = b.Dram("k", kFloat, {s.batch, kHead, s.sequence}, Role::kInput);
    v = b.Dram("v", kFloat, {s.batch, s.sequence, kHead}, Role::kInput);
    out = b.Dram("out", kFloat, {s.batch, s.sequence, kHead}, Role::kOutput);
    PlaceTensors();
  }

  void PlaceTensors() {
    const std::int64_t row_tiles = s.sequence / kTileRows;
    const TileCounts by_group{.blocks = {kGroups}, .num_free_tiles = {kGroups}};
    const TileCounts by_row{.blocks = {row_tiles}, .num_free_tiles = {row_tiles}};
    BumpLayout sbuf(b);
    identity = sbuf.Add("identity", kBfloat16, {kTileRows, kTileRows});
    zero_bias = sbuf.Add("zero_bias", kFloat, {kTileRows, 1});
    scale = sbuf.Add("scale", kFloat, {kHead, 1});
    loaded_queries = sbuf.Add("loaded_queries", kFloat, {kHead, kTileColumns},
                              {.blocks = {key_tiles}, .num_free_tiles = {2}});
    q_tiles = sbuf.Add("q_tiles", kBfloat16, {kHead, kTileRows}, by_row);
    k_tiles = sbuf.Add("k_tiles", kBfloat16, {kHead, kTileColumns},
                       {.blocks = {key_tiles}, .num_free_tiles = {key_tiles}});
    v_tiles = sbuf.Add("v_tiles", kBfloat16, {kTileRows, kHead}, by_row);
    scores = sbuf.Add("scores", kBfloat16, {kTileRows, s.sequence}, by_group);
    tile_maxima = sbuf.Add("tile_maxima", kFloat, {kTileRows, key_tiles}, by_group);
    maximum = sbuf.Add("maximum", kFloat, {kTileRows, 1}, by_group);
    negated = sbuf.Add("negated_maximum", kFloat, {kTileRows, 1}, by_group);
    exponentials = sbuf.Add("exponentials", kBfloat16, {kTileRows, s.sequence}, by_group);
    half_sums = sbuf.Add("half_sums", kFloat, {kTileRows, kHalves}, by_group);
    sum = sbuf.Add("sum", kFloat, {kTileRows, 1}, by_group);
    reciprocal = sbuf.Add("reciprocal", kFloat, {kTileRows, 1}, by_group);
    transposed = sbuf.Add("transposed", kBfloat16, {kTileRows, kTileColumns},
                          {.blocks = {kGroups, key_tiles}, .num_free_tiles = {kGroups, key_tiles}});
    result = sbuf.Add("result", kFloat, {kTileRows, kHead},
                      {.blocks = {kGroups}, .num_free_tiles = {1}});

    score_banks = b.Psum(
        "score_banks", kFloat, {kTileRows, kTileColumns},
        {.blocks = {kGroups, key_tiles}, .at = BankMap(key_tiles, kBanks), .by_function = true});
    turned = b.Psum("turned", kBfloat16, {kTileRows, kTileColumns},
                    {.blocks = {kGroups, key_tiles},
                     .at = BankMap(key_tiles, kTurnBanks),
                     .by_function = true});
    for (const std::int64_t half : {0, 1}) {
      const ModuloLaw law{.base_bank = BankId(static_cast<std::uint32_t>(4 + kGroups * half)),
                          .num_bank_tiles = {kGroups}};
      products[half] = b.Psum(half == 0 ? "first_product" : "second_product", kFloat,
                              {kTileRows, kHead}, {.blocks = {kGroups}, .alloc = law});
    }
  }

  void LoadOperands() {
    b.OpenLoop("t", 0, key_tiles);
    const AffineExpr column = b.Index("t") * kTileColumns;
    const AffineExpr first_row = b.Index("b") * kHead;
    b.Copy(b.Whole(loaded_queries).Block({b.Index("t")}),
           b.Whole(q).Tile(first_row, kHead, column, kTileColumns));
    b.Copy(b.Whole(k_tiles).Block({b.Index("t")}),
           b.Whole(k).Tile(first_row, kHead, column, kTileColumns));
    b.OpenLoop("u", 0, kTransposesPerTile);
    RowScalar(
        b, b.Whole(q_tiles).Block({b.Index("t") * kTransposesPerTile + b.Index("u")}),
        b.Whole(loaded_queries).Block({b.Index("t")}).Elements(b.Index("u") * kTileRows, kTileRows),
        "multiply", b.Whole(scale));
    b.CloseLoop();
    b.CloseLoop();
    b.OpenLoop("r", 0, s.sequence / kTileRows);
    b.Copy(
        b.Whole(v_tiles).Block({b.Index("r")}),
        b.Whole(v).Tile(b.Index("b") * s.sequence + b.Index("r") * kTileRows, kTileRows, 0, kHead));
    b.CloseLoop();
  }

  /// The scores of group g, with the maximum of each tile.
  void Scores() {
    b.OpenLoop("g", 0, kGroups);
    b.OpenLoop("t", 0, key_tiles);
    const AffineExpr g = b.Index("g");
    const AffineExpr t = b.Index("t");
    const Operand bank = b.Whole(score_banks).Block({g, t});
    b.Instruction("nc_matmul")
        .On(Engine::kPe)
        .Out("dst", bank)
        .In("stationary", b.Whole(q_tiles).Block({b.Index("i") * kGroups + g}))
        .In("moving", b.Whole(k_tiles).Block({t}))
        .Attr("accumulate", false);
    Reduce(b, b.Whole(tile_maxima).Block({g}).Elements(t, 1), bank, "maximum");
    b.Instruction("activation")
        .On(Engine::kAct)
        .Out("dst", b.Whole(scores).Block({g}).Elements(t * kTileColumns, kTileColumns))
        .In("data", bank)
        .In("bias", b.Whole(zero_bias))
        .Attr("op", "copy")
        .Attr("scale", 1.0);
    b.CloseLoop();
    b.CloseLoop();
  }

  /// exp(score - maximum), and one over the sum of a row.
  void Exponentials() {
    b.OpenLoop("g", 0, kGroups);
    const AffineExpr g = b.Index("g");
    Reduce(b, b.Whole(maximum).Block({g}), b.Whole(tile_maxima).Block({g}), "maximum");
    b.Instruction("tensor_scalar")
        .Out("dst", b.Whole(negated).Block({g}))
        .In("data", b.Whole(maximum).Block({g}))
        .Attr("op0", "multiply")
        .Attr("operand0", -1.0);
    b.OpenLoop("h", 0, kHalves);
    const std::int64_t half = s.sequence / kHalves;
    b.Instruction("activation_reduce")
        .On(Engine::kAct)
        .Out("dst", b.Whole(exponentials).Block({g}).Elements(b.Index("h") * half, half))
        .Out("reduce_res", b.Whole(half_sums).Block({g}).Elements(b.Index("h"), 1))
        .In("data", b.Whole(scores).Block({g}).Elements(b.Index("h") * half, half))
        .In("bias", b.Whole(negated).Block({g}))
        .Attr("op", "exp")
        .Attr("reduce_op", "add")
        .Attr("scale", 1.0);
    b.CloseLoop();
    Reduce(b, b.Whole(sum).Block({g}), b.Whole(half_sums).Block({g}), "add");
    b.Instruction("reciprocal")
        .Out("dst", b.Whole(reciprocal).Block({g}))
        .In("data", b.Whole(sum).Block({g}));
    b.CloseLoop();
  }

  void TransposeExponentials() {
    b.OpenLoop("t", 0, key_tiles);
    b.OpenLoop("u", 0, kTransposesPerTile);
    const AffineExpr column = b.Index("u") * kTileRows;
    const Operand bank = b.Whole(turned).Block({b.Index("g"), b.Index("t")});
    Transpose(b, b.Whole(turned).Block({b.Index("g"), b.Index("t")}).Elements(column, kTileRows),
              b.Whole(exponentials)
                  .Block({b.Index("g")})
                  .Elements(b.Index("t") * kTileColumns + column, kTileRows),
              identity);
    b.CloseLoop();
    b.Copy(b.Whole(transposed).Block({b.Index("g"), b.Index("t")}), bank).On(Engine::kDve);
    b.CloseLoop();
  }

  void MultiplyWithValues(std::int64_t half) {
    const std::int64_t tiles = key_tiles / kHalves;
    b.OpenLoop("t", half * tiles, (half + 1) * tiles, 1, LoopKind::kSequential);
    b.OpenLoop("u", 0, kTransposesPerTile, 1, LoopKind::kSequential);
    const AffineExpr row_tile = b.Index("t") * kTransposesPerTile + b.Index("u");
    Accumulate(b, b.Whole(products[half]).Block({b.Index("g")}),
               b.Whole(transposed)
                   .Block({b.Index("g"), b.Index("t")})
                   .Elements(b.Index("u") * kTileRows, kTileRows),
               b.Whole(v_tiles).Block({row_tile}), row_tile - half * tiles * kTransposesPerTile);
    b.CloseLoop();
    b.CloseLoop();
  }

  void Store() {
    const Operand tile = b.Whole(result).Block({b.Index("g")});
    const Operand by = b.Whole(reciprocal).Block({b.Index("g")});
    RowScalar(b, tile, b.Whole(products[0]).Block({b.Index("g")}), "multiply", by);
    b.Instruction("scalar_tensor_tensor")
        .Out("dst", tile)
        .In("data", b.Whole(products[1]).Block({b.Index("g")}))
        .In("operand0", by)
        .In("operand1", tile)
        .Attr("op0", "multiply")
        .Attr("op1", "add");
    const AffineExpr row =
        b.Index("b") * s.sequence + (b.Index("i") * kGroups + b.Index("g")) * kTileRows;
    b.Copy(b.Whole(out).Tile(row, kTileRows, 0, kHead), tile);
  }

  AttentionBankMapShape s;
  std::int64_t key_tiles;
  KernelBuilder b;
  TensorId q, k, v, out;
  TensorId identity, zero_bias, scale, loaded_queries, q_tiles, k_tiles, v_tiles, scores;
  TensorId tile_maxima, maximum, negated, exponentials, half_sums, sum, reciprocal;
  TensorId transposed, result;
  TensorId score_banks, turned;
  TensorId products[kHalves];
};

}  // namespace

Kernel AttentionBankMap(const AttentionBankMapShape& s) {
  SPILLWAY_CHECK(s.batch > 0 && s.sequence > 0 && s.sequence % (kHalves * kTileColumns) == 0,
                 "the sequence is a multiple of 1024");
  Attention a(s);
  KernelBuilder& b = a.b;
  FillIdentity(b, a.identity);
  Fill(b, b.Whole(a.zero_bias), 0.0);
  Fill(b, b.Whole(a.scale), 1.0 / std::sqrt(static_cast<double>(kHead)));
  b.OpenLoop("b", 0, s.batch);
  a.LoadOperands();
  b.OpenLoop("i", 0, s.sequence / (kGroups * kTileRows));
  a.Scores();
  a.Exponentials();
  b.OpenLoop("g", 0, kGroups);
  a.TransposeExponentials();
  for (const std::int64_t half : {0, 1}) a.MultiplyWithValues(half);
  a.Store();
  for (int loop = 0; loop < 3; ++loop) b.CloseLoop();
  return b.Build();
}

}  // namespace spillway
