#include "model/alloc/nki/auto_allocator.h"

#include <gmock/gmock.h>

namespace spillway::nki {
namespace {

using ::testing::HasSubstr;

const Target& Trn2() {
  static const Target target = FindTarget("trn2").value();
  return target;
}

Tensor Tile(std::string name, std::int64_t partitions, std::int64_t bytes,
            Space space = Space::kSbuf, std::vector<std::int64_t> blocks = {}) {
  return {std::move(name),
          space,
          DType::kUint8,
          {partitions, bytes},
          std::move(blocks),
          Role::kInternal,
          {},
          {}};
}

Address At(std::int64_t partition, std::int64_t byte) {
  return {Partition(partition), ByteOffset(byte)};
}

TEST(AutoAllocatorTest, ATensorWaitsUntilAnInstructionTouchesIt) {
  AutoAllocator allocator(Trn2());
  ASSERT_TRUE(allocator.Declare(Tile("late", 128, 64)));
  ASSERT_TRUE(allocator.Declare(Tile("early", 128, 64)));
  EXPECT_TRUE(allocator.assigned().empty());
  ASSERT_TRUE(allocator.AllocatePendingInstTile({"early"}));
  EXPECT_EQ(allocator.AllocateTensor("early").value(), (std::vector<Address>{At(0, 0)}));
  ASSERT_TRUE(allocator.AllocatePendingTensorsInScope());
  EXPECT_EQ(allocator.AllocateTensor("late").value(), (std::vector<Address>{At(0, 64)}));
}

TEST(AutoAllocatorTest, NarrowTensorsShareBytesInOtherPartitions) {
  AutoAllocator allocator(Trn2());
  for (const char* name : {"a", "b", "c", "d", "e"})
    ASSERT_TRUE(allocator.Declare(Tile(name, 32, 64)));
  ASSERT_TRUE(allocator.AllocatePendingTensors());
  EXPECT_EQ(allocator.AllocateTensor("d").value().front(), At(96, 0));
  EXPECT_EQ(allocator.AllocateTensor("e").value().front(), At(0, 64));
  EXPECT_EQ(allocator.sbuf_high_water(), Bytes(128));
}

TEST(AutoAllocatorTest, ClosingAScopeFreesWhatItHeldAndNothingElse) {
  AutoAllocator allocator(Trn2());
  ASSERT_TRUE(allocator.Declare(Tile("outer", 128, 64)));
  ASSERT_TRUE(allocator.EnterScope("loop"));
  ASSERT_TRUE(allocator.Declare(Tile("inner", 128, 64)));
  EXPECT_EQ(allocator.AllocateTensor("inner").value().front(), At(0, 64));
  ASSERT_TRUE(allocator.ExitScope());
  ASSERT_TRUE(allocator.Declare(Tile("after", 128, 64)));
  EXPECT_EQ(allocator.AllocateTensor("after").value().front(), At(0, 64));
}

TEST(AutoAllocatorTest, OpeningAScopePlacesWhatWaitsOutsideFirst) {
  AutoAllocator allocator(Trn2());
  ASSERT_TRUE(allocator.Declare(Tile("carried", 128, 64)));
  ASSERT_TRUE(allocator.EnterScope("loop"));
  ASSERT_EQ(allocator.assigned().size(), 1u);
  EXPECT_EQ(allocator.assigned().front().tensor.at.front(), At(0, 0));
}

TEST(AutoAllocatorTest, ATileInPsumKeepsItsBankForItself) {
  AutoAllocator allocator(Trn2());
  ASSERT_TRUE(allocator.Declare(Tile("small", 128, 4, Space::kPsum)));
  ASSERT_TRUE(allocator.Declare(Tile("next", 128, 4, Space::kPsum)));
  ASSERT_TRUE(allocator.AllocatePendingTensors());
  EXPECT_EQ(allocator.AllocateTensor("next").value().front(), At(0, 2048));
  EXPECT_EQ(allocator.psum_high_water(), BankCount(2));
}

TEST(AutoAllocatorTest, EveryBlockGetsAPlaceOfItsOwn) {
  AutoAllocator allocator(Trn2());
  ASSERT_TRUE(allocator.Declare(Tile("ring", 128, 64, Space::kSbuf, {3})));
  EXPECT_EQ(allocator.AllocateTensor("ring").value(),
            (std::vector<Address>{At(0, 0), At(0, 64), At(0, 128)}));
}

TEST(AutoAllocatorTest, WhatTheAuthorPlacedIsKeptClear) {
  AutoAllocator allocator(Trn2());
  Tensor fixed = Tile("fixed", 128, 64);
  fixed.at = {At(0, 32)};
  ASSERT_TRUE(allocator.AssignAllocation(fixed));
  ASSERT_TRUE(allocator.Declare(Tile("free", 128, 64)));
  EXPECT_EQ(allocator.AllocateTensor("free").value().front(), At(0, 96));
}

TEST(AutoAllocatorTest, AnIdentityIsMadeOnceForEachTypeAndSize) {
  AutoAllocator allocator(Trn2());
  const Tensor first = allocator.IdentityTensor(DType::kBfloat16, PartitionCount(128)).value();
  EXPECT_EQ(allocator.IdentityTensor(DType::kBfloat16, PartitionCount(128)).value(), first);
  EXPECT_NE(allocator.IdentityTensor(DType::kFloat32, PartitionCount(128)).value().at, first.at);
  EXPECT_NE(allocator.IdentityTensor(DType::kBfloat16, PartitionCount(64)).value().name,
            first.name);
  EXPECT_EQ(first.shape, (std::vector<std::int64_t>{128, 128}));
}

// The loop comes round again, and by then the identity would be overwritten.
TEST(AutoAllocatorTest, AnIdentityTakesNoBytesThatAClosedScopeHeld) {
  AutoAllocator allocator(Trn2());
  ASSERT_TRUE(allocator.EnterScope("outer"));
  ASSERT_TRUE(allocator.EnterScope("inner"));
  ASSERT_TRUE(allocator.Declare(Tile("closed", 128, 64)));
  ASSERT_TRUE(allocator.ExitScope());
  EXPECT_EQ(allocator.IdentityTensor(DType::kUint8, PartitionCount(128)).value().at.front(),
            At(0, 64));
  ASSERT_TRUE(allocator.ExitScope());
  ASSERT_TRUE(allocator.Declare(Tile("later", 128, 128)));
  EXPECT_EQ(allocator.AllocateTensor("later").value().front(), At(0, 192));
}

TEST(AutoAllocatorTest, BiasesAreKeptByTheirValue) {
  AutoAllocator allocator(Trn2());
  const Tensor zero = allocator.ActivationBiasTensor(0.0).value();
  EXPECT_EQ(allocator.ActivationBiasTensor(0.0).value(), zero);
  EXPECT_NE(allocator.ActivationBiasTensor(1.5).value().at, zero.at);
  EXPECT_EQ(BlockBytes(zero), Bytes(4));
}

TEST(AutoAllocatorTest, AFullMemoryNamesTheTensorTheNumbersAndTheLargestHolders) {
  AutoAllocator allocator(Trn2(), {.sbuf_bytes = Bytes(256)});
  ASSERT_TRUE(allocator.Declare(Tile("big", 128, 200)));
  ASSERT_TRUE(allocator.Declare(Tile("small", 128, 32)));
  ASSERT_TRUE(allocator.AllocatePendingTensors());
  ASSERT_TRUE(allocator.Declare(Tile("more", 128, 100)));
  const auto placed = allocator.AllocateTensor("more");
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code, "auto-capacity");
  EXPECT_EQ(placed.error().kind, Kind::kCapacity);
  for (const char* part : {"\"more\"", "128 partitions x 100 bytes", "256 bytes of sbuf",
                           "the largest: big [0, 200), small [200, 232)"}) {
    EXPECT_THAT(placed.error().message, HasSubstr(part));
  }
}

TEST(AutoAllocatorTest, ATensorThatDidNotFitLeavesNothingBehind) {
  AutoAllocator allocator(Trn2(), {.sbuf_bytes = Bytes(256)});
  ASSERT_TRUE(allocator.Declare(Tile("ring", 128, 100, Space::kSbuf, {3})));
  EXPECT_FALSE(allocator.AllocateTensor("ring"));
  ASSERT_TRUE(allocator.Declare(Tile("fits", 128, 256)));
  EXPECT_TRUE(allocator.AllocateTensor("fits"));
}

// Its bytes may be another tensor's by now.
TEST(AutoAllocatorTest, ATensorWhoseScopeClosedHasNoPlaceToGive) {
  AutoAllocator allocator(Trn2());
  ASSERT_TRUE(allocator.EnterScope("loop"));
  ASSERT_TRUE(allocator.Declare(Tile("inner", 128, 64)));
  ASSERT_TRUE(allocator.ExitScope());
  const auto placed = allocator.AllocateTensor("inner");
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code, "auto-closed-scope");
  EXPECT_EQ(placed.error().kind, Kind::kLifecycle);
  EXPECT_THAT(placed.error().message, HasSubstr("scope \"loop\" closed"));
  EXPECT_EQ(allocator.AllocatePendingInstTile({"inner"}).error().code, "auto-closed-scope");
}

