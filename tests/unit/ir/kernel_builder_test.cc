#include "model/alloc/ir/kernel_builder.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

struct Fixture : ::testing::Test {
  KernelBuilder b{"k", "trn2"};
  TensorId x = b.Dram("x", DType::kFloat32, {64, 512}, Role::kInput);
  TensorId t = b.Sbuf("t", DType::kFloat32, {64, 4, 8});
  TensorId blocked = b.Sbuf("blocked", DType::kFloat32, {64, 8}, {.blocks = {2}});
};
using KernelBuilderTest = Fixture;

TEST_F(KernelBuilderTest, AWholeTensorHasADimensionForEachOfItsShape) {
  const Operand dram = b.Whole(x);
  EXPECT_EQ(dram.partition_count, 0);
  EXPECT_EQ(dram.free_dims, (std::vector<FreeDim>{{512, 64}, {1, 512}}));
  const Operand sbuf = b.Whole(t);
  EXPECT_EQ(sbuf.partition_count, 64);
  EXPECT_EQ(sbuf.free_dims, (std::vector<FreeDim>{{8, 4}, {1, 8}}));
  const TensorId column = b.Sbuf("column", DType::kFloat32, {64});
  EXPECT_EQ(Operand(b.Whole(column)).free_dims, (std::vector<FreeDim>{{1, 1}}));
}

TEST_F(KernelBuilderTest, ATileOfDramStridesByTheRow) {
  b.OpenLoop("i", 0, 2);
  const Operand tile = b.Whole(x).Tile(b.Index("i") * 32, 32, 128, 64);
  EXPECT_EQ(tile.free_offset, b.Index("i") * (32 * 512) + 128);
  EXPECT_EQ(tile.free_dims, (std::vector<FreeDim>{{512, 32}, {1, 64}}));
}

TEST_F(KernelBuilderTest, IndicesAddScaleAndTakeOneModulus) {
  b.OpenLoop("i", 0, 8);
  b.OpenLoop("j", 0, 8);
  const AffineExpr sum = b.Index("j") * 3 - b.Index("i") + 4 - 1;
  EXPECT_EQ(sum.constant, 3);
  EXPECT_EQ(sum.terms, (std::vector<AffineTerm>{{LoopId(0), -1}, {LoopId(1), 3}}));
  EXPECT_EQ((2 * (b.Index("i") % 3)).modulus, 6);
  EXPECT_EQ(b.Index("i") - b.Index("i"), AffineExpr(0));
  EXPECT_THROW(b.Index("i") % 2 + 1, ContractViolation);
  EXPECT_THROW((b.Index("i") % 2) % 2, ContractViolation);
  EXPECT_THROW(b.Index("i") % 0, ContractViolation);
}

TEST_F(KernelBuilderTest, PredicatesCompareWithABound) {
  b.OpenLoop("i", 0, 8);
  const auto holds = [](const Predicate& predicate, std::int64_t i) {
    return Holds({predicate}, std::vector<std::int64_t>{i});
  };
  EXPECT_TRUE(holds(AtLeast(b.Index("i"), 3), 3) && !holds(AtLeast(b.Index("i"), 3), 2));
  EXPECT_TRUE(holds(LessThan(b.Index("i"), 3), 2) && !holds(LessThan(b.Index("i"), 3), 3));
  EXPECT_TRUE(holds(Equals(b.Index("i"), 3), 3) && !holds(Equals(b.Index("i"), 3), 2));
  EXPECT_TRUE(holds(Differs(b.Index("i"), 3), 2) && !holds(Differs(b.Index("i"), 3), 3));
}

TEST_F(KernelBuilderTest, LoopsKnowTheirParents) {
  b.OpenLoop("i", 0, 2);
  b.OpenLoop("j", 0, 2, 1, LoopKind::kSequential);
  b.CloseLoop();
  b.OpenLoop("j", 0, 3);
  b.CloseLoop();
  b.CloseLoop();
  const Kernel kernel = b.Build();
  ASSERT_EQ(kernel.loops.size(), 3u);
  EXPECT_EQ(kernel.loops[LoopId(0)].parent, std::nullopt);
  EXPECT_EQ(kernel.loops[LoopId(1)].parent, LoopId(0));
  EXPECT_EQ(kernel.loops[LoopId(2)].parent, LoopId(0));
  EXPECT_EQ(kernel.body.size(), 6u);
}

