// Reductions, scans and operations on indices against their formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "sim/values/numeric_ops.h"
#include "tests/unit/values/test_memory.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

/// data [2, 3, 4] reduced into `results` elements a row.
std::vector<float> ReducedBy(AttrValue axis, std::int64_t results, bool negate,
                             std::optional<std::string>* why = nullptr) {
  KernelBuilder b("k", "trn2");
  const TensorId data = b.Sbuf("data", DType::kFloat32, {2, 3, 4});
  const TensorId dst = b.Sbuf("dst", DType::kFloat32, {2, results});
  b.Instruction("tensor_reduce")
      .Out("dst", b.Whole(dst))
      .In("data", b.Whole(data))
      .Attr("op", "add")
      .Attr("axis", std::move(axis))
      .Attr("negate", negate);
  const Kernel kernel = b.Build();
  if (why != nullptr) {
    *why = WhyOpaque(kernel, Only(kernel));
    return {};
  }
  EXPECT_EQ(WhyOpaque(kernel, Only(kernel)), std::nullopt);
  TestMemory memory(kernel);
  std::vector<float> values(24);
  for (std::size_t i = 0; i < 24; ++i) values[i] = static_cast<float>(i);
  memory.SetFloats(data, values);
  RunAll(kernel, memory);
  return memory.Floats(dst);
}

TEST(TensorReduce, FoldsTheDimensionsFromItsAxisOn) {
  EXPECT_THAT(ReducedBy(1, 1, false), ElementsAre(66, 210));
  EXPECT_THAT(ReducedBy(2, 3, false), ElementsAre(6, 22, 38, 54, 70, 86));
  EXPECT_THAT(ReducedBy(AttrValue::List{2}, 3, true), ElementsAre(-6, -22, -38, -54, -70, -86));
  EXPECT_THAT(ReducedBy(AttrValue::List{1, 2}, 1, false), ElementsAre(66, 210));
}

TEST(TensorReduce, AxesThatDoNotReachTheLastDimensionAreOpaque) {
  std::optional<std::string> why;
  for (const AttrValue& axis : {AttrValue(0), AttrValue(3), AttrValue(AttrValue::List{1}),
                                AttrValue(AttrValue::List{}), AttrValue("last")}) {
    ReducedBy(axis, 1, false, &why);
    EXPECT_THAT(why, Optional(HasSubstr("axis")));
  }
  ReducedBy(2, 1, false, &why);
  EXPECT_THAT(why, Optional(HasSubstr("6 results for 2")));
}

TEST(TensorPartitionReduce, FoldsThePartitions) {
  KernelBuilder b("k", "trn2");
  const TensorId data = b.Sbuf("data", DType::kFloat32, {3, 4});
  const TensorId dst = b.Sbuf("dst", DType::kFloat32, {1, 4});
  b.Instruction("tensor_partition_reduce")
      .Out("dst", b.Whole(dst))
      .In("data", b.Whole(data))
      .Attr("op", "add");
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  memory.SetFloats(data, {1, 2, 3, 4, 10, 20, 30, 40, 100, 200, 300, 400});
  RunAll(kernel, memory);
  EXPECT_THAT(memory.Floats(dst), ElementsAre(111, 222, 333, 444));
}

std::vector<float> Scanned(std::string_view op0, std::string_view op1, bool reverse0,
                           bool reverse1) {
  KernelBuilder b("k", "trn2");
  const TensorId data0 = b.Sbuf("data0", DType::kFloat32, {2, 3});
  const TensorId data1 = b.Sbuf("data1", DType::kFloat32, {2, 3});
  const TensorId initial = b.Sbuf("initial", DType::kFloat32, {2, 1});
  const TensorId dst = b.Sbuf("dst", DType::kFloat32, {2, 3});
  b.Instruction("tensor_tensor_scan")
      .Out("dst", b.Whole(dst))
      .In("data0", b.Whole(data0))
      .In("data1", b.Whole(data1))
      .In("initial", b.Whole(initial))
      .Attr("op0", std::string(op0))
      .Attr("op1", std::string(op1))
      .Attr("reverse0", reverse0)
      .Attr("reverse1", reverse1);
  const Kernel kernel = b.Build();
  EXPECT_FALSE(IsOpaque(kernel, Only(kernel)));
  TestMemory memory(kernel);
  memory.SetFloats(data0, {1, 2, 3, 2, 2, 2});
  memory.SetFloats(data1, {10, 20, 30, 1, 1, 1});
  memory.SetFloats(initial, {100, 0});
  RunAll(kernel, memory);
  return memory.Floats(dst);
}