TEST(AutoAllocatorTest, AnInstructionThatNamesAnUnknownTensorPlacesNoneOfItsOthers) {
  AutoAllocator allocator(Trn2());
  ASSERT_TRUE(allocator.Declare(Tile("known", 128, 64)));
  EXPECT_EQ(allocator.AllocatePendingInstTile({"known", "nobody"}).error().code,
            "auto-unknown-tensor");
  EXPECT_TRUE(allocator.assigned().empty());
}

TEST(AutoAllocatorTest, AnAutomaticPlaceIsNotClaimedToBeAFunctions) {
  AutoAllocator allocator(Trn2());
  Tensor tensor = Tile("t", 128, 64);
  tensor.at = {At(0, 32)};
  tensor.by_function = true;
  ASSERT_TRUE(allocator.Declare(tensor));
  ASSERT_TRUE(allocator.AllocatePendingTensors());
  EXPECT_FALSE(allocator.assigned().front().tensor.by_function);
}

TEST(AutoAllocatorTest, AnIdentityWithoutRoomNamesTheBytesThatClosedScopesHeld) {
  AutoAllocator allocator(Trn2(), {.sbuf_bytes = Bytes(256)});
  ASSERT_TRUE(allocator.Declare(Tile("open", 128, 16)));
  ASSERT_TRUE(allocator.EnterScope("loop"));
  ASSERT_TRUE(allocator.Declare(Tile("closed", 128, 200)));
  ASSERT_TRUE(allocator.ExitScope());
  const auto identity = allocator.IdentityTensor(DType::kUint8, PartitionCount(64));
  ASSERT_FALSE(identity);
  EXPECT_THAT(identity.error().message,
              HasSubstr("found 2 blocks there, the largest: closed [16, 216), open [0, 16); it is "
                        "kept throughout"));
}

TEST(AutoAllocatorTest, MisuseIsRefusedByCode) {
  AutoAllocator allocator(Trn2());
  EXPECT_EQ(allocator.ExitScope().error().code, "auto-scope");
  EXPECT_EQ(allocator.AllocateTensor("nobody").error().code, "auto-unknown-tensor");
  ASSERT_TRUE(allocator.Declare(Tile("t", 128, 4)));
  EXPECT_EQ(allocator.Declare(Tile("t", 128, 4)).error().code, "auto-duplicate-tensor");
  EXPECT_EQ(allocator.Declare(Tile("d", 128, 4, Space::kDram)).error().code, "auto-dram-tensor");
}

}  // namespace
}  // namespace spillway::nki
