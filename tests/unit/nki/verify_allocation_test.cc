// What the choke point of direct allocation says, and how: windows, wording, several violations at
// once. Each rule at its boundary: rule_boundaries_test.cc.
#include "model/alloc/nki/verify_allocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "tests/unit/nki/allocation_cases.h"

namespace spillway::nki {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Counts = std::vector<std::int64_t>;

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
