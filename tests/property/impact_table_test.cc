// Closed forms against counting, and the plain scan that costs are compared with.
#include "properties/impact_table.h"

#include <gtest/gtest.h>

#include "model/alloc/ir/kernel_builder.h"
#include "properties/spill_yardstick.h"

namespace spillway {
namespace {

TEST(ImpactTable, IsWhatCountingPlacesGives) {
  const std::optional<std::string> fault = CheckImpactCounts();
  EXPECT_FALSE(fault.has_value()) << *fault;
}

// Three tiles of 8 bytes, all loaded before any is stored.
Kernel ThreeTiles() {
  KernelBuilder b("three", "trn2");
  std::vector<TensorId> tiles;
  for (int i = 0; i < 3; ++i) {
    const std::string serial = std::to_string(i);
    const TensorId x = b.Dram("x" + serial, DType::kFloat32, {128, 2}, Role::kInput);
    tiles.push_back(b.Sbuf("t" + serial, DType::kFloat32, {128, 2}));
    b.Copy(b.Whole(tiles.back()), b.Whole(x).Tile(0, 128, 0, 2));
  }
  for (int i = 0; i < 3; ++i) {
    const std::string serial = std::to_string(i);
    const TensorId y = b.Dram("y" + serial, DType::kFloat32, {128, 2}, Role::kOutput);
    b.Copy(b.Whole(y).Tile(0, 128, 0, 2), b.Whole(tiles[static_cast<std::size_t>(i)]));
  }
  return b.Build();
}

TEST(SpillYardstick, CostsNothingWhereEverythingFits) {
  const Target target = FindTarget("trn2").value();
  EXPECT_EQ(YardstickTransfersOf(ThreeTiles(), Bytes(24), target), 0);
}

TEST(SpillYardstick, PaysATransferForEveryAccessOfWhatGoes) {
  const Target target = FindTarget("trn2").value();
  EXPECT_EQ(YardstickTransfersOf(ThreeTiles(), Bytes(16), target), 2);
}

TEST(SpillYardstick, CountsTheSavesAndReloadsThatRun) {
  Kernel kernel = ThreeTiles();
  EXPECT_EQ(SpillTransfersOf(kernel), 0);
  kernel.instructions[InstructionId(3)].spill = SpillRole::kReload;
  EXPECT_EQ(SpillTransfersOf(kernel), 1);
}

}  // namespace
}  // namespace spillway
