// Every rule of direct allocation at its boundary: just legal, just illegal, on every target.
#include "model/alloc/nki/verify_allocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <stdexcept>

#include "model/alloc/nki/allocation_rule.h"
#include "model/alloc/nki/evaluate_alloc_func.h"
#include "tests/unit/nki/allocation_cases.h"

namespace spillway::nki {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Counts = std::vector<std::int64_t>;

/// Two allocations that differ in one step over one rule.
struct Boundary {
  AllocationRule rule;
  std::string what;
  Tensor legal_tensor;
  AllocFunc legal;
  Tensor illegal_tensor;
  AllocFunc illegal;
};

class Boundaries {
 public:
  explicit Boundaries(const Target& target)
      : all_(target.sbuf_partitions.value.value),
        psum_all_(target.psum_partitions.value.value),
        window_(target.sbuf_usable_bytes.value.value),
        bank_(target.psum_bank_bytes.value.value),
        banks_(target.psum_banks.value.value) {
    Calls();
    SbufTileRules();
    PsumTileRules();
    ModuloRules();
  }
  std::vector<Boundary> rows() const { return rows_; }

 private:
  void Row(AllocationRule rule, std::string what, const Tensor& tensor, AllocFunc legal,
           AllocFunc illegal) {
    rows_.push_back({rule, std::move(what), tensor, std::move(legal), tensor, std::move(illegal)});
  }
  void Sizes(AllocationRule rule, std::string what, Tensor legal, Tensor illegal,
             const AllocFunc& func) {
    rows_.push_back({rule, std::move(what), std::move(legal), func, std::move(illegal), func});
  }
  static AllocFunc Sbuf(ModuloLaw law) { return SbufModuloAllocFunc{std::move(law)}; }
  static AllocFunc Psum(ModuloLaw law) { return PsumModuloAllocFunc{std::move(law)}; }

  void Calls() {
    using enum AllocationRule;
    const AllocFunc throws =
        SbufAllocFunc{[](std::span<const std::int64_t>, PartitionCount,
                         Bytes) -> std::vector<std::int64_t> { throw std::runtime_error("no"); }};
    Row(kMemory, "PSUM function", SbufTiles(128, 64), SbufAt(0, 0), PsumAt(0, 0, 0));
    Row(kMemory, "automatic", SbufTiles(128, 64), AutoAlloc{Space::kSbuf}, AutoAlloc{Space::kPsum});
    Row(kFunction, "throws", SbufTiles(128, 64), SbufAt(0, 0), throws);
    Row(kFunction, "isn't there", SbufTiles(128, 64), SbufAt(0, 0), SbufAllocFunc{});
    Sizes(kTensorShape, "an empty free dimension", SbufTiles(128, 1), SbufTiles(128, 0),
          SbufAt(0, 0));
    Tensor no_shape = SbufTiles(128, 1);
    no_shape.shape = {};
    Sizes(kTensorShape, "no dimension", SbufTiles(128, 1), no_shape, SbufAt(0, 0));
    Tensor endless = SbufTiles(128, 1);
    endless.shape = {128, std::int64_t{1} << 40, std::int64_t{1} << 40};
    Sizes(kTensorShape, "more bytes than 64 bits count", SbufTiles(128, 1), endless, SbufAt(0, 0));
    Sizes(kBlockCount, "no block", SbufTiles(128, 64, {1}), SbufTiles(128, 64, {4, 0}),
          SbufAt(0, 0));
    Sizes(kBlockCount, "too many blocks", SbufTiles(128, 64, {2}),
          SbufTiles(128, 64, {kMostBlocks, 2}), SbufAt(0, 0));
    Sizes(kBlockCount, "more blocks than 64 bits count", SbufTiles(128, 64, {2}),
          SbufTiles(128, 64, {std::int64_t{1} << 40, std::int64_t{1} << 40}), SbufAt(0, 0));
  }

