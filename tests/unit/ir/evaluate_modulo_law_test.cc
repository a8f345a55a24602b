#include "model/alloc/ir/evaluate_modulo_law.h"

#include <gtest/gtest.h>

#include "model/hw/target.h"

namespace spillway {
namespace {

// A tile of 32 partitions x 16 bytes.
Tensor Tiles(std::vector<std::int64_t> blocks, Space space = Space::kSbuf) {
  return {"t", space, DType::kFloat32, {32, 4}, std::move(blocks), Role::kInternal, {}, {}};
}

std::vector<std::int64_t> BytesOf(const Result<std::vector<Address>>& addresses) {
  std::vector<std::int64_t> bytes;
  for (const Address& address : addresses.value()) bytes.push_back(address.byte.value);
  return bytes;
}

TEST(EvaluateModuloLawTest, OneBlockDimensionCyclesThroughItsTiles) {
  const auto addresses =
      EvaluateModuloLaw(Tiles({5}), {.base_addr = ByteOffset(100), .num_free_tiles = {2}});
  EXPECT_EQ(BytesOf(addresses), (std::vector<std::int64_t>{100, 116, 100, 116, 100}));
}

TEST(EvaluateModuloLawTest, NoCountsMeanOneTile) {
  const auto addresses = EvaluateModuloLaw(Tiles({3}), {.base_addr = ByteOffset(8)});
  EXPECT_EQ(BytesOf(addresses), (std::vector<std::int64_t>{8, 8, 8}));
}

TEST(EvaluateModuloLawTest, SeveralDimensionsAreRowMajorOverTheCountsNotTheBlocks) {
  // Blocks (i, j) of 2 x 4 over 2 x 3 tiles: tile (i mod 2) * 3 + j mod 3.
  const auto addresses =
      EvaluateModuloLaw(Tiles({2, 4}), {.base_addr = ByteOffset(0), .num_free_tiles = {2, 3}});
  EXPECT_EQ(BytesOf(addresses), (std::vector<std::int64_t>{0, 16, 32, 0, 48, 64, 80, 48}));
}

TEST(EvaluateModuloLawTest, PartitionTilesStepByTheTilesPartitions) {
  const auto addresses = EvaluateModuloLaw(
      Tiles({4}), {.base_addr = ByteOffset(0), .num_par_tiles = {4}, .num_free_tiles = {2}});
  ASSERT_TRUE(addresses);
  EXPECT_EQ((*addresses)[1], (Address{Partition(32), ByteOffset(16)}));
  EXPECT_EQ((*addresses)[3], (Address{Partition(96), ByteOffset(16)}));
}

TEST(EvaluateModuloLawTest, BankTilesStepByOneBank) {
  const auto addresses =
      EvaluateModuloLaw(Tiles({3}, Space::kPsum), {.base_bank = BankId(5), .num_bank_tiles = {2}});
  EXPECT_EQ(BytesOf(addresses), (std::vector<std::int64_t>{5 * 2048, 6 * 2048, 5 * 2048}));
}

TEST(EvaluateModuloLawTest, ABankOfAddressesIsEveryTargetsBank) {
  for (const Target& target : BuiltInTargets())
    EXPECT_EQ(target.psum_bank_bytes.value, kAddressBankBytes) << target.name;
}

TEST(EvaluateModuloLawTest, CountsOfAnotherLengthOrBelowOneAreRefusedWithTheirName) {
  for (const std::vector<std::int64_t>& counts :
       std::vector<std::vector<std::int64_t>>{{2}, {2, 2, 2}, {2, 0}, {-1, 2}}) {
    const auto addresses =
        EvaluateModuloLaw(Tiles({4, 4}), {.base_addr = ByteOffset(0), .num_par_tiles = counts});
    ASSERT_FALSE(addresses);
    EXPECT_EQ(addresses.error().code, "alloc-tile-counts");
    EXPECT_NE(addresses.error().message.find("num_par_tiles"), std::string::npos);
  }
}

TEST(EvaluateModuloLawTest, AddressesBeyondAllBoundsAreRefused) {
  const std::int64_t huge = std::int64_t{1} << 48;
  const auto addresses =
      EvaluateModuloLaw(Tiles({2, 2}), {.base_addr = ByteOffset(0), .num_free_tiles = {2, huge}});
  ASSERT_FALSE(addresses);
  EXPECT_EQ(addresses.error().code, "alloc-address-too-large");
}

TEST(FollowsModuloLawTest, EndsWhenSomethingElsePlacesTheTensor) {
  Tensor tensor = Tiles({2});
  tensor.alloc = ModuloLaw{.base_addr = ByteOffset(0), .num_free_tiles = {2}};
  tensor.at = *EvaluateModuloLaw(tensor, *tensor.alloc);
  EXPECT_TRUE(FollowsModuloLaw(tensor));
  tensor.at[1].byte = ByteOffset(64);
  EXPECT_FALSE(FollowsModuloLaw(tensor));
  tensor.at.clear();
  EXPECT_FALSE(FollowsModuloLaw(tensor));
}

}  // namespace
}  // namespace spillway
