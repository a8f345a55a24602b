#include "sim/lower/memory_map.h"

#include <gtest/gtest.h>

#include "tests/unit/lower/kernels.h"

namespace spillway {
namespace {

Tensor Make(std::string name, Space space, std::vector<std::int64_t> shape, std::vector<Address> at,
            Role role = Role::kInternal) {
  return {std::move(name), space, DType::kFloat32, std::move(shape), {}, role, std::move(at)};
}
Address At(std::int64_t partition, std::int64_t byte) {
  return {Partition(partition), ByteOffset(byte)};
}

// Every tensor is written once, so that each counts as used.
Kernel Using(std::vector<Tensor> tensors) {
  Kernel kernel;
  for (Tensor& tensor : tensors) {
    Operand operand;
    operand.tensor = kernel.tensors.push_back(std::move(tensor));
    Instruction instruction;
    instruction.op = "memset";
    instruction.outputs.push_back({"dst", {operand}, false});
    kernel.instructions.push_back(std::move(instruction));
  }
  return kernel;
}

Result<MemoryMap> Map(const Kernel& kernel) {
  return MapMemory(kernel, FixedPlacement(kernel), Trn2());
}

TEST(MemoryMap, UnplacedDramFollowsThePlacedHomes) {
  const Kernel kernel = Using({Make("in", Space::kDram, {3}, {}, Role::kInput),
                               Make("home", Space::kDram, {25}, {At(0, 1000)}),
                               Make("out", Space::kDram, {4}, {}, Role::kOutput)});
  const MemoryMap map = Map(kernel).value();
  EXPECT_EQ(map.addresses[TensorId(1)].at(0).byte, ByteOffset(1000));
  EXPECT_EQ(map.addresses[TensorId(0)].at(0).byte, ByteOffset(1152))
      << "behind 1100, on a multiple of 64";
  EXPECT_EQ(map.addresses[TensorId(2)].at(0).byte, ByteOffset(1216));
  EXPECT_EQ(map.use.dram, Bytes(1232));
  EXPECT_TRUE(map.own_dram[TensorId(0)]);
  EXPECT_FALSE(map.own_dram[TensorId(1)]);
}

TEST(MemoryMap, PlacesOutsideTheMemoryAreErrors) {
  EXPECT_EQ(Map(Using({Make("s", Space::kSbuf, {64, 1}, {At(96, 0)})})).error().kind,
            Kind::kPartitionRange);
  EXPECT_EQ(Map(Using({Make("s", Space::kSbuf, {64, 2}, {At(0, 229376 - 4)})})).error().kind,
            Kind::kOutOfRange);
  EXPECT_EQ(Map(Using({Make("s", Space::kSbuf, {64, 2}, {At(0, -4)})})).error().kind,
            Kind::kOutOfRange);
  EXPECT_EQ(Map(Using({Make("p", Space::kPsum, {64, 1}, {At(0, 16384)})})).error().kind,
            Kind::kOutOfRange);
  EXPECT_TRUE(Map(Using({Make("s", Space::kSbuf, {64, 1}, {At(64, 229376 - 4)})})).has_value());
}

TEST(MemoryMap, AUsedTensorWithoutAPlaceIsAnErrorAndAnUnusedOneIsNot) {
  Kernel kernel = Using({Make("s", Space::kSbuf, {64, 1}, {})});
  EXPECT_EQ(Map(kernel).error().code, "not-placed");
  kernel.instructions = {};
  EXPECT_TRUE(Map(kernel).has_value());
}

TEST(MemoryMap, EveryBlockNeedsAPlace) {
  Tensor tensor = Make("s", Space::kSbuf, {64, 1}, {At(0, 0)});
  tensor.blocks = {2};
  EXPECT_EQ(Map(Using({tensor})).error().code, "place-count");
}

TEST(MemoryMap, MoreDramThanTheTargetHasIsAnError) {
  EXPECT_EQ(Map(Using({Make("big", Space::kDram, {std::int64_t{1} << 40}, {}, Role::kInput)}))
                .error()
                .code,
            "dram-full");
}

}  // namespace
}  // namespace spillway