  void SbufTileRules() {
    using enum AllocationRule;
    Sizes(kPartitionCount, "one partition more", SbufTiles(all_, 64), SbufTiles(all_ + 1, 64),
          SbufAt(0, 0));
    Sizes(kPartitionCount, "no partition", SbufTiles(1, 64), SbufTiles(0, 64), SbufAt(0, 0));
    Row(kPartitionEnd, "last quadrant", SbufTiles(32, 64), SbufAt(all_ - 32, 0), SbufAt(all_, 0));
    Row(kPartitionEnd, "end of a tile that starts inside", SbufTiles(64, 64), SbufAt(all_ - 64, 0),
        SbufAt(all_ - 32, 0));
    Row(kPartitionEnd, "negative", SbufTiles(32, 64), SbufAt(0, 0), SbufAt(-32, 0));
    Row(kSbufTuple, "of three", SbufTiles(128, 64), SbufAt(0, 0), SbufAllocFunc{Always({0, 0, 0})});
    Row(kSbufTuple, "of one", SbufTiles(128, 64), SbufAt(0, 0), SbufAllocFunc{Always({0})});
    Row(kSbufTuple, "of none", SbufTiles(128, 64), SbufAt(0, 0), SbufAllocFunc{Always({})});
    Sizes(kSbufStartPartition, "32 partitions at 32, 33 not", SbufTiles(32, 64), SbufTiles(33, 64),
          SbufAt(32, 0));
    Sizes(kSbufStartPartition, "64 partitions at 64, 65 not", SbufTiles(64, 64), SbufTiles(65, 64),
          SbufAt(64, 0));
    Row(kSbufStartPartition, "beside a quadrant", SbufTiles(32, 64), SbufAt(64, 0), SbufAt(65, 0));
    Row(kSbufWindow, "start at the end", SbufTiles(128, 1), SbufAt(0, window_ - 1),
        SbufAt(0, window_));
    Row(kSbufWindow, "negative", SbufTiles(128, 1), SbufAt(0, 0), SbufAt(0, -1));
    Row(kSbufWindow, "largest number", SbufTiles(128, 64), SbufAt(0, 0),
        SbufAt(0, std::numeric_limits<std::int64_t>::max()));
    Row(kSbufTileEnd, "end one byte past", SbufTiles(128, 64), SbufAt(0, window_ - 64),
        SbufAt(0, window_ - 63));
    Sizes(kSbufTileEnd, "a tile of the whole partition", SbufTiles(128, window_),
          SbufTiles(128, window_ + 1), SbufAt(0, 0));
  }

  void PsumTileRules() {
    using enum AllocationRule;
    Sizes(kPartitionCount, "one PSUM partition more", PsumTiles(psum_all_, 64),
          PsumTiles(psum_all_ + 1, 64), PsumAt(0, 0, 0));
    Row(kPartitionEnd, "PSUM", PsumTiles(psum_all_, 64), PsumAt(0, 0, 0), PsumAt(0, 32, 0));
    Row(kPsumTuple, "of two", PsumTiles(64, 64), PsumAt(0, 0, 0), PsumAllocFunc{Always({0, 0})});
    Row(kPsumTuple, "of four", PsumTiles(64, 64), PsumAt(0, 0, 0),
        PsumAllocFunc{Always({0, 0, 0, 0})});
    Sizes(kPsumTileSize, "one byte past a bank", PsumTiles(64, bank_), PsumTiles(64, bank_ + 1),
          PsumAt(0, 0, 0));
    Row(kPsumBank, "the last and the next", PsumTiles(64, 64), PsumAt(banks_ - 1, 0, 0),
        PsumAt(banks_, 0, 0));
    Row(kPsumBank, "negative", PsumTiles(64, 64), PsumAt(0, 0, 0), PsumAt(-1, 0, 0));
    Row(kPsumStartPartition, "a quadrant", PsumTiles(32, 64), PsumAt(0, 0, 0), PsumAt(0, 32, 0));
    Row(kPsumByteAddr, "within the bank", PsumTiles(32, 64), PsumAt(0, 0, 0), PsumAt(0, 0, 4));
    Row(kPsumByteAddr, "negative", PsumTiles(32, 64), PsumAt(0, 0, 0), PsumAt(0, 0, -4));
  }

