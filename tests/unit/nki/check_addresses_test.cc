#include "model/alloc/nki/check_addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway::nki {
namespace {

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

TEST(CheckAddresses, NamesEveryAccessedTensorWithoutAPlaceInOneViolationAMemory) {
  const CheckResult check = CheckAddresses(KernelOf(false, false, false));
  EXPECT_EQ(check.checked, 3);
  ASSERT_EQ(check.violations.size(), 2u);
  for (const Violation& violation : check.violations)
    EXPECT_EQ(violation.kind, Kind::kMixedAllocation);
  const Violation& sbuf = check.violations.front();
  EXPECT_EQ(sbuf.space, Space::kSbuf);
  EXPECT_THAT(sbuf.tensors, ElementsAre("a", "b"));
  EXPECT_EQ(sbuf.text, "2 of 2 accessed tensors in sbuf have no place: \"a\", \"b\"");
  const Violation& psum = check.violations.back();
  EXPECT_EQ(psum.space, Space::kPsum);
  EXPECT_THAT(psum.tensors, ElementsAre("p"));
  EXPECT_EQ(psum.text, "1 of 1 accessed tensors in psum have no place: \"p\"");
}

TEST(CheckAddresses, LeavesOutWhatHasAPlace) {
  const CheckResult check = CheckAddresses(KernelOf(false, true, true));
  ASSERT_EQ(check.violations.size(), 1u);
  EXPECT_THAT(check.violations.front().tensors, ElementsAre("a"));
  EXPECT_THAT(check.violations.front().text, HasSubstr("1 of 2 accessed tensors"));
}

TEST(CheckAddresses, AsksNoneOfATensorThatNothingTouches) {
  const CheckResult check = CheckAddresses(KernelOf(true, true, true));
  EXPECT_THAT(check.violations, IsEmpty());
  EXPECT_EQ(check.checked, 3);
}

TEST(IsAutomatic, IsSaidOfAMemoryWithoutAnyPlaceBesideOneWithSome) {
  EXPECT_TRUE(IsAutomatic(KernelOf(true, false, false), Space::kPsum));
  EXPECT_FALSE(IsAutomatic(KernelOf(true, false, false), Space::kSbuf));
  EXPECT_TRUE(IsAutomatic(KernelOf(false, false, true), Space::kSbuf));
  // Nothing has a place: that isn't mixing.
  EXPECT_FALSE(IsAutomatic(KernelOf(false, false, false), Space::kPsum));
  EXPECT_FALSE(IsAutomatic(KernelOf(true, true, true), Space::kPsum));
}

}  // namespace
}  // namespace spillway::nki
