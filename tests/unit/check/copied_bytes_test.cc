#include "model/alloc/check/copied_bytes.h"

#include <gtest/gtest.h>

#include "tests/unit/check/test_kernel.h"

namespace spillway::check {
namespace {

// A block of 4 partitions x 6 bytes that lies somewhere in SBUF, and memory to copy it to.
struct Copy : TestKernel {
  TensorId tile = Sbuf("tile", 4, 6);
  TensorId other = Sbuf("other", 4, 6);
  TensorId dram = Dram("dram", 24);

  Operand Linear(std::vector<FreeDim> dims, std::int64_t offset = 0) const {
    Operand operand = At(dram);
    operand.free_offset = offset;
    operand.free_dims = std::move(dims);
    return operand;
  }
};

constexpr std::int64_t kRow = 6;
const Start kTile{kSbufStore, false, 32, 100};
const Location kTileAt{kSbufStore, false, 32, 100, 0};
const Start kDram{kDramStore, true, 0, 1000};

PlaneSet Whole() { return PlaneSet({Partition(0), Partition(4)}, {Range(0, 6)}); }

TEST(CopiedBytes, ATileThatMovesKeepsItsShape) {
  Copy k;
  const auto dims = CopyDimsOf(k.kernel(), k.At(k.tile), k.At(k.other));
  ASSERT_TRUE(dims);
  const std::vector<Holding> copied =
      CopiedBytes(*dims, kTile, {kPsumStore, false, 64, 0}, {kTileAt, Whole()}, kRow);
  ASSERT_EQ(copied.size(), 1u);
  EXPECT_EQ(copied[0].at, (Location{kPsumStore, false, 64, 0, 0}));
  EXPECT_EQ(copied[0].bytes, Whole());
}

TEST(CopiedBytes, ARowMajorHomeIsOnePlace) {
  Copy k;
  const Operand home = k.Linear({{6, 4}, {1, 6}});
  const auto save = CopyDimsOf(k.kernel(), k.At(k.tile), home);
  ASSERT_TRUE(save);
  const std::vector<Holding> saved = CopiedBytes(*save, kTile, kDram, {kTileAt, Whole()}, kRow);
  ASSERT_EQ(saved.size(), 1u);
  EXPECT_EQ(saved[0].at, (Location{kDramStore, true, 0, 1000, 6}));
  EXPECT_EQ(saved[0].bytes, Whole());
  const auto reload = CopyDimsOf(k.kernel(), home, k.At(k.tile));
  const std::vector<Holding> back = CopiedBytes(*reload, kDram, kTile, saved[0], kRow);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].at, kTileAt);
  EXPECT_EQ(back[0].bytes, Whole());
}

TEST(CopiedBytes, OneRunOfDramFillsATileRowByRow) {
  Copy k;
  const auto dims = CopyDimsOf(k.kernel(), k.Linear({{1, 24}}), k.At(k.tile));
  ASSERT_TRUE(dims);
  const Holding source{{kDramStore, true, 0, 1000, 6}, Whole()};
  const std::vector<Holding> copied = CopiedBytes(*dims, kDram, kTile, source, kRow);
  ASSERT_EQ(copied.size(), 1u);
  EXPECT_EQ(copied[0].at, kTileAt);
  EXPECT_EQ(copied[0].bytes, Whole());
}

TEST(CopiedBytes, ARowThatLiesAloneCountsAsOneOfARowMajorHome) {
  Copy k;
  const Operand row = k.At(k.tile, {.partition = 2, .partitions = 1});
  const auto dims = CopyDimsOf(k.kernel(), row, k.Linear({{1, 6}}, 12));
  ASSERT_TRUE(dims);
  const std::vector<Holding> copied = CopiedBytes(
      *dims, {kSbufStore, false, 34, 100}, {kDramStore, true, 0, 1012}, {kTileAt, Whole()}, kRow);
  ASSERT_EQ(copied.size(), 1u);
  EXPECT_EQ(copied[0].at, (Location{kDramStore, true, 0, 1000, 6}));
  EXPECT_EQ(copied[0].bytes, PlaneSet({Partition(2), Partition(3)}, {Range(0, 6)}));
}

TEST(CopiedBytes, ColumnsThatLieApartAreAPlaceEach) {
  Copy k;
  const auto dims = CopyDimsOf(k.kernel(), k.At(k.tile), k.Linear({{1, 4}, {4, 6}}));
  ASSERT_TRUE(dims);
  const std::vector<Holding> copied = CopiedBytes(*dims, kTile, kDram, {kTileAt, Whole()}, kRow);
  ASSERT_EQ(copied.size(), 6u);
  EXPECT_EQ(copied[5].bytes, PlaneSet({Partition(0), Partition(4)}, {Range(5, 6)}));
  EXPECT_EQ(copied[5].at, (Location{kDramStore, true, 0, 1000 + 20 - 5, 1}));
}

TEST(CopiedBytes, APartArrivesAsThatPart) {
  Copy k;
  const Part part{.offset = 2, .count = 3, .partition = 1, .partitions = 2};
  const auto dims = CopyDimsOf(k.kernel(), k.At(k.tile, part), k.At(k.other, part));
  ASSERT_TRUE(dims);
  const std::vector<Holding> copied = CopiedBytes(
      *dims, {kSbufStore, false, 33, 102}, {kSbufStore, false, 1, 2}, {kTileAt, Whole()}, kRow);
  ASSERT_EQ(copied.size(), 1u);
  EXPECT_EQ(copied[0].at, (Location{kSbufStore, false, 0, 0, 0}));
  EXPECT_EQ(copied[0].bytes, PlaneSet({Partition(1), Partition(3)}, {Range(2, 5)}));
}

TEST(CopiedBytes, PatternsThatShareNoDimensionsAreUnknown) {
  Copy k;
  const Operand three = k.At(k.tile, {.count = 3});
  EXPECT_FALSE(CopyDimsOf(k.kernel(), three, k.At(k.other, {.count = 2})));
  EXPECT_FALSE(CopyDimsOf(k.kernel(), three, k.Linear({{1, 11}})));
}

TEST(CopiedBytes, AnotherTypeIsNoCopyOfBytes) {
  Copy k;
  Operand signed_tile = k.At(k.tile);
  signed_tile.as = DType::kInt8;
  EXPECT_FALSE(CopyDimsOf(k.kernel(), signed_tile, k.At(k.other)));
}

}  // namespace
}  // namespace spillway::check