  void ModuloRules() {
    using enum AllocationRule;
    const Tensor sbuf = SbufTiles(32, 64, {4, 2});
    const Tensor psum = PsumTiles(32, 64, {4, 2});
    Row(kTileCounts, "one count too few", sbuf, Sbuf({.num_free_tiles = {2, 1}}),
        Sbuf({.num_free_tiles = {2}}));
    Row(kTileCounts, "one count too many", sbuf, Sbuf({.num_free_tiles = {}}),
        Sbuf({.num_free_tiles = {2, 1, 1}}));
    Row(kTileCounts, "a count of 0", sbuf, Sbuf({.num_par_tiles = {1, 1}}),
        Sbuf({.num_par_tiles = {1, 0}}));
    Row(kTileCounts, "a negative count", psum, Psum({.num_bank_tiles = {1, 1}}),
        Psum({.num_bank_tiles = {-1, 1}}));
    Row(kTileCounts, "counts of a tensor without blocks", SbufTiles(32, 64), Sbuf({}),
        Sbuf({.num_free_tiles = {1}}));
    Row(kBasePartition, "SBUF", sbuf, Sbuf({}), Sbuf({.base_partition = Partition(32)}));
    Row(kBasePartition, "PSUM", psum, Psum({}), Psum({.base_partition = Partition(1)}));
    Row(kBaseAddr, "PSUM", psum, Psum({}), Psum({.base_addr = ByteOffset(4)}));
    Row(kBaseAddr, "SBUF below 0", sbuf, Sbuf({.base_addr = ByteOffset(4)}),
        Sbuf({.base_addr = ByteOffset(-4)}));
    Row(kBaseBank, "below 0", psum, Psum({.base_bank = BankId(banks_ - 1)}),
        Psum({.base_bank = BankId(-1)}));
    Row(kBaseBank, "SBUF", sbuf, Sbuf({}), Sbuf({.base_bank = BankId(1)}));
    Row(kBaseBank, "SBUF bank counts", sbuf, Sbuf({}), Sbuf({.num_bank_tiles = {1, 1}}));
    Row(kPsumParTiles, "2", psum, Psum({.num_par_tiles = {1, 1}}), Psum({.num_par_tiles = {1, 2}}));
    Row(kPsumFreeTiles, "2", psum, Psum({.num_free_tiles = {1, 1}}),
        Psum({.num_free_tiles = {2, 1}}));
    Row(kPsumBank, "of the law", psum, Psum({.num_bank_tiles = {banks_ / 2, 2}}),
        Psum({.base_bank = BankId(1), .num_bank_tiles = {banks_ / 2, 2}}));
    Row(kParTilesHeight, "64 partitions may not step", SbufTiles(64, 64, {2}),
        Sbuf({.num_par_tiles = {1}}), Sbuf({.num_par_tiles = {2}}));
    Sizes(kSbufStartPartition, "steps of 32 land on quadrants, of 20 don't", SbufTiles(32, 64, {4}),
          SbufTiles(20, 64, {4}), Sbuf({.num_par_tiles = {4}}));
    Row(kPartitionEnd, "one step too many", SbufTiles(32, 64, {8}), Sbuf({.num_par_tiles = {4}}),
        Sbuf({.num_par_tiles = {5}}));
    Row(kSbufTileEnd, "last of the tiles", SbufTiles(128, window_ / 4, {4}),
        Sbuf({.base_addr = ByteOffset(window_ % 4), .num_free_tiles = {4}}),
        Sbuf({.base_addr = ByteOffset(window_ % 4 + 1), .num_free_tiles = {4}}));
    Row(kModuloRange, "base beyond all memories", sbuf, Sbuf({}),
        Sbuf({.base_addr = ByteOffset(std::numeric_limits<std::int64_t>::max())}));
    Row(kModuloRange, "bank beyond all memories", psum, Psum({}),
        Psum({.base_bank = BankId(std::numeric_limits<std::int64_t>::max())}));
    Row(kModuloRange, "tiles beyond all memories", SbufTiles(32, std::int64_t{1} << 39, {8}),
        AutoAlloc{Space::kSbuf}, Sbuf({.num_free_tiles = {8}}));
  }

