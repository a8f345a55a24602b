#include "model/alloc/check/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/unit/check/test_kernel.h"

namespace spillway::check {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// One tensor, written once, with its address chosen by an allocator or fixed by its author.
struct OneTile {
  TestKernel kernel;
  Placement placement;
  LinearKernel linear;

  OneTile(Space space, std::int64_t partitions, std::int64_t bytes, Address at,
          bool is_fixed = false) {
    const TensorId tile = kernel.Add(space, "tile", partitions, bytes);
    if (is_fixed) kernel.tensor(tile).at = {at};
    kernel.Write(tile);
    placement = PlacementOf({at});
    linear = kernel.Linear();
  }
  // A subject refers to its target, so the target must outlive the call.
  Subject subject(const std::string& target = "trn1", CheckOptions options = {}) const {
    for (const Target& known : BuiltInTargets()) {
      if (known.name == target) return {linear, placement, known, options};
    }
    throw std::invalid_argument(target);
  }
};

void ExpectOne(const CheckResult& result, Kind kind, const testing::Matcher<std::string>& text) {
  ASSERT_EQ(result.violations.size(), 1u) << result.name;
  EXPECT_EQ(result.violations.front().kind, kind);
  EXPECT_THAT(result.violations.front().text, text);
  EXPECT_EQ(result.violations.front().tensors, std::vector<std::string>{"tile"});
}

TEST(Bounds, ATileMayEndAtTheLastUsableByte) {
  const OneTile tile(Space::kSbuf, 128, 4000, Place(0, 180224 - 4000));
  const CheckResult result = CheckBounds(tile.subject());
  EXPECT_EQ(result.checked, 1);
  EXPECT_TRUE(result.violations.empty());
}

TEST(Bounds, ATileThatEndsOneByteLaterIsOutOfRange) {
  const OneTile tile(Space::kSbuf, 128, 4000, Place(0, 180224 - 3999));
  ExpectOne(CheckBounds(tile.subject()), Kind::kOutOfRange, HasSubstr("180225"));
}

TEST(Bounds, NamesTheTileItsEndAndTheCapacity) {
  const OneTile tile(Space::kSbuf, 128, 4000, Place(0, 400000));
  ExpectOne(
      CheckBounds(tile.subject()), Kind::kOutOfRange,
      AllOf(HasSubstr("tile"), HasSubstr("400000"), HasSubstr("404000"), HasSubstr("180224")));
}

TEST(Bounds, AnAddressAtTheEndOfAllNumbersIsOutOfRange) {
  const OneTile tile(Space::kSbuf, 128, 4000, Place(0, INT64_MAX - 5));
  ExpectOne(CheckBounds(tile.subject()), Kind::kOutOfRange, HasSubstr("180224"));
  const OneTile negative(Space::kSbuf, 128, 4, Place(0, -1));
  ExpectOne(CheckBounds(negative.subject()), Kind::kOutOfRange, HasSubstr("-1"));
}

TEST(Bounds, ASmallerCapacityReplacesTheTargets) {
  const OneTile tile(Space::kSbuf, 128, 64, Place(0, 64));
  EXPECT_TRUE(CheckBounds(tile.subject("trn1", {.sbuf_bytes = Bytes(128), .psum_banks = {}}))
                  .violations.empty());
  ExpectOne(CheckBounds(tile.subject("trn1", {.sbuf_bytes = Bytes(127), .psum_banks = {}})),
            Kind::kOutOfRange, HasSubstr("127"));
}

TEST(Bounds, AnAccessedTileWithoutAnAddressIsOutOfRange) {
  OneTile tile(Space::kSbuf, 128, 64, Place(0, 0));
  tile.placement = {};
  ExpectOne(CheckBounds(tile.subject()), Kind::kOutOfRange, HasSubstr("0 address(es)"));
}

TEST(Bounds, ATileThatItsAuthorFixedMustNotMove) {
  OneTile tile(Space::kSbuf, 128, 64, Place(0, 256), true);
  tile.placement = PlacementOf({Place(0, 512)});
  ExpectOne(CheckBounds(tile.subject()), Kind::kOutOfRange,
            HasSubstr("fixed at partition 0 byte 256"));
}

TEST(Bounds, DramHasAnEndToo) {
  const std::int64_t end = FindTarget("trn1").value().dram_bytes.value.value;
  EXPECT_TRUE(CheckBounds(OneTile(Space::kDram, 0, 4096, Place(0, end - 4096)).subject())
                  .violations.empty());
  ExpectOne(CheckBounds(OneTile(Space::kDram, 0, 4097, Place(0, end - 4096)).subject()),
            Kind::kOutOfRange, HasSubstr("DRAM"));
}

TEST(Partitions, ATileMayEndAtTheLastPartition) {
  EXPECT_TRUE(
      CheckPartitions(OneTile(Space::kSbuf, 32, 4, Place(96, 0)).subject()).violations.empty());
  EXPECT_TRUE(
      CheckPartitions(OneTile(Space::kSbuf, 64, 4, Place(64, 0)).subject()).violations.empty());
  EXPECT_TRUE(
      CheckPartitions(OneTile(Space::kSbuf, 128, 4, Place(0, 0)).subject()).violations.empty());
}

TEST(Partitions, ATilePastTheLastPartitionBreaksBothRules) {
  const CheckResult result = CheckPartitions(OneTile(Space::kSbuf, 64, 4, Place(96, 0)).subject());
  ASSERT_EQ(result.violations.size(), 2u);
  EXPECT_EQ(result.violations[0].kind, Kind::kPartitionRange);
  EXPECT_THAT(result.violations[0].text,
              AllOf(HasSubstr("tile"), HasSubstr("96"), HasSubstr("128")));
  EXPECT_EQ(result.violations[1].kind, Kind::kStartPartition);
}

TEST(Partitions, PsumOfTheHalfWidthPartEndsEarlier) {
  EXPECT_TRUE(CheckPartitions(OneTile(Space::kPsum, 64, 4, Place(0, 0)).subject("inf1"))
                  .violations.empty());
  EXPECT_EQ(
      CheckPartitions(OneTile(Space::kPsum, 32, 4, Place(64, 0)).subject("inf1")).violations.size(),
      1u);
}

struct Tier {
  std::int64_t partitions;
  std::vector<std::int64_t> legal;
};
class StartPartition : public testing::TestWithParam<Tier> {};

TEST_P(StartPartition, IsLegalExactlyWhereTheTierAllows) {
  for (std::int64_t start = 0; start <= 96; ++start) {
    const CheckResult result =
        CheckPartitions(OneTile(Space::kSbuf, GetParam().partitions, 4, Place(start, 0)).subject());
    const bool is_legal = testing::Matches(testing::Contains(start))(GetParam().legal);
    bool reported = false;
    for (const Violation& violation : result.violations)
      reported |= violation.kind == Kind::kStartPartition;
    EXPECT_EQ(reported, !is_legal) << GetParam().partitions << " partitions at " << start;
  }
}

INSTANTIATE_TEST_SUITE_P(Tiers, StartPartition,
                         testing::Values(Tier{1, {0, 32, 64, 96}}, Tier{31, {0, 32, 64, 96}},
                                         Tier{32, {0, 32, 64, 96}}, Tier{33, {0, 64}},
                                         Tier{63, {0, 64}}, Tier{64, {0, 64}}, Tier{65, {0}},
                                         Tier{128, {0}}));

TEST(Alignment, AnAllocatedTileLiesOnTheGranule) {
  EXPECT_TRUE(
      CheckAlignment(OneTile(Space::kSbuf, 128, 4, Place(0, 264)).subject()).violations.empty());
  ExpectOne(CheckAlignment(OneTile(Space::kSbuf, 128, 4, Place(0, 260)).subject()),
            Kind::kMisaligned, AllOf(HasSubstr("260"), HasSubstr("8")));
}

TEST(Alignment, ATileThatItsAuthorFixedNeedsOnlyTheSmallest) {
  EXPECT_TRUE(CheckAlignment(OneTile(Space::kSbuf, 128, 4, Place(0, 260), true).subject())
                  .violations.empty());
  EXPECT_TRUE(CheckAlignment(OneTile(Space::kSbuf, 128, 4, Place(0, 1), true).subject())
                  .violations.empty());
}

TEST(Alignment, AHomeStartsAtAPage) {
  EXPECT_TRUE(
      CheckAlignment(OneTile(Space::kDram, 0, 100, Place(0, 8192)).subject()).violations.empty());
  ExpectOne(CheckAlignment(OneTile(Space::kDram, 0, 100, Place(0, 512)).subject()),
            Kind::kMisaligned, HasSubstr("4096"));
}

TEST(Alignment, ABlockSmallerThanAPageDoesNotStraddleTwo) {
  TestKernel k;
  k.Write(k.Dram("tile", 3000, {2}));
  const LinearKernel linear = k.Linear();
  Placement placement;
  placement.addresses.push_back({Place(0, 0), Place(0, 4096)});
  const Target target = FindTarget("trn1").value();
  EXPECT_TRUE(CheckAlignment({linear, placement, target, {}}).violations.empty());
  placement.addresses[TensorId(0)][1] = Place(0, 3000);
  ExpectOne(CheckAlignment({linear, placement, target, {}}), Kind::kMisaligned,
            HasSubstr("across a page"));
}

TEST(PsumBank, ATileMayFillABank) {
  EXPECT_TRUE(CheckPsumBanks(OneTile(Space::kPsum, 128, 2048, Place(0, 7 * 2048)).subject())
                  .violations.empty());
}

TEST(PsumBank, ASmallTileMayLieAnywhereInOneBank) {
  EXPECT_TRUE(CheckPsumBanks(OneTile(Space::kPsum, 128, 512, Place(0, 2048 + 1536)).subject())
                  .violations.empty());
  ExpectOne(CheckPsumBanks(OneTile(Space::kPsum, 128, 512, Place(0, 2048 + 1540)).subject()),
            Kind::kPsumBank, HasSubstr("crosses from bank 1 to bank 2"));
}

TEST(PsumBank, ALargerTileStartsAtABank) {
  EXPECT_TRUE(CheckPsumBanks(OneTile(Space::kPsum, 128, 4096, Place(0, 2048)).subject())
                  .violations.empty());
  ExpectOne(CheckPsumBanks(OneTile(Space::kPsum, 128, 4096, Place(0, 1024)).subject()),
            Kind::kPsumBank, HasSubstr("doesn't start at a bank"));
}

TEST(PsumBank, ABankThatDoesNotExistIsRefused) {
  ExpectOne(CheckPsumBanks(OneTile(Space::kPsum, 128, 4, Place(0, 8 * 2048)).subject()),
            Kind::kPsumBank, AllOf(HasSubstr("bank 8"), HasSubstr("0 to 7")));
  ExpectOne(CheckPsumBanks(OneTile(Space::kPsum, 128, 4, Place(0, 2 * 2048))
                               .subject("trn1", {.sbuf_bytes = {}, .psum_banks = BankCount(2)})),
            Kind::kPsumBank, HasSubstr("0 to 1"));
  ExpectOne(CheckPsumBanks(OneTile(Space::kPsum, 128, 4, Place(0, -4)).subject()), Kind::kPsumBank,
            HasSubstr("-4"));
  EXPECT_EQ(CheckPsumBanks(OneTile(Space::kPsum, 128, 4, Place(0, 4 * 2048)).subject("inf1"))
                .violations.size(),
            1u);
}

TEST(PsumBank, ALargerTileThatReachesPastTheLastBankIsRefused) {
  const OneTile fits(Space::kPsum, 128, 4096, Place(0, 6 * 2048));
  EXPECT_TRUE(CheckPsumBanks(fits.subject()).violations.empty());
  const OneTile tile(Space::kPsum, 128, 4096, Place(0, 7 * 2048));
  ExpectOne(CheckPsumBanks(tile.subject()), Kind::kPsumBank, HasSubstr("bank 8"));
}

TEST(PsumBank, ATileStartsAtAMultipleOfFour) {
  ExpectOne(CheckPsumBanks(OneTile(Space::kPsum, 128, 4, Place(0, 6)).subject()), Kind::kPsumBank,
            HasSubstr("multiple of 4"));
}

CheckResult Accumulation(const TestKernel& k) {
  const LinearKernel linear = k.Linear();
  const Placement placement;
  return CheckAccumulation({linear, placement, FindTarget("trn2").value(), {}});
}

TEST(Accumulation, NeedsAWriteThatOpensTheRegion) {
  TestKernel k;
  const TensorId tile = k.Psum("tile", 128, 8);
  k.Accumulate(tile);
  ExpectOne(Accumulation(k), Kind::kAccumulate, AllOf(HasSubstr("point 0"), HasSubstr("[0, 8)")));
}

TEST(Accumulation, IsOpenedByAnyOtherWrite) {
  TestKernel k;
  const TensorId tile = k.Psum("tile", 128, 8);
  k.Write(tile);
  k.Accumulate(tile);
  k.Accumulate(tile);
  EXPECT_EQ(Accumulation(k).checked, 2);
  EXPECT_TRUE(Accumulation(k).violations.empty());
}

TEST(Accumulation, IsNotOpenedByAWriteToOtherBytesOrByALaterOne) {
  TestKernel k;
  const TensorId tile = k.Psum("tile", 128, 8);
  k.Write(tile, {.offset = 0, .count = 4});
  k.Accumulate(tile);
  k.Write(tile);
  ExpectOne(Accumulation(k), Kind::kAccumulate, HasSubstr("[4, 8)"));
}

TEST(Accumulation, MayBeOpenedInTheFirstIterationOfItsLoop) {
  TestKernel k;
  const TensorId tile = k.Psum("tile", 128, 8);
  const LoopId i = k.Open(4);
  k.Accumulate(tile).when = {AtLeastZero(Times(i, 1, -1))};
  k.Write(tile).when = {AtLeastZero(Times(i, -1))};
  k.Close();
  EXPECT_TRUE(Accumulation(k).violations.empty());
}

TEST(CheckPlacement, NamesItsRulesInOrder) {
  const OneTile tile(Space::kSbuf, 128, 64, Place(0, 0));
  std::vector<std::string> names;
  for (const CheckResult& result :
       CheckPlacement(tile.linear, tile.placement, FindTarget("trn2").value(), {})) {
    names.push_back(result.name);
    EXPECT_TRUE(result.violations.empty());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"bounds", "partitions", "alignment", "psum-bank",
                                             "overlap", "accumulate"}));
}

}  // namespace
}  // namespace spillway::check
