#include "sim/exec/compare_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace spillway {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Kernel TwoOutputs() {
  Kernel kernel;
  kernel.tensors.push_back({"in", Space::kDram, DType::kFloat32, {4}, {}, Role::kInput, {}});
  kernel.tensors.push_back({"f", Space::kDram, DType::kFloat32, {2, 3}, {}, Role::kOutput, {}});
  kernel.tensors.push_back({"n", Space::kDram, DType::kInt16, {4}, {}, Role::kOutput, {}});
  return kernel;
}

NamedData Data() {
  NamedData data;
  const float values[6] = {1, 2, 3, 4, 5, 6};
  data["f"].bytes.resize(sizeof values);
  std::memcpy(data["f"].bytes.data(), values, sizeof values);
  data["n"].bytes.resize(8);
  return data;
}

TEST(CompareData, EqualBytesCompareEqual) {
  const DataComparison comparison = CompareData(TwoOutputs(), Data(), Data());
  EXPECT_EQ(comparison.compared_bytes, 32);
  EXPECT_EQ(comparison.mismatched_bytes, 0);
  EXPECT_THAT(comparison.violations, IsEmpty());
}

TEST(CompareData, TheFirstDifferenceIsNamedWithItsIndexAndBothValues) {
  NamedData simulated = Data();
  const float wrong = 5.5f;
  std::memcpy(simulated["f"].bytes.data() + 16, &wrong, sizeof wrong);
  simulated["n"].bytes[7] = std::byte{1};
  const DataComparison comparison = CompareData(TwoOutputs(), simulated, Data());
  ASSERT_EQ(comparison.violations.size(), 2U);
  EXPECT_EQ(comparison.mismatched_bytes, 2) << "5.5 differs from 5 in one byte";
  EXPECT_EQ(comparison.violations[0].kind, Kind::kDataMismatch);
  EXPECT_THAT(comparison.violations[0].text,
              HasSubstr("f: 1 of 24 bytes differ, the first at byte 18 (index [1, 1]): simulated "
                        "5.5 (0x40b00000), "
                        "reference 5 (0x40a00000)"));
  EXPECT_THAT(comparison.violations[1].text,
              HasSubstr("(index [3]): simulated 256 (0x0100), reference 0 (0x0000)"));
}

TEST(CompareData, PoisonEqualsNothingButItself) {
  NamedData simulated = Data();
  // A not-a-number as unwritten memory holds it, and as the reference's own value.
  std::memset(simulated["f"].bytes.data(), 0xff, 4);
  const DataComparison differs = CompareData(TwoOutputs(), simulated, Data());
  EXPECT_EQ(differs.mismatched_bytes, 4);
  ASSERT_EQ(differs.violations.size(), 1U);
  EXPECT_EQ(CompareData(TwoOutputs(), simulated, simulated).mismatched_bytes, 0);
}

TEST(CompareData, AnOutputThatIsMissingDiffersInAllItsBytes) {
  NamedData simulated = Data();
  simulated.erase("f");
  const DataComparison comparison = CompareData(TwoOutputs(), simulated, Data());
  EXPECT_EQ(comparison.mismatched_bytes, 24);
  EXPECT_THAT(comparison.violations[0].text, HasSubstr("0 bytes simulated, 24 in the reference"));
}

}  // namespace
}  // namespace spillway
