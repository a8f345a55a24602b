#include "traces/published_kernels.h"

#include <fmt/format.h>

#include <string>

#include "model/alloc/ir/kernel_builder.h"
#include "model/hw/error.h"

namespace spillway {
namespace {

constexpr DType kBfloat16 = DType::kBfloat16;
// Rows, contracted rows and columns of a product, the largest that the tensor engine takes.
constexpr std::int64_t kTileM = 128;
constexpr std::int64_t kTileK = 128;
constexpr std::int64_t kTileN = 512;

// Tiles in a row that V0 computes with one load of their stationary operand: 32 x 32 such operands
// in ceil(8 / 3) groups are 3072 loads, the multiple of 1024 next to the 3068 that were seen.
constexpr std::int64_t kV0Group = 3;
// Moving operands that V0 loads before it multiplies the first of them. A buffer is loaded anew as
// soon as its product is done, so that eight loads are under way beside the products.
constexpr std::int64_t kV0Ahead = 8;
constexpr std::int64_t kV0StationaryBuffers = 2;
constexpr std::int64_t kBlockM = 8;  // BM and BN of V1 and V2
constexpr std::int64_t kBlockN = 2;
constexpr std::int64_t kMovingBlockBuffers = 2;  // a block's right-hand side and the next one's
constexpr std::int64_t kPsumBuffers = 2;         // a tile adds up while the one before is copied

struct Matmul {
  // `in_a_row` tiles of the result are stored together.
  Matmul(std::string name, const PublishedMatmulShape& s, std::string traffic,
         std::int64_t in_a_row)
      : b(std::move(name), "trn2") {
    SPILLWAY_CHECK(s.m_tiles > 0 && s.n_tiles > 0 && s.k_tiles > 0, "sizes are positive");
    const std::int64_t m = s.m_tiles * kTileM;
    const std::int64_t n = s.n_tiles * kTileN;
    const std::int64_t k = s.k_tiles * kTileK;
    b.Origin("project", "spillway");
    b.Origin("licence", "Apache-2.0");
    b.Origin("shape", fmt::format("K={} M={} N={}", k, m, n));
    b.Origin("traffic", std::move(traffic));
    lhs = b.Dram("lhs", kBfloat16, {k, m}, Role::kInput);
    rhs = b.Dram("rhs", kBfloat16, {k, n}, Role::kInput);
    out = b.Dram("out", kBfloat16, {m, n}, Role::kOutput);
    product = b.Psum("product", DType::kFloat32, {kTileM, kTileN}, {.blocks = {kPsumBuffers}});
    result = b.Sbuf("result", kBfloat16, {kTileM, kTileN}, {.blocks = {in_a_row}});
  }

  // Adds product `k` onto the PSUM tile of `number`.
  void Multiply(const AffineExpr& number, const AffineExpr& k, const Operand& stationary,
                const Operand& moving, const std::vector<Predicate>& when = {}) {
    for (const bool accumulate : {false, true}) {
      InstructionBuilder matmul = b.Instruction("nc_matmul")
                                      .On(Engine::kPe)
                                      .Out("dst", b.Whole(product).Block({number % kPsumBuffers}))
                                      .In("stationary", stationary)
                                      .In("moving", moving)
                                      .Attr("accumulate", accumulate)
                                      .When(accumulate ? AtLeast(k, 1) : Equals(k, 0));
      for (const Predicate& predicate : when) matmul.When(predicate);
    }
  }

  // Converts the PSUM tile of `number` to the tile of the result that is `place`th in its row.
  void Convert(const AffineExpr& place, const AffineExpr& number,
               const std::vector<Predicate>& when = {}) {
    InstructionBuilder copy =
        b.Copy(b.Whole(result).Block({place}), b.Whole(product).Block({number % kPsumBuffers}))
            .On(Engine::kDve);
    for (const Predicate& predicate : when) copy.When(predicate);
  }

  // Stores that tile as tile (m, n) of the matrix.
  void Store(const AffineExpr& place, const AffineExpr& m, const AffineExpr& n,
             const std::vector<Predicate>& when = {}) {
    InstructionBuilder store = b.Copy(b.Whole(out).Tile(m * kTileM, kTileM, n * kTileN, kTileN),
                                      b.Whole(result).Block({place}));
    for (const Predicate& predicate : when) store.When(predicate);
  }

