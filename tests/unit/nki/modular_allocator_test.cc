// Logical tiles over physical ones: the address law, and what it refuses.
#include "model/alloc/nki/modular_allocator.h"

#include <gmock/gmock.h>

#include <array>

#include "tests/property/run_property.h"
#include "tests/unit/nki/stack_fixture.h"

namespace spillway::nki {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModularAllocator Modular(std::int64_t lower, std::int64_t upper) {
  return *ModularAllocator::Create(Trn2(),
                                   Interval<ByteOffset>{ByteOffset(lower), ByteOffset(upper)});
}

std::vector<std::int64_t> BytesOf(const Result<ModularTiles>& made) {
  std::vector<std::int64_t> bytes;
  if (!made) ADD_FAILURE() << made.error().ToString();
  if (made) {
    for (const TileAllocation& tile : made->tiles) bytes.push_back(tile.address->byte.value);
  }
  return bytes;
}

//  tiles 0 2 4 | 1 3      the next tensor starts after two tiles, not after five
TEST(ModularAllocator, TileIAliasesTileIPlusTheCount) {
  ModularAllocator modular = Modular(4, 100);
  const auto made = modular.Alloc({Tile("t", 10), {5}, {2}});
  EXPECT_THAT(BytesOf(made), ElementsAre(4, 14, 4, 14, 4));
  EXPECT_EQ(made->bytes, (Interval<ByteOffset>{ByteOffset(4), ByteOffset(24)}));
  EXPECT_EQ(modular.cursor(), ByteOffset(24));
  EXPECT_THAT(BytesOf(modular.Alloc({Tile("u", 4), {}, {}})), ElementsAre(24));
}

TEST(ModularAllocator, DimensionsRotateByThemselvesAndLinearizeRowMajorOverTheCounts) {
  ModularAllocator modular = Modular(0, 100);
  const auto made = modular.Alloc({Tile("t", 1), {3, 4}, {2, 3}});
  EXPECT_THAT(BytesOf(made), ElementsAre(0, 1, 2, 0, 3, 4, 5, 3, 0, 1, 2, 0));
  EXPECT_EQ(modular.cursor(), ByteOffset(6));
  EXPECT_EQ(made->At(std::array<std::int64_t, 2>{1, 3}).address->byte, ByteOffset(3));
  EXPECT_THROW(made->At(std::array<std::int64_t, 2>{1, 4}), ContractViolation);
}

TEST(ModularAllocator, NoCountsAreOnePhysicalTile) {
  ModularAllocator modular = Modular(0, 100);
  EXPECT_THAT(BytesOf(modular.Alloc({Tile("t", 10), {2, 2}, {}})), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(modular.cursor(), ByteOffset(10));
}

TEST(ModularAllocator, ATensorWithoutBlocksIsOneTile) {
  ModularAllocator modular = Modular(3, 100);
  TileRequest tile{"t", {32, 2}, "float32", Space::kSbuf, Partition(96), {}};
  const auto made = modular.Alloc({tile, {}, {}});
  EXPECT_THAT(BytesOf(made), ElementsAre(4)) << "aligned to its element";
  EXPECT_EQ(made->tiles.front().address->partition, Partition(96));
}

TEST(ModularAllocator, FillsItsWindowToTheLastByteAndNotFurther) {
  ModularAllocator modular = Modular(0, 100);
  EXPECT_THAT(BytesOf(modular.Alloc({Tile("t", 25), {8}, {4}})),
              ElementsAre(0, 25, 50, 75, 0, 25, 50, 75));
  EXPECT_EQ(CodeOf(modular.Alloc({Tile("u", 1), {}, {}})), "modular-out-of-memory");
}

TEST(ModularAllocator, OutOfMemoryNamesTheTilesThatFit) {
  ModularAllocator modular = Modular(10, 100);
  ASSERT_TRUE(modular.Alloc({Tile("a", 11), {}, {}}).has_value());
  const auto made = modular.Alloc({Tile("t", 16, Bytes(16)), {8}, {5}});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().kind, Kind::kCapacity);
  EXPECT_THAT(made.error().message,
              AllOf(HasSubstr("[NCC_INKI016]"),
                    HasSubstr("8 logical tiles over 5 physical ones of 16 B need [32, 112)"),
                    HasSubstr("68 B are free from 32 on in the window [10, 100), which hold 4 "
                              "tiles")));
  EXPECT_EQ(modular.cursor(), ByteOffset(21)) << "a refusal moves nothing";
  EXPECT_TRUE(modular.Alloc({Tile("t", 16, Bytes(16)), {8}, {4}}).has_value());
}

TEST(ModularAllocator, AnAlignmentPastTheWindowLeavesNoRoom) {
  ModularAllocator modular = Modular(1, 100);
  const auto made = modular.Alloc({Tile("t", 1, Bytes(4096)), {}, {}});
  ASSERT_EQ(CodeOf(made), "modular-out-of-memory");
  EXPECT_THAT(made.error().message, HasSubstr("0 B are free from 4096 on"));
}

struct Refusal {
  const char* what;
  ModularRequest request;
  const char* code;
  const char* words;
};

class ModularRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(ModularRefusal, HasItsOwnCodeAndChangesNothing) {
  ModularAllocator modular = Modular(0, 1000);
  const auto made = modular.Alloc(GetParam().request);
  ASSERT_EQ(CodeOf(made), GetParam().code);
  EXPECT_THAT(made.error().message, HasSubstr(GetParam().words));
  EXPECT_EQ(modular.cursor(), ByteOffset(0));
}

INSTANTIATE_TEST_SUITE_P(
    Requests, ModularRefusal,
    testing::Values(Refusal{"Psum",
                            {{"t", {128, 4}, "float32", Space::kPsum, {}, {}}, {2}, {1}},
                            "modular-buffer",
                            "tile 't' lies in psum"},
                    Refusal{"OtherDimensions",
                            {Tile("t", 4), {2, 2}, {2}},
                            "modular-counts",
                            "num_free_tiles has 1 dimensions and block_dim 2"},
                    Refusal{"NoPhysicalTile",
                            {Tile("t", 4), {2}, {0}},
                            "modular-count",
                            "num_free_tiles (0,) holds 0"},
                    Refusal{"NoLogicalTile",
                            {Tile("t", 4), {2, -1}, {1, 1}},
                            "modular-count",
                            "block_dim (2, -1) holds -1"},
                    Refusal{"MoreTilesThanAList",
                            {Tile("t", 4), {1 << 20, 2}, {1, 1}},
                            "modular-tiles",
                            "more than 1048576 tiles"},
                    Refusal{"AProductOver64Bits",
                            {Tile("t", 4), {2}, {std::int64_t{1} << 62}},
                            "modular-tiles",
                            "num_free_tiles"},
                    Refusal{"TilesOffTheirAlignment",
                            {Tile("t", 20, Bytes(32)), {4}, {2}},
                            "modular-alignment",
                            "20 B per partition, no multiple of the alignment 32"},
                    Refusal{"BasePartition",
                            {{"t", {64, 4}, "float32", Space::kSbuf, Partition(32), {}}, {2}, {1}},
                            "tile-start-partition",
                            "start at 0, 64"},
                    Refusal{"Dtype",
                            {{"t", {64, 4}, "bool", Space::kSbuf, {}, {}}, {2}, {1}},
                            "unknown-dtype",
                            "'bool'"}),
    [](const auto& row) { return std::string(row.param.what); });

TEST(ModularAllocator, RefusesAWindowOutsideTheUsableBytes) {
  for (const auto& [lower, upper] : {std::pair{-1, 8}, {0, 212985}, {9, 8}}) {
    EXPECT_EQ(CodeOf(ModularAllocator::Create(
                  Trn2(), Interval<ByteOffset>{ByteOffset(lower), ByteOffset(upper)})),
              "modular-window");
  }
  EXPECT_EQ(ModularAllocator::Create(Trn2())->window().end, ByteOffset(212984));
}

// Two tensors in a row: their addresses by nested loops over at most two block dimensions.
TEST(ModularAllocator, FollowsTheAddressLawForAnyCountsOrRefuses) {
  Shares shares;
  CheckProperty("modular", 1500, [&] {
    const auto small = rc::gen::inRange<std::int64_t>(1, 6);
    const std::int64_t lower = *rc::gen::inRange<std::int64_t>(0, 50);
    const std::int64_t upper = lower + *rc::gen::inRange<std::int64_t>(20, 200);
    ModularAllocator modular = Modular(lower, upper);
    std::int64_t cursor = lower;
    bool refused = false;
    bool aliased = false;
    bool gap = false;
    for (int tensor = 0; tensor < 3; ++tensor) {
      const std::array<std::int64_t, 2> blocks{*small, *small};
      const std::array<std::int64_t, 2> counts{*small, *small};
      const std::int64_t elements = *small;
      const TileRequest tile{"t", {128, elements}, "float32", Space::kSbuf, {}, {}};
      const auto made = modular.Alloc({tile, {blocks[0], blocks[1]}, {counts[0], counts[1]}});
      std::int64_t start = cursor;
      while (start % 4 != 0) ++start;
      const std::int64_t end = start + 4 * elements * counts[0] * counts[1];
      RC_ASSERT(made.has_value() == (end <= upper));
      if (!made) {
        RC_ASSERT(made.error().code == "modular-out-of-memory");
        RC_ASSERT(modular.cursor().value == cursor);
        refused = true;
        continue;
      }
      RC_ASSERT(made->tiles.size() == static_cast<std::size_t>(blocks[0] * blocks[1]));
      for (std::int64_t i = 0; i < blocks[0]; ++i) {
        for (std::int64_t j = 0; j < blocks[1]; ++j) {
          const std::int64_t slot = i % counts[0] * counts[1] + j % counts[1];
          const std::array<std::int64_t, 2> index{i, j};
          RC_ASSERT(made->At(index).address->byte.value == start + slot * 4 * elements);
        }
      }
      gap |= start > cursor;
      aliased |= counts[0] < blocks[0] || counts[1] < blocks[1];
      cursor = end;
      RC_ASSERT(modular.cursor().value == cursor);
    }
    shares.Case();
    shares.Count("refused", refused);
    shares.Count("aliased", aliased);
    shares.Count("gap", gap);
  });
  shares.AtLeast("refused", 30);
  shares.AtLeast("aliased", 40);
  shares.AtLeast("gap", 20);
}

}  // namespace
}  // namespace spillway::nki
