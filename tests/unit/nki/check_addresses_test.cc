#include "model/alloc/nki/check_addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway::nki {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Address> At(bool is_placed, std::int64_t byte) {
  if (!is_placed) return {};
  return {{Partition(0), ByteOffset(byte)}};
}

// x -> a (SBUF) -> p (PSUM) -> b (SBUF) -> y; "idle" (SBUF) is never touched and never placed.
LinearKernel KernelOf(bool a_placed, bool b_placed, bool p_placed) {
  KernelBuilder b("places", "trn2");
  const TensorId x = b.Dram("x", DType::kBfloat16, {32, 32}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {32, 32}, Role::kOutput);
  b.Sbuf("idle", DType::kFloat32, {32, 16});
  const TensorId a = b.Sbuf("a", DType::kBfloat16, {32, 32}, {.at = At(a_placed, 0)});
  const TensorId out = b.Sbuf("b", DType::kFloat32, {32, 32}, {.at = At(b_placed, 64)});
  const TensorId p = b.Psum("p", DType::kFloat32, {32, 32}, {.at = At(p_placed, 0)});
  b.Copy(b.Whole(a), b.Whole(x));
  b.Instruction("nc_matmul")
      .Out("dst", b.Whole(p))
      .In("stationary", b.Whole(a))
      .In("moving", b.Whole(a))
      .Attr("accumulate", false);
  b.Copy(b.Whole(out), b.Whole(p));
  b.Copy(b.Whole(y), b.Whole(out));
  return Linearize(b.Build());
}

CompilePlan PlanOf(PlannedAllocator allocator) {
  CompilePlan plan;
  plan.allocator = allocator;
  return plan;
}

std::vector<std::string> Offenders(const CheckResult& check) {
  std::vector<std::string> names;
  for (const Violation& violation : check.violations) {
    EXPECT_EQ(violation.kind, Kind::kMixedAllocation);
    EXPECT_EQ(violation.tensors.size(), 1u);
    names.push_back(violation.tensors.front());
  }
  return names;
}

TEST(CheckAddresses, NamesEveryAccessedTensorWithoutOneWhereNoAllocatorRuns) {
  const CheckResult check =
      CheckAddresses(KernelOf(false, true, false), PlanOf(PlannedAllocator::kAuthor));
  EXPECT_THAT(Offenders(check), ElementsAre("a", "p"));
  EXPECT_EQ(check.checked, 3);
  EXPECT_EQ(check.violations.front().space, Space::kSbuf);
  EXPECT_THAT(check.violations.front().text,
              AllOf(HasSubstr("tensor a in sbuf has no address"), HasSubstr("from the author"),
                    HasSubstr("1 of 2 accessed tensors")));
  EXPECT_EQ(check.violations.back().space, Space::kPsum);
  EXPECT_THAT(check.violations.back().text, HasSubstr("1 of 1 accessed tensors"));
}

TEST(CheckAddresses, AsksNoneOfATensorThatNothingTouches) {
  const CheckResult check =
      CheckAddresses(KernelOf(true, true, true), PlanOf(PlannedAllocator::kAuthor));
  EXPECT_THAT(Offenders(check), IsEmpty());
  EXPECT_EQ(check.checked, 3);
}

TEST(CheckAddresses, LeavesAKernelAloneThatAnAllocatorWillPlace) {
  for (const PlannedAllocator allocator :
       {PlannedAllocator::kColoring, PlannedAllocator::kStack, PlannedAllocator::kLinearScan}) {
    const CheckResult check = CheckAddresses(KernelOf(false, true, false), PlanOf(allocator));
    EXPECT_THAT(Offenders(check), IsEmpty());
    EXPECT_EQ(check.checked, 0);
  }
}

}  // namespace
}  // namespace spillway::nki
