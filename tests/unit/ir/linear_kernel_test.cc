#include "model/alloc/ir/linear_kernel.h"

#include <gtest/gtest.h>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway {
namespace {

// 0 load a        4   load b
// 1 for i         5   end j
// 2   use a       6 end i
// 3   for j       7 store a
Kernel Nested() {
  KernelBuilder b("k", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {4, 4}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {4, 4}, Role::kOutput);
  const TensorId a = b.Sbuf("a", DType::kFloat32, {4, 4});
  const TensorId c = b.Sbuf("c", DType::kFloat32, {4, 4});
  const TensorId d = b.Sbuf("d", DType::kFloat32, {4, 4});
  b.Copy(b.Whole(a), b.Whole(x));
  b.OpenLoop("i", 0, 4);
  b.Copy(b.Whole(c), b.Whole(a));
  b.OpenLoop("j", 0, 4);
  b.Copy(b.Whole(d), b.Whole(x));
  b.CloseLoop();
  b.CloseLoop();
  b.Copy(b.Whole(y), b.Whole(a));
  return b.Build();
}

TEST(LinearizeTest, LoopsBecomeHeaderAndTerminatorPoints) {
  const LinearKernel linear = Linearize(Nested());
  ASSERT_EQ(linear.point_count(), 8u);
  EXPECT_EQ(linear.loop_points[LoopId(0)].header, PointId(1));
  EXPECT_EQ(linear.loop_points[LoopId(0)].terminator, PointId(6));
  EXPECT_EQ(linear.loop_points[LoopId(1)].header, PointId(3));
  EXPECT_EQ(linear.loop_points[LoopId(1)].terminator, PointId(5));
}

TEST(LinearizeTest, ALoopsOwnPointsLieInTheLoopAroundIt) {
  const LinearKernel linear = Linearize(Nested());
  EXPECT_EQ(NestOf(linear, PointId(0)), (std::vector<LoopId>{}));
  EXPECT_EQ(NestOf(linear, PointId(1)), (std::vector<LoopId>{}));
  EXPECT_EQ(NestOf(linear, PointId(2)), (std::vector<LoopId>{LoopId(0)}));
  EXPECT_EQ(NestOf(linear, PointId(3)), (std::vector<LoopId>{LoopId(0)}));
  EXPECT_EQ(NestOf(linear, PointId(4)), (std::vector<LoopId>{LoopId(0), LoopId(1)}));
  EXPECT_EQ(NestOf(linear, PointId(5)), (std::vector<LoopId>{LoopId(0)}));
  EXPECT_EQ(NestOf(linear, PointId(7)), (std::vector<LoopId>{}));
}

TEST(LinearizeTest, AccessesOfATensorStandInProgramOrder) {
  const LinearKernel linear = Linearize(Nested());
  std::vector<std::pair<std::uint32_t, bool>> seen;
  for (const PointAccess& access : linear.accesses_of[TensorId(2)])
    seen.emplace_back(access.point.value, access.is_write);
  EXPECT_EQ(seen, (std::vector<std::pair<std::uint32_t, bool>>{{0, true}, {2, false}, {7, false}}));
}

TEST(LinearizeTest, ABodyThatDoesNotNestIsAContractViolation) {
  Kernel crossed = Nested();
  std::swap(crossed.body[5], crossed.body[6]);
  EXPECT_THROW(Linearize(crossed), ContractViolation);
  Kernel open = Nested();
  open.body.pop_back();
  open.body.pop_back();
  EXPECT_THROW(Linearize(open), ContractViolation);
}

TEST(CheckDefinitionsTest, NamesWhatIsReadUndefinedAndWhatIsNeverRead) {
  KernelBuilder b("k", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {4, 4}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {4, 4}, Role::kOutput);
  const TensorId early = b.Sbuf("early", DType::kFloat32, {4, 4});
  const TensorId dead = b.Sbuf("dead", DType::kFloat32, {4, 4});
  b.Sbuf("unused", DType::kFloat32, {4, 4});
  b.Copy(b.Whole(y), b.Whole(early));
  b.Copy(b.Whole(early), b.Whole(x));
  b.Copy(b.Whole(dead), b.Whole(x));
  const LinearKernel linear = Linearize(b.Build());
  const StaticNotes notes = CheckDefinitions(linear);
  EXPECT_EQ(DescribeUndefined(linear.kernel, notes), "undefined at use: 1 (early)");
  EXPECT_EQ(DescribeUnused(linear.kernel, notes), "unused at definition: 1 (dead)");
}

TEST(CheckDefinitionsTest, LongListsAreCut) {
  KernelBuilder b("k", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {4, 4}, Role::kInput);
  for (int i = 0; i < 10; ++i)
    b.Copy(b.Whole(b.Sbuf("d" + std::to_string(i), DType::kFloat32, {4, 4})), b.Whole(x));
  const LinearKernel linear = Linearize(b.Build());
  EXPECT_EQ(DescribeUnused(linear.kernel, CheckDefinitions(linear)),
            "unused at definition: 10 (d0, d1, d2, d3, d4, d5, d6, d7, and 2 more)");
  EXPECT_EQ(DescribeUndefined(linear.kernel, CheckDefinitions(linear)), "");
}

}  // namespace
}  // namespace spillway
