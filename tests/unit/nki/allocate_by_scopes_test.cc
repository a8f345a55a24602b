#include "model/alloc/nki/allocate_by_scopes.h"

#include <gtest/gtest.h>

#include "model/alloc/ir/kernel_builder.h"
#include "properties/allocation_problem.h"
#include "properties/judge.h"

namespace spillway::nki {
namespace {

const Target& Trn2() {
  static const Target target = FindTarget("trn2").value();
  return target;
}

// Two loops one after the other, each with a tile of its own, and a total across both.
struct TwoLoops {
  TensorId first;
  TensorId second;
  TensorId total;
  Kernel kernel;
};

TwoLoops MakeTwoLoops() {
  TwoLoops k;
  KernelBuilder b("two_loops", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {128, 64}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {128, 64}, Role::kOutput);
  k.total = b.Sbuf("total", DType::kFloat32, {128, 64});
  k.first = b.Sbuf("first", DType::kFloat32, {128, 64});
  k.second = b.Sbuf("second", DType::kFloat32, {128, 64});
  b.Copy(b.Whole(k.total), b.Whole(x));
  for (const auto& [loop, tile] : {std::pair{"i", k.first}, {"j", k.second}}) {
    b.OpenLoop(loop, 0, 4);
    b.Copy(b.Whole(tile), b.Whole(x));
    b.Instruction("tensor_tensor")
        .Out("dst", b.Whole(k.total))
        .In("data1", b.Whole(k.total))
        .In("data2", b.Whole(tile))
        .Attr("op", "add");
    b.CloseLoop();
  }
  b.Copy(b.Whole(y), b.Whole(k.total));
  k.kernel = b.Build();
  return k;
}

TEST(AllocateByScopesTest, TilesOfLoopsThatFollowEachOtherShareBytes) {
  const TwoLoops k = MakeTwoLoops();
  const auto allocation = AllocateByScopes(k.kernel, Trn2(), {});
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  const auto& addresses = allocation->placement.addresses;
  EXPECT_EQ(addresses[k.first], addresses[k.second]);
  EXPECT_NE(addresses[k.first], addresses[k.total]);
  EXPECT_EQ(allocation->sbuf_high_water, Bytes(512));
}

TEST(AllocateByScopesTest, ATransposeOnThePeArrayReservesItsIdentity) {
  KernelBuilder b("transpose", "trn2");
  const TensorId x = b.Dram("x", DType::kBfloat16, {64, 64}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kBfloat16, {64, 64}, Role::kOutput);
  const TensorId t = b.Sbuf("t", DType::kBfloat16, {64, 64});
  const TensorId p = b.Psum("p", DType::kBfloat16, {64, 64});
  const TensorId back = b.Sbuf("back", DType::kBfloat16, {64, 64});
  b.Copy(b.Whole(t), b.Whole(x));
  b.Instruction("nc_transpose").On(Engine::kPe).Out("dst", b.Whole(p)).In("data", b.Whole(t));
  b.Copy(b.Whole(back), b.Whole(p));
  b.Copy(b.Whole(y), b.Whole(back));
  const auto allocation = AllocateByScopes(b.Build(), Trn2(), {});
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  const AssignedTensor* identity = nullptr;
  for (const AssignedTensor& assigned : allocation->assigned)
    if (assigned.on_demand) identity = &assigned;
  ASSERT_NE(identity, nullptr);
  EXPECT_EQ(identity->tensor.name, "identity.bfloat16.64");
}

// Half of what the judges see must have been placed, in loops and with fixed tensors among them.
TEST(AllocateByScopesTest, RandomKernelsArePlacedWithoutAnObjectionOrRefusedForCapacity) {
  const auto allocator = MakeScopedAllocator();
  int placed = 0;
  int looped = 0;
  for (std::uint64_t index = 0; index < 500; ++index) {
    const AllocationProblem problem = DecodeProblem(ProblemBytes(20261130, index));
    AllocateOptions options;
    if (index % 2 == 0) options.sbuf_bytes = problem.sbuf_bytes;
    options.psum_banks = problem.psum_banks;
    const auto allocation =
        allocator->Allocate(problem.kernel, problem.target, ClosedFormFor(problem.target), options);
    if (!allocation) {
      EXPECT_EQ(allocation.error().kind, Kind::kCapacity) << allocation.error().ToString();
      continue;
    }
    ++placed;
    looped += problem.kernel.loops.empty() ? 0 : 1;
    JudgedCase judged(
        {&problem.kernel, &allocation->kernel, &allocation->placement, &problem.target,
         options.sbuf_bytes.value_or(problem.target.sbuf_usable_bytes.value), problem.psum_banks});
    for (const JudgeId judge : AllJudges()) {
      if (!IsStatic(judge)) continue;
      for (const Finding& finding : judged.Ask(judge))
        ADD_FAILURE() << "case " << index << ": " << JudgeName(judge) << ": " << finding.text;
    }
  }
  EXPECT_GE(placed, 200);
  EXPECT_GE(looped, 100);
}

}  // namespace
}  // namespace spillway::nki
