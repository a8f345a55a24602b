#include "model/alloc/ir/kernel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/ir/placement.h"

namespace spillway {
namespace {

std::int64_t Trips(std::int64_t begin, std::int64_t end, std::int64_t step) {
  return TripCount({"i", LoopKind::kAffine, begin, end, step, std::nullopt});
}

TEST(TripCountTest, RoundsUpAndStopsAtZero) {
  EXPECT_EQ(Trips(0, 8, 1), 8);
  EXPECT_EQ(Trips(0, 8, 3), 3);
  EXPECT_EQ(Trips(0, 9, 3), 3);
  EXPECT_EQ(Trips(8, 0, -3), 3);
  EXPECT_EQ(Trips(4, 4, 1), 0);
  EXPECT_EQ(Trips(4, 3, 1), 0);
  EXPECT_EQ(Trips(3, 4, -1), 0);
}

TEST(TensorTest, SizesCountPartitionsApartFromFreeElements) {
  KernelBuilder b("k", "trn2");
  const TensorId sbuf = b.Sbuf("s", DType::kBfloat16, {64, 3, 5}, {.blocks = {2, 7}});
  const TensorId dram = b.Dram("d", DType::kFloat32, {4, 3, 5});
  const TensorId column = b.Sbuf("c", DType::kFloat32, {128});
  const Kernel kernel = b.Build();
  EXPECT_EQ(BlockCount(kernel.tensors[sbuf]), 14);
  EXPECT_EQ(Partitions(kernel.tensors[sbuf]), PartitionCount(64));
  EXPECT_EQ(FreeElements(kernel.tensors[sbuf]), 15);
  EXPECT_EQ(BlockBytes(kernel.tensors[sbuf]), Bytes(30));
  EXPECT_EQ(Partitions(kernel.tensors[dram]), PartitionCount(0));
  EXPECT_EQ(BlockBytes(kernel.tensors[dram]), Bytes(240));
  EXPECT_EQ(BlockBytes(kernel.tensors[column]), Bytes(4));
  EXPECT_EQ(RectangleOf(kernel.tensors[sbuf], {Partition(32), ByteOffset(8)}),
            (Rectangle{{Partition(32), Partition(96)}, {ByteOffset(8), ByteOffset(38)}}));
}

TEST(EngineOfTest, WrittenThenDefaultThenByMemory) {
  KernelBuilder b("k", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {4, 4}, Role::kInput);
  const TensorId t = b.Sbuf("t", DType::kFloat32, {4, 4});
  b.Instruction("activation").Out("dst", b.Whole(t)).On(Engine::kPool);
  b.Instruction("activation").Out("dst", b.Whole(t));
  b.Instruction("mystery").Out("dst", b.Whole(t));
  b.Instruction("mystery").Out("dst", b.Whole(t)).In("src", b.Whole(x));
  const Kernel kernel = b.Build();
  std::vector<Engine> engines;
  for (const Instruction& instruction : kernel.instructions)
    engines.push_back(EngineOf(kernel, instruction));
  EXPECT_EQ(engines,
            (std::vector<Engine>{Engine::kPool, Engine::kAct, Engine::kDve, Engine::kDma}));
}

TEST(HoldsTest, EveryComparisonIsWithZeroAndAllMustHold) {
  const std::vector<std::int64_t> none;
  const auto holds = [&](std::int64_t value, Comparison comparison) {
    return Holds({{AffineExpr(value), comparison}}, none);
  };
  const std::vector<std::pair<Comparison, std::vector<bool>>> rows = {
      {Comparison::kGreaterEqual, {false, true, true}},
      {Comparison::kGreater, {false, false, true}},
      {Comparison::kLessEqual, {true, true, false}},
      {Comparison::kLess, {true, false, false}},
      {Comparison::kEqual, {false, true, false}},
      {Comparison::kNotEqual, {true, false, true}}};
  for (const auto& [comparison, expected] : rows) {
    for (int value = -1; value <= 1; ++value)
      EXPECT_EQ(holds(value, comparison), expected[static_cast<std::size_t>(value + 1)]);
  }
  EXPECT_TRUE(Holds({}, none));
  EXPECT_FALSE(
      Holds({{AffineExpr(1), Comparison::kGreater}, {AffineExpr(0), Comparison::kGreater}}, none));
}

TEST(AccessesOfTest, ReadsComeFirstAndAccumulationReadsItsDestination) {
  KernelBuilder b("k", "trn2");
  const TensorId w = b.Sbuf("w", DType::kBfloat16, {128, 64});
  const TensorId x = b.Sbuf("x", DType::kBfloat16, {128, 32});
  const TensorId sum = b.Psum("sum", DType::kFloat32, {64, 32});
  for (const bool accumulate : {false, true}) {
    b.Instruction("nc_matmul")
        .Out("dst", b.Whole(sum))
        .In("stationary", b.Whole(w))
        .In("moving", b.Whole(x))
        .Attr("accumulate", accumulate);
  }
  const Kernel kernel = b.Build();
  const auto describe = [&](int instruction) {
    std::string text;
    for (const Access& access : AccessesOf(kernel.instructions[InstructionId(instruction)])) {
      text += (access.is_write ? "w:" : "r:") + kernel.tensors[access.tensor].name + " ";
    }
    return text;
  };
  EXPECT_EQ(describe(0), "r:w r:x w:sum ");
  EXPECT_EQ(describe(1), "r:w r:x r:sum w:sum ");
}

TEST(AttrTest, FindsByNameAndTypeAndComparesNansByTheirBits) {
  const std::vector<Attr> attrs = {
      {"i", 3}, {"d", 2.5}, {"s", "add"}, {"b", true}, {"n", std::nan("")}};
  EXPECT_EQ(NumberAttr(attrs, "i"), 3.0);
  EXPECT_EQ(NumberAttr(attrs, "d"), 2.5);
  EXPECT_EQ(NumberAttr(attrs, "s"), std::nullopt);
  EXPECT_EQ(IntAttr(attrs, "d"), std::nullopt);
  EXPECT_EQ(StringAttr(attrs, "s"), "add");
  EXPECT_EQ(StringAttr(attrs, "i"), "");
  EXPECT_TRUE(BoolAttr(attrs, "b", false));
  EXPECT_TRUE(BoolAttr(attrs, "missing", true));
  EXPECT_EQ(AttrValue(std::nan("")), AttrValue(std::nan("")));
  EXPECT_FALSE(AttrValue(0.0) == AttrValue(-0.0));
  EXPECT_FALSE(AttrValue(1) == AttrValue(1.0));
}

TEST(PlacementTest, AddressesMoveBetweenKernelAndPlacement) {
  KernelBuilder b("k", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {4, 4}, Role::kInput);
  const TensorId t =
      b.Sbuf("t", DType::kFloat32, {4, 4}, {.at = {{Partition(32), ByteOffset(16)}}});
  const Kernel kernel = b.Build();
  Placement placement = FixedPlacement(kernel);
  EXPECT_EQ(placement.addresses[t], (std::vector<Address>{{Partition(32), ByteOffset(16)}}));
  placement.addresses[t] = {{Partition(64), ByteOffset(0)}};
  placement.addresses[x] = {{Partition(0), ByteOffset(4096)}};
  const Kernel placed = WithPlacement(kernel, placement);
  EXPECT_EQ(placed.tensors[t].at, placement.addresses[t]);
  EXPECT_TRUE(placed.tensors[x].at.empty());
}

}  // namespace
}  // namespace spillway
