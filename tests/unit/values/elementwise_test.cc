// Element by element operations against their formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sim/values/numeric_ops.h"
#include "tests/unit/values/test_memory.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr std::size_t kRows = 3;
constexpr std::size_t kColumns = 40;

/// x and y [3, 40], one value a row in v, results in r [3, 40] and s [3, 1].
class Elementwise : public ::testing::Test {
 protected:
  Elementwise() : b_("k", "trn2") {
    x_ = b_.Sbuf("x", DType::kBfloat16, {kRows, kColumns});
    y_ = b_.Psum("y", DType::kFloat32, {kRows, kColumns});
    v_ = b_.Sbuf("v", DType::kFloat32, {kRows, 1});
    w_ = b_.Sbuf("w", DType::kBfloat16, {kRows, 1});
    r_ = b_.Sbuf("r", DType::kFloat32, {kRows, kColumns});
    s_ = b_.Sbuf("s", DType::kFloat32, {kRows, 1});
  }

  InstructionBuilder Op(std::string op) {
    return b_.Instruction(std::move(op)).Out("dst", b_.Whole(r_));
  }
  InstructionBuilder OnX(std::string op) { return Op(std::move(op)).In("data", b_.Whole(x_)); }

  void Run() {
    kernel_ = b_.Build();
    ASSERT_EQ(WhyOpaque(kernel_, Only(kernel_)), std::nullopt);
    TestMemory memory(kernel_);
    x = memory.Randomize(x_, 1);
    y = memory.Randomize(y_, 2);
    v = memory.Randomize(v_, 3);
    w = memory.Randomize(w_, 4);
    RunAll(kernel_, memory);
    r = memory.Floats(r_);
    s = memory.Floats(s_);
  }

  /// want(i, row) for every element.
  template <class Want>
  void ExpectAll(Want want, float tolerance = 0.0f) {
    for (std::size_t i = 0; i < r.size(); ++i) {
      ASSERT_NEAR(r[i], want(i, i / kColumns), tolerance) << i;
    }
  }

  KernelBuilder b_;
  TensorId x_, y_, v_, w_, r_, s_;
  Kernel kernel_;
  std::vector<float> x, y, v, w, r, s;
};

TEST_F(Elementwise, TensorTensorCombinesElementByElement) {
  Op("tensor_tensor").In("data1", b_.Whole(x_)).In("data2", b_.Whole(y_)).Attr("op", "subtract");
  Run();
  ExpectAll([&](std::size_t i, std::size_t) { return x[i] - y[i]; });
}

TEST_F(Elementwise, TensorTensorMatchesPatternsOfOtherShapesInElementOrder) {
  // The second operand repeats each of four columns ten times.
  Op("tensor_tensor")
      .In("data1", b_.Whole(x_))
      .In("data2", b_.Whole(y_).Pattern(2, {{1, 4}, {0, 10}}))
      .Attr("op", "multiply");
  Run();
  ExpectAll([&](std::size_t i, std::size_t row) {
    return x[i] * y[row * kColumns + 2 + (i % kColumns) / 10];
  });
}

TEST_F(Elementwise, TensorScalarTakesANumberAndAValueARow) {
  OnX("tensor_scalar")
      .In("operand1", b_.Whole(v_))
      .Attr("op0", "multiply")
      .Attr("operand0", 0.5)
      .Attr("op1", "add");
  Run();
  ExpectAll([&](std::size_t i, std::size_t row) { return x[i] * 0.5f + v[row]; });
}

TEST_F(Elementwise, TensorScalarReversesEachStageOnItsOwn) {
  OnX("tensor_scalar")
      .In("operand1", b_.Whole(v_))
      .Attr("op0", "subtract")
      .Attr("operand0", 3)
      .Attr("reverse0", true)
      .Attr("op1", "subtract");
  Run();
  ExpectAll([&](std::size_t i, std::size_t row) { return (3.0f - x[i]) - v[row]; });
}

TEST_F(Elementwise, TensorScalarIgnoresTheOperandOfAUnaryOperator) {
  OnX("tensor_scalar").Attr("op0", "abs").Attr("operand0", 0.0);
  Run();
  ExpectAll([&](std::size_t i, std::size_t) { return std::fabs(x[i]); });
}

TEST_F(Elementwise, ScalarTensorTensorAppliesAScalarThenATensor) {
  OnX("scalar_tensor_tensor")
      .In("operand0", b_.Whole(w_))
      .In("operand1", b_.Whole(y_))
      .Attr("op0", "subtract")
      .Attr("op1", "multiply");
  Run();
  ExpectAll([&](std::size_t i, std::size_t row) { return (x[i] - w[row]) * y[i]; });
}

TEST_F(Elementwise, ScalarTensorTensorReversesTheSecondStage) {
  OnX("scalar_tensor_tensor")
      .In("operand1", b_.Whole(y_))
      .Attr("op0", "multiply")
      .Attr("operand0", 2.0)
      .Attr("op1", "subtract")
      .Attr("reverse1", true);
  Run();
  ExpectAll([&](std::size_t i, std::size_t) { return y[i] - x[i] * 2.0f; });
}

TEST_F(Elementwise, TensorScalarReduceFoldsWhatItWritesBeforeRounding) {
  OnX("tensor_scalar_reduce")
      .Out("reduce_res", b_.Whole(s_))
      .Attr("op0", "abs")
      .Attr("operand0", 0.0)
      .Attr("reduce_op", "maximum");
  Run();
  for (std::size_t row = 0; row < kRows; ++row) {
    float largest = 0.0f;
    for (std::size_t c = 0; c < kColumns; ++c) {
      largest = std::max(largest, std::fabs(x[row * kColumns + c]));
    }
    EXPECT_EQ(s[row], largest);
  }
}

