// Attention by sections of the keys, two tiles of queries in turns: PipelinedAttention.
#include <fmt/format.h>

#include <cmath>

#include "traces/allocated_kernels.h"
#include "traces/allocated_parts.h"
#include "traces/bump_layout.h"

namespace spillway {
namespace {

constexpr DType kBfloat16 = DType::kBfloat16;
constexpr DType kFloat = DType::kFloat32;
constexpr std::int64_t kHead = 128;      // d
constexpr std::int64_t kGroups = 2;      // tiles of queries that take turns
constexpr std::int64_t kSection = 2048;  // keys whose scores are taken together
constexpr std::int64_t kScoreTiles = kSection / kTileColumns;
constexpr std::int64_t kValueTiles = kSection / kTileRows;
constexpr std::int64_t kFirstProductBank = 4;  // of 4 to 7
constexpr std::int64_t kProductsInTurn = 2;    // of a group
constexpr double kLowest = -3.4028235e+38;     // of float32: below every score, and its exp is 0

/// Block (section, group): a group's products alternate between two banks of the upper four.
std::int64_t ProductBank(std::int64_t section, std::int64_t group) {
  return kFirstProductBank + group + kGroups * (section % kProductsInTurn);
}

struct Pipeline {
  explicit Pipeline(const PipelinedAttentionShape& s)
      : sequence(s.sequence),
        sections(s.sequence / kSection),
        pairs(s.sequence / (kGroups * kTileRows)),
        b(BeginAllocated("pipelined_attention", "trn2",
                         fmt::format("S={} d={}", sequence, kHead))) {
    q = b.Dram("q", kBfloat16, {kHead, sequence}, Role::kInput);
    k = b.Dram("k", kBfloat16, {kHead, sequence}, Role::kInput);
    v = b.Dram("v", kBfloat16, {sequence, kHead}, Role::kInput);
    out = b.Dram("out", kBfloat16, {sequence, kHead}, Role::kOutput);
    PlaceSbuf();
    PlacePsum();
  }

  void PlaceSbuf() {
    const std::int64_t key_tiles = sequence / kTileColumns;
    const TileCounts by_group{.blocks = {kGroups}, .num_free_tiles = {kGroups}};
    BumpLayout sbuf(b);
    const auto column = [&](std::string name, std::int64_t width = 1) {
      return sbuf.Add(std::move(name), kFloat, {kTileRows, width}, by_group);
    };
    identity = sbuf.Add("identity", kBfloat16, {kTileRows, kTileRows});
    k_tiles = sbuf.Add("k_tiles", kBfloat16, {kHead, kTileColumns},
                       {.blocks = {key_tiles}, .num_free_tiles = {key_tiles}});
    v_tiles =
        sbuf.Add("v_tiles", kBfloat16, {kTileRows, kHead},
                 {.blocks = {sections, kValueTiles}, .num_free_tiles = {sections, kValueTiles}});
    q_tiles = sbuf.Add("q_tiles", kBfloat16, {kHead, kTileRows},
                       {.blocks = {pairs, kGroups}, .num_free_tiles = {2, kGroups}});
    tile_maxima = column("tile_maxima", kScoreTiles);
    section_maximum = column("section_maximum");
    grown = column("grown_maximum");
    negated = column("negated_maximum");
    correction = column("correction");
    running_maximum = column("running_maximum");
    exponentials = sbuf.Add(
        "exponentials", kBfloat16, {kTileRows, kTileColumns},
        {.blocks = {sections, kGroups, kScoreTiles}, .num_free_tiles = {1, kGroups, kScoreTiles}});
    tile_sums = column("tile_sums", kScoreTiles);
    section_sum = column("section_sum");
    running_sum = column("running_sum");
    transposed =
        sbuf.Add("transposed", kBfloat16, {kTileRows, kTileColumns},
                 {.blocks = {kGroups, kScoreTiles}, .num_free_tiles = {kGroups, kScoreTiles}});
    accumulated = column("accumulated", kHead);
    reciprocal = column("reciprocal");
    result = sbuf.Add("result", kBfloat16, {kTileRows, kHead},
                      {.blocks = {pairs, kGroups}, .num_free_tiles = {1, kGroups}});
  }