TEST(Scan, EachResultFollowsFromTheOneBefore) {
  EXPECT_THAT(Scanned("multiply", "add", false, false), ElementsAre(110, 240, 750, 1, 3, 7));
  // data0 stands on the left: 1 - 100 - 10, 2 + 109 - 20, 3 - 91 - 30.
  EXPECT_THAT(Scanned("subtract", "subtract", false, false), ElementsAre(-109, 91, -118, 1, 0, 1));
  EXPECT_THAT(Scanned("subtract", "subtract", true, false), ElementsAre(89, 67, 34, -3, -6, -9));
  EXPECT_THAT(Scanned("subtract", "subtract", false, true),
              ElementsAre(10 - (1 - 100), 20 - (2 - 109), 30 - (3 - 127), -1, -2, -3));
}

TEST(Iota, CountsAlongItsPatternAndItsPartitions) {
  KernelBuilder b("k", "trn2");
  const TensorId dst = b.Sbuf("dst", DType::kUint32, {2, 6});
  b.Instruction("iota")
      .Out("dst", b.Whole(dst))
      .Attr("pattern",
            AttrValue::List{AttrValue::List{100, 2}, AttrValue::List{0, 1}, AttrValue::List{1, 3}})
      .Attr("offset", 16777217)
      .Attr("channel_multiplier", 1000);
  const Kernel kernel = b.Build();
  ASSERT_EQ(WhyOpaque(kernel, Only(kernel)), std::nullopt);
  TestMemory memory(kernel);
  RunAll(kernel, memory);
  std::vector<std::int64_t> values(12);
  DecodeIntegers(DType::kUint32, memory.Bytes(dst), values);
  for (std::int64_t& value : values) value -= 16777217;  // which no float32 holds
  EXPECT_THAT(values, ElementsAre(0, 1, 2, 100, 101, 102, 1000, 1001, 1002, 1100, 1101, 1102));
}

TEST(AffineSelect, KeepsWhereTheIndexComparesWithZero) {
  KernelBuilder b("k", "trn2");
  const TensorId data = b.Sbuf("data", DType::kFloat32, {4, 4});
  // Causal: row p keeps columns up to p.
  b.Instruction("affine_select")
      .Out("dst", b.Whole(data))
      .In("on_true_tile", b.Whole(data))
      .Attr("pattern", AttrValue::List{AttrValue::List{-1, 4}})
      .Attr("offset", 0)
      .Attr("channel_multiplier", 1)
      .Attr("cmp_op", "greater_equal")
      .Attr("on_false_value", -3.4028235e38);
  const Kernel kernel = b.Build();
  ASSERT_EQ(WhyOpaque(kernel, Only(kernel)), std::nullopt);
  TestMemory memory(kernel);
  memory.SetFloats(data, std::vector<float>(16, 1.0f));
  RunAll(kernel, memory);
  const float least = std::numeric_limits<float>::lowest();
  EXPECT_THAT(memory.Floats(data), ElementsAre(1, least, least, least, 1, 1, least, least,  //
                                               1, 1, 1, least, 1, 1, 1, 1));
}

TEST(AffineSelect, OffsetAndTwoDimensionsShiftTheIndex) {
  KernelBuilder b("k", "trn2");
  const TensorId data = b.Sbuf("data", DType::kFloat32, {2, 6});
  // -7 + 2 p + 5 i + j for i < 2, j < 3: p = 0: -7 -6 -5 -2 -1 0; p = 1: -5 -4 -3 0 1 2.
  b.Instruction("affine_select")
      .Out("dst", b.Whole(data))
      .In("on_true_tile", b.Whole(data))
      .Attr("pattern", AttrValue::List{AttrValue::List{5, 2}, AttrValue::List{1, 3}})
      .Attr("offset", -7)
      .Attr("channel_multiplier", 2)
      .Attr("cmp_op", "less")
      .Attr("on_false_value", 9);
  const Kernel kernel = b.Build();
  ASSERT_EQ(WhyOpaque(kernel, Only(kernel)), std::nullopt);
  TestMemory memory(kernel);
  memory.SetFloats(data, std::vector<float>(12, 1.0f));
  RunAll(kernel, memory);
  EXPECT_THAT(memory.Floats(data), ElementsAre(1, 1, 1, 1, 1, 9, 1, 1, 1, 9, 9, 9));
}

