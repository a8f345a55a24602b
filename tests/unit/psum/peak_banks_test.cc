// One way to count PSUM banks: those that hold something alive at once.
#include "model/alloc/psum/peak_banks.h"

#include <gtest/gtest.h>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway::psum {
namespace {

constexpr std::int64_t kBank = 2048;

const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}

// Each tile of `bytes` is written and read before the next one is: one is alive at a time.
BankCount PeakOf(const std::vector<std::vector<std::int64_t>>& places, std::int64_t bytes = kBank,
                 bool together = false) {
  KernelBuilder b("banks", "trn2");
  const TensorId out = b.Sbuf("out", DType::kUint8, {32, bytes});
  std::vector<TensorId> tiles;
  for (std::size_t t = 0; t < places.size(); ++t) {
    TensorOptions options;
    if (places[t].size() > 1) options.blocks = {static_cast<std::int64_t>(places[t].size())};
    for (const std::int64_t byte : places[t])
      options.at.push_back({Partition(0), ByteOffset(byte)});
    tiles.push_back(b.Psum("t" + std::to_string(t), DType::kUint8, {32, bytes}, options));
  }
  const auto whole = [&](std::size_t t) {
    return places[t].size() > 1 ? b.Whole(tiles[t]).Block({0}) : b.Whole(tiles[t]);
  };
  const auto use = [&](std::size_t t) { b.Copy(b.Whole(out), whole(t)); };
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    b.Instruction("memset").Out("dst", whole(t));
    if (!together) use(t);
  }
  for (std::size_t t = 0; together && t < tiles.size(); ++t) use(t);
  const LinearKernel linear = Linearize(b.Build());
  return PeakBanksInUse(linear, FixedPlacement(linear.kernel), Trn2());
}

TEST(PeakBanksInUse, TheHighestBankOfOneTileIsOneBank) {
  EXPECT_EQ(PeakOf({{7 * kBank}}), BankCount(1));
}

TEST(PeakBanksInUse, CountsWhatIsAliveAtOnceAndNotWhatIsUsedInTurn) {
  EXPECT_EQ(PeakOf({{0}, {kBank}, {5 * kBank}}), BankCount(1));
  EXPECT_EQ(PeakOf({{0}, {kBank}, {5 * kBank}}, kBank, true), BankCount(3));
}

TEST(PeakBanksInUse, ABankThatTwoTensorsHoldCountsOnce) {
  EXPECT_EQ(PeakOf({{0}, {512}}, 512, true), BankCount(1));
}

TEST(PeakBanksInUse, ATileAcrossBanksHoldsThemAll) {
  EXPECT_EQ(PeakOf({{kBank - 4}}, 8), BankCount(2));
  EXPECT_EQ(PeakOf({{0}}, 2 * kBank + 1), BankCount(3));
}

TEST(PeakBanksInUse, AllBlocksOfATensorCount) {
  EXPECT_EQ(PeakOf({{0, 3 * kBank, 3 * kBank}}), BankCount(2));
}

TEST(PeakBanksInUse, WhatLiesBeyondTheBanksOrNowhereDoesNotCount) {
  EXPECT_EQ(PeakOf({{8 * kBank}, {std::int64_t{1} << 48}}, kBank, true), BankCount(0));
  EXPECT_EQ(PeakOf({{7 * kBank + 4}}), BankCount(1));
  EXPECT_EQ(PeakOf({{}}), BankCount(0));
}

}  // namespace
}  // namespace spillway::psum