TEST_F(Elementwise, ActivationScalesAddsABiasAndAppliesItsFunction) {
  OnX("activation").In("bias", b_.Whole(w_)).Attr("op", "exp").Attr("scale", 0.25);
  Run();
  ExpectAll([&](std::size_t i, std::size_t row) { return std::exp(x[i] * 0.25f + w[row]); }, 3e-6f);
}

TEST_F(Elementwise, ActivationTakesAScaleARowAndABiasNumber) {
  OnX("activation").In("scale", b_.Whole(v_)).Attr("op", "copy").Attr("bias", 1.5);
  Run();
  ExpectAll([&](std::size_t i, std::size_t row) { return x[i] * v[row] + 1.5f; });
}

TEST_F(Elementwise, ActivationReduceSumsEachRow) {
  OnX("activation_reduce")
      .Out("reduce_res", b_.Whole(s_))
      .Attr("op", "square")
      .Attr("reduce_op", "add");
  Run();
  ExpectAll([&](std::size_t i, std::size_t) { return x[i] * x[i]; });
  for (std::size_t row = 0; row < kRows; ++row) {
    double sum = 0.0;
    for (std::size_t c = 0; c < kColumns; ++c) sum += double{r[row * kColumns + c]};
    EXPECT_NEAR(s[row], sum, 1e-4);
  }
}

TEST_F(Elementwise, OutputsComeInTheInstructionsOrder) {
  b_.Instruction("activation_reduce")
      .Out("reduce_res", b_.Whole(s_))
      .Out("dst", b_.Whole(r_))
      .In("data", b_.Whole(x_))
      .Attr("op", "copy")
      .Attr("reduce_op", "maximum");
  Run();
  ExpectAll([&](std::size_t i, std::size_t) { return x[i]; });
  EXPECT_EQ(s[1], *std::max_element(x.begin() + kColumns, x.begin() + 2 * kColumns));
}

TEST_F(Elementwise, Reciprocal) {
  OnX("reciprocal");
  Run();
  for (std::size_t i = 0; i < r.size(); ++i) ASSERT_EQ(r[i], 1.0f / x[i]);
}

TEST(ElementwiseInPlace, ResultsMayReplaceTheirOperandsAndRoundToTheDestination) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kUint8, {1, 4});
  b.Instruction("tensor_scalar")
      .Out("dst", b.Whole(t))
      .In("data", b.Whole(t))
      .Attr("op0", "multiply")
      .Attr("operand0", 2.5);
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  memory.SetFloats(t, {1, 3, 100, 200});
  RunAll(kernel, memory);
  EXPECT_THAT(memory.Floats(t),
              ElementsAre(2, 8, 250, 255));  // 2.5 and 7.5 to even, then saturation
}

TEST(BitOperators, ActOnPatternsOfIntegers) {
  KernelBuilder b("k", "trn2");
  const TensorId x = b.Sbuf("x", DType::kInt32, {1, 3});
  const TensorId y = b.Sbuf("y", DType::kInt32, {1, 3});
  const TensorId shifted = b.Sbuf("shifted", DType::kInt32, {1, 3});
  b.Instruction("tensor_tensor")
      .Out("dst", b.Whole(y))
      .In("data1", b.Whole(x))
      .In("data2", b.Whole(y))
      .Attr("op", "bitwise_xor");
  b.Instruction("tensor_scalar")
      .Out("dst", b.Whole(shifted))
      .In("data", b.Whole(x))
      .Attr("op0", "right_shift")
      .Attr("operand0", 28)
      .Attr("op1", "bitwise_or")
      .Attr("operand1", 1);
  const Kernel kernel = b.Build();
  EXPECT_FALSE(IsOpaque(kernel, kernel.instructions[InstructionId(0)]));
  EXPECT_FALSE(IsOpaque(kernel, kernel.instructions[InstructionId(1)]));
  TestMemory memory(kernel);
  const auto set = [&](TensorId t, std::vector<std::int64_t> values) {
    std::vector<std::byte> bytes(12);
    EncodeIntegers(DType::kInt32, values, bytes);
    memory.SetBytes(t, bytes);
  };
  const auto get = [&](TensorId t) {
    std::vector<std::int64_t> values(3);
    DecodeIntegers(DType::kInt32, memory.Bytes(t), values);
    return values;
  };
  set(x, {0x7fffffff, -1, 5});
  set(y, {1, 1, 16777217});
  RunAll(kernel, memory);
  EXPECT_THAT(get(y), ElementsAre(0x7ffffffe, -2, 16777220));
  EXPECT_THAT(get(shifted), ElementsAre(7, 15, 1));
}

TEST(BitOperators, HaveNoNumericsOnFloats) {
  KernelBuilder b("k", "trn2");
  const TensorId x = b.Sbuf("x", DType::kFloat32, {1, 3});
  b.Instruction("tensor_tensor")
      .Out("dst", b.Whole(x))
      .In("data1", b.Whole(x))
      .In("data2", b.Whole(x))
      .Attr("op", "bitwise_and");
  const Kernel kernel = b.Build();
  EXPECT_THAT(WhyOpaque(kernel, Only(kernel)), Optional(HasSubstr("integers")));
}

}  // namespace
}  // namespace spillway