  void PlacePsum() {
    std::vector<Address> score_at;
    std::vector<Address> turned_at;
    std::vector<Address> product_at;
    for (std::int64_t g = 0; g < kGroups; ++g) {
      for (std::int64_t t = 0; t < kScoreTiles; ++t) {
        score_at.push_back(AtPsumBank(t));
        // The banks of the other group's products, which are idle meanwhile.
        turned_at.push_back(AtPsumBank(ProductBank(t, kGroups - 1 - g)));
      }
    }
    for (std::int64_t j = 0; j < sections; ++j) {
      for (std::int64_t g = 0; g < kGroups; ++g)
        product_at.push_back(AtPsumBank(ProductBank(j, g)));
    }
    scores = b.Psum("scores", kFloat, {kTileRows, kTileColumns},
                    {.blocks = {kGroups, kScoreTiles}, .at = score_at, .by_function = true});
    turned = b.Psum("turned", kBfloat16, {kTileRows, kTileColumns},
                    {.blocks = {kGroups, kScoreTiles}, .at = turned_at, .by_function = true});
    product = b.Psum("product", kFloat, {kTileRows, kHead},
                     {.blocks = {sections, kGroups}, .at = product_at, .by_function = true});
  }

  void LoadKeysAndValues() {
    b.OpenLoop("t", 0, sequence / kTileColumns);
    b.Copy(b.Whole(k_tiles).Block({b.Index("t")}),
           b.Whole(k).Tile(0, kHead, b.Index("t") * kTileColumns, kTileColumns));
    b.CloseLoop();
    b.OpenLoop("j", 0, sections);
    b.OpenLoop("r", 0, kValueTiles);
    b.Copy(
        b.Whole(v_tiles).Block({b.Index("j"), b.Index("r")}),
        b.Whole(v).Tile(b.Index("j") * kSection + b.Index("r") * kTileRows, kTileRows, 0, kHead));
    b.CloseLoop();
    b.CloseLoop();
  }

  /// Both tiles of queries of a pair; where `pair` is in a loop, only while there is one.
  void LoadQueries(const AffineExpr& pair, const std::vector<Predicate>& when) {
    for (std::int64_t g = 0; g < kGroups; ++g) {
      InstructionBuilder load =
          b.Copy(b.Whole(q_tiles).Block({pair, g}),
                 b.Whole(q).Tile(0, kHead, (pair * kGroups + g) * kTileRows, kTileRows));
      for (const Predicate& predicate : when) load.When(predicate);
    }
  }

  void ClearState() {
    for (std::int64_t g = 0; g < kGroups; ++g) {
      Fill(b, Of(running_maximum, g), kLowest);
      Fill(b, Of(running_sum, g), 0.0);
      Fill(b, Of(accumulated, g), 0.0);
    }
  }

  /// The scores of group `g` with section `section`.
  void Scores(std::int64_t g, const AffineExpr& section, const std::vector<Predicate>& when) {
    b.OpenLoop("t", 0, kScoreTiles);
    InstructionBuilder matmul = b.Instruction("nc_matmul");
    matmul.On(Engine::kPe)
        .Out("dst", b.Whole(scores).Block({g, b.Index("t")}))
        .In("stationary", b.Whole(q_tiles).Block({b.Index("i"), g}))
        .In("moving", b.Whole(k_tiles).Block({section * kScoreTiles + b.Index("t")}))
        .Attr("accumulate", false);
    for (const Predicate& predicate : when) matmul.When(predicate);
    b.CloseLoop();
  }

  void Softmax(std::int64_t g) {
    const double scale = 1.0 / std::sqrt(static_cast<double>(kHead));
    b.OpenLoop("t", 0, kScoreTiles);
    Reduce(b, b.Whole(tile_maxima).Block({g}).Elements(b.Index("t"), 1),
           b.Whole(scores).Block({g, b.Index("t")}), "maximum");
    b.CloseLoop();
    Reduce(b, Of(section_maximum, g), Of(tile_maxima, g), "maximum");
    b.Instruction("tensor_tensor")
        .Out("dst", Of(grown, g))
        .In("data1", Of(running_maximum, g))
        .In("data2", Of(section_maximum, g))
        .Attr("op", "maximum");
    b.Instruction("tensor_scalar")
        .Out("dst", Of(negated, g))
        .In("data", Of(grown, g))
        .Attr("op0", "multiply")
        .Attr("operand0", -scale);
    // What sums and products so far must be multiplied by.
    b.Instruction("activation")
        .On(Engine::kAct)
        .Out("dst", Of(correction, g))
        .In("data", Of(running_maximum, g))
        .In("bias", Of(negated, g))
        .Attr("op", "exp")
        .Attr("scale", scale);
    b.Copy(Of(running_maximum, g), Of(grown, g));
    b.OpenLoop("t", 0, kScoreTiles);
    b.Instruction("activation_reduce")
        .On(Engine::kAct)
        .Out("dst", b.Whole(exponentials).Block({b.Index("j"), g, b.Index("t")}))
        .Out("reduce_res", b.Whole(tile_sums).Block({g}).Elements(b.Index("t"), 1))
        .In("data", b.Whole(scores).Block({g, b.Index("t")}))
        .In("bias", Of(negated, g))
        .Attr("op", "exp")
        .Attr("reduce_op", "add")
        .Attr("scale", scale);
    b.CloseLoop();
    Reduce(b, Of(section_sum, g), Of(tile_sums, g), "add");
    Rescale(Of(running_sum, g), g, Of(section_sum, g));
  }

