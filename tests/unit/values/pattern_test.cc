#include "sim/values/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/values/test_memory.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;

/// Elements that a pattern visits, element by element, as its definition says.
std::vector<std::int64_t> Visits(std::int64_t offset, const std::vector<FreeDim>& dims) {
  std::vector<std::int64_t> places = {offset};
  for (const FreeDim& dim : dims) {
    std::vector<std::int64_t> finer;
    for (const std::int64_t place : places) {
      for (std::int64_t i = 0; i < dim.count; ++i) finer.push_back(place + i * dim.step);
    }
    places = finer;
  }
  return places;
}

struct Case {
  std::int64_t offset;
  std::vector<FreeDim> dims;
};

class Patterns : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Shapes, Patterns,
    ::testing::Values(Case{0, {{1, 60}}}, Case{4, {{1, 9}}}, Case{0, {{12, 5}, {1, 12}}},
                      Case{1, {{12, 5}, {1, 7}}}, Case{0, {{1, 5}, {0, 4}}},
                      Case{3, {{0, 4}, {1, 5}}}, Case{59, {{-1, 60}}}, Case{48, {{-12, 5}, {2, 6}}},
                      Case{0, {{1, 12}, {12, 5}}}, Case{7, {{1, 1}}}, Case{7, {{0, 6}}},
                      Case{2, {{20, 3}, {1, 1}, {5, 3}, {1, 4}}}, Case{5, {}}));

TEST_P(Patterns, GatherVisitsElementsInOrderAndScatterPutsThemBack) {
  for (const DType dtype : {DType::kUint8, DType::kInt16, DType::kInt32}) {
    KernelBuilder b("k", "trn2");
    const TensorId t = b.Sbuf("t", dtype, {4, 60});
    Operand operand = b.Whole(t).Partitions(1, 2).Pattern(GetParam().offset, GetParam().dims);
    const Kernel kernel = b.Build();
    TestMemory memory(kernel);
    std::vector<float> values(4 * 60);
    std::iota(values.begin(), values.end(), 0.0f);
    memory.SetFloats(t, values);

    const Pattern pattern = PatternOf(kernel, operand, {});
    const std::vector<std::byte> packed = Gather(pattern, memory);
    std::vector<float> got(packed.size() / static_cast<std::size_t>(ElementSize(dtype).value));
    DecodeElements(dtype, packed, got);
    std::vector<float> want;
    for (int row = 1; row <= 2; ++row) {
      for (const std::int64_t place : Visits(GetParam().offset, GetParam().dims)) {
        want.push_back(values[static_cast<std::size_t>(row * 60 + place)]);
      }
    }
    ASSERT_EQ(got, want);

    TestMemory other(kernel);
    other.SetFloats(t, std::vector<float>(4 * 60, 7.0f));
    Scatter(pattern, packed, other);
    std::vector<float> expected(4 * 60, 7.0f);
    for (int row = 1; row <= 2; ++row) {
      for (const std::int64_t place : Visits(GetParam().offset, GetParam().dims)) {
        const auto at = static_cast<std::size_t>(row * 60 + place);
        expected[at] = values[at];
      }
    }
    EXPECT_EQ(other.Floats(t), expected);
  }
}

TEST(Pattern, AContiguousRowIsOneRun) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kBfloat16, {128, 4, 32});
  const Operand operand = b.Whole(t);
  const Pattern pattern = PatternOf(b.Build(), operand, {});
  EXPECT_TRUE(pattern.contiguous_row());
  EXPECT_EQ(pattern.row_bytes(), 256);
}

TEST(Pattern, AnotherTypeReadsTheSameBytes) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kInt32, {1, 2});
  Operand operand = b.Whole(t).As(DType::kUint8).Pattern(1, {{2, 3}});
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  memory.SetBytes(t,
                  std::vector<std::byte>{std::byte{0}, std::byte{1}, std::byte{2}, std::byte{3},
                                         std::byte{4}, std::byte{5}, std::byte{6}, std::byte{7}});
  EXPECT_THAT(Gather(PatternOf(kernel, operand, {}), memory),
              ElementsAre(std::byte{1}, std::byte{3}, std::byte{5}));
}

TEST(Pattern, LoopsMoveBlockPartitionAndOffset) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kUint8, {4, 8}, {.blocks = {2, 3}});
  b.OpenLoop("i", 0, 2);
  Operand operand = b.Whole(t)
                        .Block({b.Index("i"), AffineExpr(2)})
                        .Partitions(b.Index("i") * 2, 2)
                        .Elements(b.Index("i") * 4, 4);
  b.Copy(operand, operand);
  b.CloseLoop();
  const Kernel kernel = b.Build();
  const std::vector<std::int64_t> loop_values = {1};
  const Pattern pattern = PatternOf(kernel, operand, loop_values);
  EXPECT_EQ(pattern.block, 5);
  EXPECT_EQ(pattern.first_row, 2);
  EXPECT_EQ(pattern.start, 4);
}

TEST(Pattern, WhatReachesOutsideItsTensorThrows) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kUint8, {4, 8});
  const Operand past_end = b.Whole(t).Elements(4, 5);
  const Operand before_start = b.Whole(t).Pattern(2, {{-1, 4}});
  const Operand past_partitions = b.Whole(t).Partitions(3, 2);
  const Kernel kernel = b.Build();
  EXPECT_THROW(PatternOf(kernel, past_end, {}), ContractViolation);
  EXPECT_THROW(PatternOf(kernel, before_start, {}), ContractViolation);
  EXPECT_THROW(PatternOf(kernel, past_partitions, {}), ContractViolation);
}

}  // namespace
}  // namespace spillway