  // The rows of tile `k`, `width` columns from `column` on.
  Operand Rows(TensorId matrix, const AffineExpr& k, const AffineExpr& column,
               std::int64_t width) const {
    return b.Whole(matrix).Tile(k * kTileK, kTileK, column, width);
  }

  KernelBuilder b;
  TensorId lhs;
  TensorId rhs;
  TensorId out;
  TensorId product;
  TensorId result;
};

std::string Traffic(std::string_view version, std::int64_t narrow, std::int64_t wide,
                    std::int64_t row, std::int64_t stores) {
  std::string loads;
  const auto add = [&loads](std::int64_t count, int bytes) {
    if (count > 0)
      loads += fmt::format("{}{} of 128x{} B", loads.empty() ? "" : " and ", count, bytes);
  };
  add(narrow, 256);
  add(wide, 1024);
  add(row, 2048);
  const std::int64_t bytes = 128 * (256 * narrow + 1024 * (wide + stores) + 2048 * row);
  return fmt::format("{}: loads {}, {} stores of 128x1024 B, {} bytes in all", version, loads,
                     stores, bytes);
}

// V1 and V2: `rows` says whether a load brings a row of a block's tiles or one tile.
Kernel Blocked(std::string name, const PublishedMatmulShape& s, std::string traffic, bool rows) {
  SPILLWAY_CHECK(s.m_tiles % kBlockM == 0 && s.n_tiles % kBlockN == 0, "blocks are whole");
  Matmul t(std::move(name), s, std::move(traffic), kBlockN);
  KernelBuilder& b = t.b;
  const std::int64_t m_per_load = rows ? kBlockM : 1;
  const std::int64_t n_per_load = rows ? kBlockN : 1;
  const std::int64_t m_width = m_per_load * kTileM;
  const std::int64_t n_width = n_per_load * kTileN;
  const TensorId lhs_tiles = b.Sbuf("lhs_tiles", kBfloat16, {kTileK, m_width},
                                    {.blocks = {kBlockM / m_per_load, s.k_tiles}});
  const TensorId rhs_tiles =
      b.Sbuf("rhs_tiles", kBfloat16, {kTileK, n_width},
             {.blocks = {kMovingBlockBuffers, kBlockN / n_per_load, s.k_tiles}});

  b.OpenLoop("mb", 0, s.m_tiles / kBlockM);
  b.OpenLoop("bm", 0, kBlockM / m_per_load);
  b.OpenLoop("k", 0, s.k_tiles);
  b.Copy(b.Whole(lhs_tiles).Block({b.Index("bm"), b.Index("k")}),
         t.Rows(t.lhs, b.Index("k"), b.Index("mb") * (kBlockM * kTileM) + b.Index("bm") * m_width,
                m_width));
  b.CloseLoop();
  b.CloseLoop();
  b.OpenLoop("nb", 0, s.n_tiles / kBlockN);
  const AffineExpr buffer = b.Index("nb") % kMovingBlockBuffers;
  b.OpenLoop("bn", 0, kBlockN / n_per_load);
  b.OpenLoop("k", 0, s.k_tiles);
  b.Copy(b.Whole(rhs_tiles).Block({buffer, b.Index("bn"), b.Index("k")}),
         t.Rows(t.rhs, b.Index("k"), b.Index("nb") * (kBlockN * kTileN) + b.Index("bn") * n_width,
                n_width));
  b.CloseLoop();
  b.CloseLoop();
  b.OpenLoop("bm", 0, kBlockM);
  b.OpenLoop("bn", 0, kBlockN);
  const AffineExpr bm = b.Index("bm");
  const AffineExpr bn = b.Index("bn");
  b.OpenLoop("k", 0, s.k_tiles, 1, LoopKind::kSequential);
  const AffineExpr k = b.Index("k");
  const Operand stationary =
      rows ? Operand(b.Whole(lhs_tiles).Block({0, k}).Elements(bm * kTileM, kTileM))
           : Operand(b.Whole(lhs_tiles).Block({bm, k}));
  const Operand moving =
      rows ? Operand(b.Whole(rhs_tiles).Block({buffer, 0, k}).Elements(bn * kTileN, kTileN))
           : Operand(b.Whole(rhs_tiles).Block({buffer, bn, k}));
  t.Multiply(bn, k, stationary, moving);
  b.CloseLoop();
  t.Convert(bn, bn);
  b.CloseLoop();
  b.OpenLoop("bn", 0, kBlockN);
  t.Store(b.Index("bn"), b.Index("mb") * kBlockM + bm, b.Index("nb") * kBlockN + b.Index("bn"));
  for (int loop = 0; loop < 4; ++loop) b.CloseLoop();
  return b.Build();
}

}  // namespace

Kernel MatmulV0(const PublishedMatmulShape& s) {
  SPILLWAY_CHECK(s.k_tiles % kV0Ahead == 0, "K is whole rounds of loads");
  const std::int64_t groups = (s.n_tiles + kV0Group - 1) / kV0Group;
  Matmul t("matmul_v0", s,
           Traffic("V0", s.m_tiles * groups * s.k_tiles, s.m_tiles * s.n_tiles * s.k_tiles, 0,
                   s.m_tiles * s.n_tiles),
           kV0Group);
  KernelBuilder& b = t.b;
  const TensorId lhs_tiles = b.Sbuf("lhs_tiles", kBfloat16, {kTileK, kTileM},
                                    {.blocks = {kV0StationaryBuffers, s.k_tiles}});
  const TensorId rhs_tiles =
      b.Sbuf("rhs_tiles", kBfloat16, {kTileK, kTileN}, {.blocks = {kV0Ahead}});

  b.OpenLoop("m", 0, s.m_tiles);
  b.OpenLoop("group", 0, groups);
  const AffineExpr first = b.Index("group") * kV0Group;
  const AffineExpr buffer = (b.Index("m") * groups + b.Index("group")) % kV0StationaryBuffers;
  b.OpenLoop("n", 0, kV0Group);
  const AffineExpr n = first + b.Index("n");
  const Predicate inside = LessThan(n, s.n_tiles);
  b.OpenLoop("round", 0, s.k_tiles / kV0Ahead, 1, LoopKind::kSequential);
  b.OpenLoop("load", 0, kV0Ahead);
  const AffineExpr loaded = b.Index("round") * kV0Ahead + b.Index("load");
  b.Copy(b.Whole(lhs_tiles).Block({buffer, loaded}),
         t.Rows(t.lhs, loaded, b.Index("m") * kTileM, kTileM))
      .When(Equals(b.Index("n"), 0));
  b.Copy(b.Whole(rhs_tiles).Block({b.Index("load")}), t.Rows(t.rhs, loaded, n * kTileN, kTileN))
      .When(inside);
  b.CloseLoop();
  b.OpenLoop("k", 0, kV0Ahead, 1, LoopKind::kSequential);
  const AffineExpr k = b.Index("round") * kV0Ahead + b.Index("k");
  t.Multiply(n, k, b.Whole(lhs_tiles).Block({buffer, k}), b.Whole(rhs_tiles).Block({b.Index("k")}),
             {inside});
  b.CloseLoop();
  b.CloseLoop();
  t.Convert(b.Index("n"), n, {inside});
  b.CloseLoop();
  b.OpenLoop("n", 0, kV0Group);
  t.Store(b.Index("n"), b.Index("m"), first + b.Index("n"),
          {LessThan(first + b.Index("n"), s.n_tiles)});
  for (int loop = 0; loop < 3; ++loop) b.CloseLoop();
  return b.Build();
}

Kernel MatmulV1(const PublishedMatmulShape& s) {
  const std::int64_t m_blocks = s.m_tiles / kBlockM;
  return Blocked("matmul_v1", s,
                 Traffic("V1", s.m_tiles * s.k_tiles, m_blocks * s.n_tiles * s.k_tiles, 0,
                         s.m_tiles * s.n_tiles),
                 false);
}

Kernel MatmulV2(const PublishedMatmulShape& s) {
  const std::int64_t m_blocks = s.m_tiles / kBlockM;
  return Blocked(
      "matmul_v2", s,
      Traffic("V2", 0, 0, m_blocks * (1 + s.n_tiles / kBlockN) * s.k_tiles, s.m_tiles * s.n_tiles),
      true);
}

std::vector<Kernel> PublishedKernels() { return {MatmulV0(), MatmulV1(), MatmulV2()}; }

}  // namespace spillway