  /// sum = sum * correction + added.
  void Rescale(const Operand& total, std::int64_t g, const Operand& added) {
    b.Instruction("scalar_tensor_tensor")
        .Out("dst", total)
        .In("data", total)
        .In("operand0", Of(correction, g))
        .In("operand1", added)
        .Attr("op0", "multiply")
        .Attr("op1", "add");
  }

  void MultiplyWithValues(std::int64_t g) {
    b.OpenLoop("t", 0, kScoreTiles);
    b.OpenLoop("u", 0, kTransposesPerTile);
    const AffineExpr column = b.Index("u") * kTileRows;
    Transpose(
        b, b.Whole(turned).Block({g, b.Index("t")}).Elements(column, kTileRows),
        b.Whole(exponentials).Block({b.Index("j"), g, b.Index("t")}).Elements(column, kTileRows),
        identity);
    b.CloseLoop();
    b.Copy(b.Whole(transposed).Block({g, b.Index("t")}), b.Whole(turned).Block({g, b.Index("t")}))
        .On(Engine::kDve);
    b.OpenLoop("u", 0, kTransposesPerTile, 1, LoopKind::kSequential);
    const AffineExpr tile = b.Index("t") * kTransposesPerTile + b.Index("u");
    Accumulate(
        b, b.Whole(product).Block({b.Index("j"), g}),
        b.Whole(transposed).Block({g, b.Index("t")}).Elements(b.Index("u") * kTileRows, kTileRows),
        b.Whole(v_tiles).Block({b.Index("j"), tile}), tile);
    b.CloseLoop();
    b.CloseLoop();
    Rescale(Of(accumulated, g), g, b.Whole(product).Block({b.Index("j"), g}));
  }

  void Store() {
    for (std::int64_t g = 0; g < kGroups; ++g) {
      b.Instruction("reciprocal").Out("dst", Of(reciprocal, g)).In("data", Of(running_sum, g));
      const Operand tile = b.Whole(result).Block({b.Index("i"), g});
      RowScalar(b, tile, Of(accumulated, g), "multiply", Of(reciprocal, g));
      b.Copy(b.Whole(out).Tile((b.Index("i") * kGroups + g) * kTileRows, kTileRows, 0, kHead),
             tile);
    }
  }

  /// A group's block of a tensor that has one a group.
  Operand Of(TensorId tensor, std::int64_t g) const { return b.Whole(tensor).Block({g}); }

  std::int64_t sequence;
  std::int64_t sections;
  std::int64_t pairs;
  KernelBuilder b;
  TensorId q, k, v, out;
  TensorId identity, k_tiles, v_tiles, q_tiles;
  TensorId tile_maxima, section_maximum, grown, negated, correction, running_maximum;
  TensorId exponentials, tile_sums, section_sum, running_sum;
  TensorId transposed, accumulated, reciprocal, result;
  TensorId scores, turned, product;
};

}  // namespace

Kernel PipelinedAttention(const PipelinedAttentionShape& s) {
  SPILLWAY_CHECK(s.sequence > 0 && s.sequence % kSection == 0,
                 "the sequence is a multiple of 2048");
  Pipeline p(s);
  KernelBuilder& b = p.b;
  FillIdentity(b, p.identity);
  p.LoadKeysAndValues();
  p.LoadQueries(0, {});
  b.OpenLoop("i", 0, p.pairs);
  const AffineExpr next_pair = b.Index("i") + 1;
  p.LoadQueries(next_pair, {LessThan(next_pair, p.pairs)});
  p.ClearState();
  p.Scores(0, 0, {});
  b.OpenLoop("j", 0, p.sections, 1, LoopKind::kSequential);
  const AffineExpr next = b.Index("j") + 1;
  p.Softmax(0);
  p.Scores(1, b.Index("j"), {});
  p.MultiplyWithValues(0);
  p.Softmax(1);
  p.Scores(0, next, {LessThan(next, p.sections)});
  p.MultiplyWithValues(1);
  b.CloseLoop();
  p.Store();
  b.CloseLoop();
  return b.Build();
}

}  // namespace spillway