TEST(AffineSelect, APatternOfAnotherSizeIsOpaque) {
  KernelBuilder b("k", "trn2");
  const TensorId data = b.Sbuf("data", DType::kFloat32, {4, 4});
  b.Instruction("affine_select")
      .Out("dst", b.Whole(data))
      .In("on_true_tile", b.Whole(data))
      .Attr("pattern", AttrValue::List{AttrValue::List{-1, 5}})
      .Attr("cmp_op", "equal")
      .Attr("on_false_value", 0.0);
  const Kernel kernel = b.Build();
  EXPECT_THAT(WhyOpaque(kernel, Only(kernel)), Optional(HasSubstr("5 elements for 4")));
}

TEST(Memset, WritesIntegersExactlyAndFloatsRounded) {
  KernelBuilder b("k", "trn2");
  const TensorId integers = b.Sbuf("integers", DType::kInt32, {1, 2});
  const TensorId halves = b.Sbuf("halves", DType::kBfloat16, {1, 2});
  b.Instruction("memset").Out("dst", b.Whole(integers)).Attr("value", 16777217);
  b.Instruction("memset").Out("dst", b.Whole(halves)).Attr("value", 0.1);
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  RunAll(kernel, memory);
  std::vector<std::int64_t> values(2);
  DecodeIntegers(DType::kInt32, memory.Bytes(integers), values);
  EXPECT_THAT(values, ElementsAre(16777217, 16777217));
  EXPECT_THAT(memory.Floats(halves), ElementsAre(0.10009765625f, 0.10009765625f));
}

TEST(Maxima, TheEightLargestAndWhereTheyFirstStand) {
  KernelBuilder b("k", "trn2");
  const TensorId data = b.Sbuf("data", DType::kFloat32, {2, 10});
  const TensorId largest = b.Sbuf("largest", DType::kFloat32, {2, 8});
  const TensorId places = b.Sbuf("places", DType::kUint32, {2, 8});
  b.Instruction("max8").Out("dst", b.Whole(largest)).In("src", b.Whole(data));
  b.Instruction("nc_find_index8")
      .Out("dst", b.Whole(places))
      .In("data", b.Whole(data))
      .In("vals", b.Whole(largest));
  const Kernel kernel = b.Build();
  for (const Instruction& instruction : kernel.instructions) {
    ASSERT_EQ(WhyOpaque(kernel, instruction), std::nullopt);
  }
  TestMemory memory(kernel);
  memory.SetFloats(data, {3,  9,  1,  9,  0,  5,  -1, 2,  8,  7,  //
                          -1, -2, -3, -4, -5, -6, -7, -8, -9, -10});
  RunAll(kernel, memory);
  EXPECT_THAT(memory.Floats(largest), ElementsAre(9, 9, 8, 7, 5, 3, 2, 1,  //
                                                  -1, -2, -3, -4, -5, -6, -7, -8));
  EXPECT_THAT(memory.Floats(places), ElementsAre(1, 1, 8, 9, 5, 0, 7, 2,  //
                                                 0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Maxima, AValueThatIsNowhereGivesAllOnes) {
  KernelBuilder b("k", "trn2");
  const TensorId data = b.Sbuf("data", DType::kFloat32, {1, 8});
  const TensorId values = b.Sbuf("values", DType::kFloat32, {1, 1});
  const TensorId places = b.Sbuf("places", DType::kUint16, {1, 8});
  b.Instruction("nc_find_index8")
      .Out("dst", b.Whole(places))
      .In("data", b.Whole(data))
      .In("vals", b.Whole(values).Pattern(0, {{0, 8}}));
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  memory.SetFloats(data, {1, 2, 3, 4, 5, 6, 7, 8});
  memory.SetFloats(values, {42});
  RunAll(kernel, memory);
  EXPECT_EQ(memory.Floats(places), std::vector<float>(8, 65535.0f));
}

}  // namespace
}  // namespace spillway