TEST_F(KernelBuilderTest, CopyTakesDmaWhereDramIsInvolved) {
  b.Copy(b.Whole(t), b.Whole(x).Elements(0, 32));
  b.Copy(b.Whole(t), b.Whole(t));
  const Kernel kernel = b.Build();
  EXPECT_EQ(kernel.instructions[InstructionId(0)].op, "dma_copy");
  EXPECT_EQ(kernel.instructions[InstructionId(0)].engine, Engine::kDma);
  EXPECT_EQ(kernel.instructions[InstructionId(1)].op, "tensor_copy");
  EXPECT_EQ(kernel.instructions[InstructionId(1)].engine, std::nullopt);
}

TEST_F(KernelBuilderTest, AnInstructionCollectsWhatItIsGiven) {
  b.Instruction("select")
      .OutList("dsts", {b.Whole(t), b.Whole(t)})
      .In("src", b.Whole(t).Through("x"))
      .Attr("n", 2)
      .On(Engine::kPool)
      .When(AtLeast(1, 0))
      .SourceLoop("L0", 3)
      .Source("k.py:1")
      .Spill(SpillRole::kSave);
  const Kernel kernel = b.Build();
  const Instruction& op = kernel.instructions[InstructionId(0)];
  EXPECT_TRUE(op.outputs[0].is_list);
  EXPECT_EQ(op.outputs[0].operands.size(), 2u);
  EXPECT_EQ(op.inputs[0].operands[0].offsets, x);
  EXPECT_EQ(op.engine, Engine::kPool);
  EXPECT_EQ(op.when.size(), 1u);
  EXPECT_EQ(op.source_loops.at(0).second, 3);
  EXPECT_EQ(op.src, "k.py:1");
  EXPECT_EQ(op.spill, SpillRole::kSave);
  EXPECT_EQ(StringAttr(op.attrs, "spill"), "save");
}

TEST_F(KernelBuilderTest, MisuseIsAContractViolation) {
  EXPECT_THROW(b.Sbuf("t", DType::kFloat32, {4}), ContractViolation);
  EXPECT_THROW(b.Sbuf("", DType::kFloat32, {4}), ContractViolation);
  EXPECT_THROW(b.Sbuf("u", DType::kFloat32, {}), ContractViolation);
  EXPECT_THROW(b.Sbuf("u", DType::kFloat32, {4, 0}), ContractViolation);
  EXPECT_THROW(b.Sbuf("u", DType::kFloat32, {4}, {.blocks = {2}, .at = {{}}}), ContractViolation);
  EXPECT_THROW(b.CloseLoop(), ContractViolation);
  EXPECT_THROW(b.Index("i"), ContractViolation);
  EXPECT_THROW(b.OpenLoop("mod", 0, 1), ContractViolation);
  EXPECT_THROW(b.OpenLoop("i", 0, 1, 0), ContractViolation);
  EXPECT_THROW(b.Whole(TensorId(99)), ContractViolation);
  EXPECT_THROW(Operand(b.Whole(blocked)), ContractViolation);
  EXPECT_THROW(Operand(b.Whole(t).Block({0})), ContractViolation);
  EXPECT_THROW(b.Whole(x).Partitions(0, 1), ContractViolation);
  EXPECT_THROW(b.Whole(t).Tile(0, 1, 0, 1), ContractViolation);
  EXPECT_THROW(b.Whole(t).Elements(0, 0), ContractViolation);
  EXPECT_THROW(b.Instruction(""), ContractViolation);
  EXPECT_THROW(b.Instruction("op").In("a", b.Whole(t)).In("a", b.Whole(t)), ContractViolation);
  EXPECT_THROW(b.Instruction("op").Attr("a", 1).Attr("a", 2), ContractViolation);
  b.OpenLoop("i", 0, 1);
  EXPECT_THROW(b.OpenLoop("i", 0, 1), ContractViolation);
  EXPECT_THROW(b.Build(), ContractViolation);
  b.CloseLoop();
  EXPECT_THROW(b.Index("i"), ContractViolation);
}

}  // namespace
}  // namespace spillway