  std::vector<Boundary> rows_;
  std::int64_t all_;
  std::int64_t psum_all_;
  std::int64_t window_;
  std::int64_t bank_;
  std::int64_t banks_;
};

TEST(VerifyAllocation, AcceptsTheLegalSideOfEveryBoundaryAndNamesTheRuleOnTheOther) {
  for (const Target& target : BuiltInTargets()) {
    for (const Boundary& row : Boundaries(target).rows()) {
      const AllocationRuleRow& rule = RowOf(row.rule);
      SCOPED_TRACE(target.name + ", " + std::string(rule.name) + ": " + row.what);
      const std::vector<Violation> none = VerifyAllocation(row.legal_tensor, row.legal, target);
      EXPECT_THAT(none, IsEmpty()) << TextOf(none);
      const std::vector<Violation> some = VerifyAllocation(row.illegal_tensor, row.illegal, target);
      EXPECT_GT(RulesOf(some).count(std::string(rule.name)), 0u) << TextOf(some);
      for (const Violation& violation : some) {
        EXPECT_THAT(violation.tensors, ElementsAre("tiles"));
        EXPECT_EQ(violation.space, row.illegal_tensor.space);
        EXPECT_THAT(violation.text, HasSubstr("\"tiles\""));
        if (RuleOf(violation) == rule.name) {
          EXPECT_EQ(violation.kind, rule.kind);
          EXPECT_THAT(violation.text, HasSubstr(WhereToRead(rule)));
        }
      }
    }
  }
}

TEST(VerifyAllocation, HasABoundaryForEveryRuleOfATensor) {
  Target aligned = BuiltIn("trn2");
  std::set<std::string> covered = {std::string(RowOf(AllocationRule::kSbufAlignment).name)};
  for (const Boundary& row : Boundaries(aligned).rows())
    covered.insert(std::string(RowOf(row.rule).name));
  for (const AllocationRuleRow& row : AllocationRules()) {
    if (row.rule >= AllocationRule::kMixedAllocation) continue;  // of kernels
    EXPECT_TRUE(covered.contains(std::string(row.name))) << row.name;
  }
}

struct Window {
  std::string target;
  std::int64_t bytes;
};

class UsableWindow : public testing::TestWithParam<Window> {};

// Source: isa_costs.md 1.1; the numbers are written out so that no row can drift unseen.
INSTANTIATE_TEST_SUITE_P(Targets, UsableWindow,
                         testing::Values(Window{"trn1", 180224}, Window{"trn2", 212984},
                                         Window{"trn3", 245752}),
                         [](const auto& row) { return row.param.target; });

TEST_P(UsableWindow, EndsWhereTheGenerationSays) {
  const Target target = BuiltIn(GetParam().target);
  const std::int64_t end = GetParam().bytes;
  EXPECT_THAT(VerifyAllocation(SbufTiles(128, 4), SbufAt(0, end - 4), target), IsEmpty());
  EXPECT_THAT(RulesOf(VerifyAllocation(SbufTiles(128, 4), SbufAt(0, end - 3), target)),
              ElementsAre("sbuf-tile-end"));
  EXPECT_THAT(RulesOf(VerifyAllocation(SbufTiles(128, 4), SbufAt(0, end), target)),
              ElementsAre("sbuf-window"));
}

TEST(VerifyAllocation, RefusesTheWindowThatSeed000Misprints) {
  const std::vector<Violation> found =
      VerifyAllocation(SbufTiles(128, 4), SbufAt(0, 184320 - 4), BuiltIn("trn1"));
  ASSERT_THAT(RulesOf(found), ElementsAre("sbuf-window"));
  EXPECT_EQ(found.front().kind, Kind::kOutOfRange);
  EXPECT_EQ(found.front().range, (Interval<ByteOffset>{ByteOffset(184316), ByteOffset(184320)}));
}

TEST(VerifyAllocation, AllowsTheStartPartitionsOfEachHeightAndNoOthers) {
  for (std::int64_t height = 1; height <= 128; ++height) {
    std::set<std::int64_t> legal = {0};
    if (height <= 64) legal.insert(64);
    if (height <= 32) legal.insert({32, 96});
    for (std::int64_t start = 0; start < 128; ++start) {
      const bool accepted =
          VerifyAllocation(SbufTiles(height, 8), SbufAt(start, 0), BuiltInTargets().back()).empty();
      EXPECT_EQ(accepted, legal.contains(start)) << height << " partitions at " << start;
    }
  }
}

TEST(VerifyAllocation, AlignsToTheSmallestAlignmentAndNotToTheColourersGranule) {
  Target target = BuiltIn("trn2");
  for (const std::int64_t byte : {256, 260, 257}) {
    EXPECT_THAT(VerifyAllocation(SbufTiles(128, 4), SbufAt(0, byte), target), IsEmpty());
  }
  target.sbuf_min_align.value = Bytes(4);
  EXPECT_THAT(VerifyAllocation(SbufTiles(128, 4), SbufAt(0, 260), target), IsEmpty());
  const std::vector<Violation> found = VerifyAllocation(SbufTiles(128, 4), SbufAt(0, 262), target);
  ASSERT_THAT(RulesOf(found), ElementsAre("sbuf-alignment"));
  EXPECT_EQ(found.front().kind, Kind::kMisaligned);
  EXPECT_THAT(found.front().text,
              HasSubstr("262 does not satisfy minimum alignment requirement 4"));
}

TEST(VerifyAllocation, LooksAtTheLimitsThatItIsGiven) {
  const Target target = BuiltIn("trn2");
  const AllocationLimits limits{.sbuf_bytes = Bytes(1024), .psum_banks = BankCount(2)};
  EXPECT_THAT(VerifyAllocation(SbufTiles(128, 64), SbufAt(0, 960), target, limits), IsEmpty());
  EXPECT_THAT(RulesOf(VerifyAllocation(SbufTiles(128, 64), SbufAt(0, 964), target, limits)),
              ElementsAre("sbuf-tile-end"));
  EXPECT_THAT(VerifyAllocation(PsumTiles(128, 64), PsumAt(1, 0, 0), target, limits), IsEmpty());
  EXPECT_THAT(RulesOf(VerifyAllocation(PsumTiles(128, 64), PsumAt(2, 0, 0), target, limits)),
              ElementsAre("psum-bank"));
}

TEST(VerifyAllocation, RefusesTheBankThatIsKeptForTransposes) {
  Target target = BuiltIn("trn2");
  target.psum_transpose_banks.value = BankCount(1);
  EXPECT_THAT(VerifyAllocation(PsumTiles(128, 64), PsumAt(6, 0, 0), target), IsEmpty());
  EXPECT_THAT(RulesOf(VerifyAllocation(PsumTiles(128, 64), PsumAt(7, 0, 0), target)),
              ElementsAre("psum-bank"));
}

TEST(VerifyAllocation, ReportsEveryBrokenRuleOfEveryBlock) {
  // Block (0, 0): tier and end of the partitions. (0, 1): legal. (1, 0): window. (1, 1): tuple.
  const TileFunction func = [](std::span<const std::int64_t> idx, PartitionCount, Bytes) {
    const std::vector<std::vector<std::int64_t>> tuples = {{100, 0}, {96, 0}, {0, 180224}, {0}};
    return tuples[static_cast<std::size_t>(idx[0] * 2 + idx[1])];
  };
  const std::vector<Violation> found =
      VerifyAllocation(SbufTiles(32, 64, {2, 2}), SbufAllocFunc{func}, BuiltIn("trn1"));
  std::vector<std::pair<std::string, std::string>> rules;
  for (const Violation& violation : found)
    rules.emplace_back(BlockOf(violation), RuleOf(violation));
  EXPECT_THAT(
      rules,
      ElementsAre(std::pair("(0, 0)", "partition-end"), std::pair("(0, 0)", "sbuf-start-partition"),
                  std::pair("(1, 0)", "sbuf-window"), std::pair("(1, 1)", "sbuf-tuple")));
}

TEST(VerifyAllocation, ReportsEveryBrokenArgumentOfALaw) {
  const ModuloLaw law{.base_bank = BankId(-1),
                      .base_addr = ByteOffset(4),
                      .base_partition = Partition(32),
                      .num_bank_tiles = {0},
                      .num_par_tiles = {2, 1},
                      .num_free_tiles = {1, 2}};
  EXPECT_THAT(RulesOf(VerifyAllocation(PsumTiles(32, 2049, {2, 2}), PsumModuloAllocFunc{law},
                                       BuiltIn("trn2"))),
              ElementsAre("base-addr", "base-bank", "base-partition", "psum-free-tiles",
                          "psum-par-tiles", "psum-tile-size", "tile-counts", "tile-counts"));
}

TEST(VerifyAllocation, CatchesWhatAFunctionThrowsAndGoesOn) {
  int calls = 0;
  const TileFunction func = [&calls](std::span<const std::int64_t> idx, PartitionCount,
                                     Bytes) -> std::vector<std::int64_t> {
    ++calls;
    if (idx[0] == 1) throw std::out_of_range("bank_map has no entry (1,)");
    if (idx[0] == 2) throw 7;
    return {0, 0, 0};
  };
  const std::vector<Violation> found =
      VerifyAllocation(PsumTiles(128, 64, {4}), PsumAllocFunc{func}, BuiltIn("trn2"));
  EXPECT_EQ(calls, 4);
  ASSERT_THAT(found, SizeIs(2)) << TextOf(found);
  EXPECT_EQ(found[0].kind, Kind::kAllocator);
  EXPECT_THAT(found[0].text, AllOf(HasSubstr("psum.alloc of tensor \"tiles\": block (1,)"),
                                   HasSubstr("bank_map has no entry (1,)")));
  EXPECT_THAT(found[1].text, HasSubstr("block (2,)"));
}

TEST(VerifyAllocation, CallsAFunctionOnceABlockWithTheTilesSize) {
  std::vector<std::vector<std::int64_t>> indices;
  const TileFunction func = [&](std::span<const std::int64_t> idx, PartitionCount pdim_size,
                                Bytes fdim_size) {
    indices.emplace_back(idx.begin(), idx.end());
    EXPECT_EQ(pdim_size, PartitionCount(128));
    EXPECT_EQ(fdim_size, Bytes(2048));
    return std::vector<std::int64_t>{0, 0, 0};
  };
  // The example of seed 000 §8.1.
  Tensor tensor = PsumTiles(128, 512, {2, 2});
  tensor.dtype = DType::kFloat32;
  EXPECT_THAT(VerifyAllocation(tensor, PsumAllocFunc{func}, BuiltIn("trn1")), IsEmpty());
  EXPECT_THAT(indices, ElementsAre(Counts{0, 0}, Counts{0, 1}, Counts{1, 0}, Counts{1, 1}));
  indices.clear();
  tensor.blocks = {};
  EXPECT_THAT(VerifyAllocation(tensor, PsumAllocFunc{func}, BuiltIn("trn1")), IsEmpty());
  EXPECT_THAT(indices, ElementsAre(Counts{}));
}

TEST(VerifyAllocation, SaysWhatNkiSaysWordForWord) {
  const Target target = BuiltIn("trn2");
  const auto text = [&](const Tensor& tensor, const AllocFunc& func) {
    return TextOf(VerifyAllocation(tensor, func, target));
  };
  const Tensor sbuf = SbufTiles(128, 64, {2});
  const Tensor psum = PsumTiles(128, 64, {2});
  EXPECT_THAT(
      text(psum, PsumAllocFunc{Always({1, 2})}),
      HasSubstr("Cannot find bank_id for PSUM allocation: (1, 2), expect tuple of (bank_id, "
                "start_partition, byte_addr)"));
  EXPECT_THAT(text(psum, PsumAt(8, 0, 0)), HasSubstr("Cannot find bank_id for PSUM allocation: 8"));
  EXPECT_THAT(text(sbuf, SbufAllocFunc{Always({7})}),
              HasSubstr("Cannot find start_partition for SBUF allocation: (7,), expect tuple of "
                        "(start_partition, byte_addr)"));
  EXPECT_THAT(text(sbuf, SbufAt(32, 0)),
              HasSubstr("Cannot find start_partition for SBUF allocation: 32"));
  EXPECT_THAT(text(psum, PsumModuloAllocFunc{{.num_par_tiles = {2}}}),
              HasSubstr("num_par_tiles in PSUM must be () or all 1"));
  EXPECT_THAT(text(psum, PsumModuloAllocFunc{{.num_free_tiles = {2}}}),
              HasSubstr("num_free_tiles in PSUM must be () or all 1"));
}

TEST(VerifyAllocation, NamesBaseEndLimitAndHowManyTilesFitWhereALawRunsOut) {
  // A report of a tile of 128 x 4000 bytes at byte 400000: 101 buffers of 4000 bytes.
  Tensor tensor = SbufTiles(128, 1000, {200});
  tensor.name = "a_tiles";
  tensor.dtype = DType::kFloat32;
  const std::vector<Violation> found =
      VerifyAllocation(tensor, SbufModuloAllocFunc{{.num_free_tiles = {101}}}, BuiltIn("trn1"));
  // Tile 45 is the first that doesn't fit; the second round repeats 45 to 98.
  ASSERT_THAT(found, SizeIs((101 - 45) + (99 - 45)));
  EXPECT_THAT(found.front().text,
              AllOf(HasSubstr("sbuf.mod_alloc of tensor \"a_tiles\": block (45,) at (0, 180000)"),
                    HasSubstr("ends at 184000"), HasSubstr("180224"), HasSubstr("45 such tile")));
  const Violation& last = found[101 - 45 - 1];
  EXPECT_THAT(last.text, HasSubstr("block (100,) at (0, 400000)"));
  EXPECT_EQ(last.range, (Interval<ByteOffset>{ByteOffset(400000), ByteOffset(404000)}));
}

}  // namespace
}  // namespace spillway::nki
