#include "sim/values/operators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "sim/values/portable_math.h"

namespace spillway {
namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();

float Activate(std::string_view name, float x) {
  ActivateRow(ParseActivation(name).value(), std::span(&x, 1));
  return x;
}

struct FunctionCase {
  std::string name;
  std::function<double(double)> reference;
  double low;
  double high;
};

double Phi(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double Sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

class Functions : public ::testing::TestWithParam<FunctionCase> {};

INSTANTIATE_TEST_SUITE_P(
    All, Functions,
    ::testing::Values(
        FunctionCase{"exp", [](double x) { return std::exp(x); }, -87, 88},
        FunctionCase{"log", [](double x) { return std::log(x); }, 1e-30, 1e30},
        FunctionCase{"log", [](double x) { return std::log(x); }, 0.5, 2},
        FunctionCase{"sqrt", [](double x) { return std::sqrt(x); }, 0, 1e30},
        FunctionCase{"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 1e-20, 1e3},
        FunctionCase{"reciprocal", [](double x) { return 1 / x; }, 1e-3, 10},
        FunctionCase{"copy", [](double x) { return x; }, -5, 5},
        FunctionCase{"identity", [](double x) { return x; }, -5, 5},
        FunctionCase{"square", [](double x) { return x * x; }, -5, 5},
        FunctionCase{"abs", [](double x) { return std::fabs(x); }, -5, 5},
        FunctionCase{"sign", [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0); }, -5, 5},
        FunctionCase{"relu", [](double x) { return std::max(x, 0.0); }, -5, 5},
        FunctionCase{"sigmoid", Sigmoid, -40, 40},
        FunctionCase{"tanh", [](double x) { return std::tanh(x); }, -12, 12},
        FunctionCase{"tanh", [](double x) { return std::tanh(x); }, -0.05, 0.05},
        FunctionCase{"softplus", [](double x) { return std::log1p(std::exp(x)); }, -30, 50},
        FunctionCase{"silu", [](double x) { return x * Sigmoid(x); }, -20, 20},
        FunctionCase{"silu_dx", [](double x) { return Sigmoid(x) * (1 + x * (1 - Sigmoid(x))); },
                     -1, 9},
        FunctionCase{"gelu", [](double x) { return x * Phi(x); }, -8, 8},
        FunctionCase{
            "gelu_dx",
            [](double x) { return Phi(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }, -0.5,
            6},
        FunctionCase{"gelu_apprx_tanh",
                     [](double x) {
                       return 0.5 * x *
                              (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
                     },
                     -3, 6},
        FunctionCase{"mish", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }, -10,
                     20},
        FunctionCase{"erf", [](double x) { return std::erf(x); }, -6.5, 6.5},
        FunctionCase{"erf_dx", [](double x) { return 2 / std::sqrt(M_PI) * std::exp(-x * x); }, -5,
                     5},
        FunctionCase{"sin", [](double x) { return std::sin(x); }, -3.1415, 3.1415},
        FunctionCase{"cos", [](double x) { return std::cos(x); }, -1000, 1000},
        FunctionCase{"arctan", [](double x) { return std::atan(x); }, -20, 20}));

TEST_P(Functions, AgreeWithTheLibraryToFloatPrecision) {
  const FunctionCase& c = GetParam();
  for (int i = 0; i <= 5000; ++i) {
    const auto x = static_cast<float>(c.low + (c.high - c.low) * i / 5000.0);
    const double want = c.reference(x);
    EXPECT_NEAR(Activate(c.name, x), want, std::fabs(want) * 1.2e-7 + 1e-9) << c.name << " " << x;
  }
}

TEST(Activation, ExtremesOfTheExponential) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Activate("exp", -infinity), 0.0f);
  EXPECT_EQ(Activate("exp", -3.4e38f), 0.0f);
  EXPECT_EQ(Activate("exp", 89.0f), infinity);
  EXPECT_EQ(Activate("exp", infinity), infinity);
  EXPECT_EQ(Activate("exp", 0.0f), 1.0f);
  EXPECT_TRUE(std::isnan(Activate("exp", kNan)));
  EXPECT_EQ(Activate("exp", -100.0f), static_cast<float>(std::exp(-100.0)));  // a subnormal
}

TEST(Activation, ExtremesOfTheOthers) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Activate("log", 0.0f), -infinity);
  EXPECT_TRUE(std::isnan(Activate("log", -1.0f)));
  EXPECT_EQ(Activate("log", infinity), infinity);
  EXPECT_EQ(Activate("silu", -infinity), 0.0f);
  EXPECT_EQ(Activate("gelu", -infinity), 0.0f);
  EXPECT_EQ(Activate("rsqrt", 0.0f), infinity);
  EXPECT_TRUE(std::isnan(Activate("tanh", kNan)));
  EXPECT_TRUE(std::isnan(Activate("sin", infinity)));
}

TEST(Activation, AnUnknownNameIsNone) { EXPECT_FALSE(ParseActivation("frobnicate")); }

TEST(PortableMath, PowerFollowsThePowerOfC) {
  const std::vector<float> values = {
      -3.0f, -2.5f, -1.0f, -0.0f, 0.0f,
      0.3f,  1.0f,  2.0f,  10.0f, std::numeric_limits<float>::infinity(),
      kNan};
  for (const float x : values) {
    for (const float y : values) {
      const double want = std::pow(double{x}, double{y});
      const double got = portable::Pow(x, y);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got)) << x << " " << y;
      } else if (std::isinf(want)) {
        EXPECT_EQ(got, want) << x << " " << y;
      } else {
        EXPECT_NEAR(got, want, std::fabs(want) * 1e-13) << x << " " << y;
        EXPECT_EQ(std::signbit(got), std::signbit(want)) << x << " " << y;
      }
    }
  }
}

TEST(Operators, EachDoesWhatItsNameSays) {
  const auto apply = [](std::string_view name, float a, float b) {
    return ApplyOne(ParseBinaryOp(name).value(), a, b);
  };
  EXPECT_EQ(apply("add", 3, 4), 7);
  EXPECT_EQ(apply("subtract", 3, 4), -1);
  EXPECT_EQ(apply("multiply", 3, 4), 12);
  EXPECT_EQ(apply("divide", 3, 4), 0.75f);
  EXPECT_EQ(apply("maximum", 3, 4), 4);
  EXPECT_EQ(apply("max", 3, 4), 4);
  EXPECT_EQ(apply("minimum", 3, 4), 3);
  EXPECT_EQ(apply("power", 3, 4), 81);
  EXPECT_EQ(apply("mod", -7, 3), 2);
  EXPECT_EQ(apply("mod", 7, -3), -2);
  EXPECT_EQ(apply("fmod", -7, 3), -1);
  EXPECT_EQ(apply("abs", -3, 99), 3);
  EXPECT_EQ(apply("abs_max", -3, 2), 3);
  EXPECT_EQ(apply("abs_min", -3, 2), 2);
  EXPECT_EQ(apply("equal", 3, 3), 1);
  EXPECT_EQ(apply("equal", 3, 4), 0);
  EXPECT_EQ(apply("not_equal", 3, 4), 1);
  EXPECT_EQ(apply("greater", 4, 3), 1);
  EXPECT_EQ(apply("greater", 3, 3), 0);
  EXPECT_EQ(apply("greater_equal", 3, 3), 1);
  EXPECT_EQ(apply("less", 3, 4), 1);
  EXPECT_EQ(apply("less", 3, 3), 0);
  EXPECT_EQ(apply("less_equal", 3, 3), 1);
  EXPECT_EQ(apply("logical_and", 2, 0), 0);
  EXPECT_EQ(apply("logical_and", 2, -1), 1);
  EXPECT_EQ(apply("logical_or", 2, 0), 1);
  EXPECT_EQ(apply("logical_xor", 2, 1), 0);
  EXPECT_EQ(apply("logical_xor", 0, 1), 1);
  EXPECT_EQ(apply("logical_not", 0, 99), 1);
  EXPECT_EQ(apply("rsqrt", 4, 99), 0.5f);
  EXPECT_EQ(apply("reciprocal", 4, 99), 0.25f);
  EXPECT_EQ(apply("square", 3, 99), 9);
  EXPECT_EQ(apply("relu", -3, 99), 0);
  EXPECT_EQ(apply("bypass", 3, 99), 3);
  EXPECT_FALSE(ParseBinaryOp("frobnicate"));
}

TEST(Operators, MaximumPassesNanOnFromEitherSide) {
  EXPECT_TRUE(std::isnan(ApplyOne(BinaryOp::kMaximum, kNan, 1.0f)));
  EXPECT_TRUE(std::isnan(ApplyOne(BinaryOp::kMaximum, 1.0f, kNan)));
  EXPECT_TRUE(std::isnan(ApplyOne(BinaryOp::kMinimum, 1.0f, kNan)));
}

TEST(Operators, ReverseSwapsTheSidesButOfUnaryOperators) {
  std::vector<float> row = {1, 2, 3};
  const float ten = 10.0f;
  ApplyRow(BinaryOp::kSubtract, true, row, {&ten, true});
  EXPECT_EQ(row, (std::vector<float>{9, 8, 7}));
  const std::vector<float> each = {1, 2, 4};
  ApplyRow(BinaryOp::kDivide, true, row, {each.data(), false});
  EXPECT_EQ(row, (std::vector<float>{1.0f / 9, 0.25f, 4.0f / 7}));
  ApplyRow(BinaryOp::kAbs, true, row, {&ten, true});
  EXPECT_EQ(row[1], 0.25f);
}

TEST(Operators, BitPatterns) {
  EXPECT_EQ(ApplyBits(BitOp::kAnd, 0xcc, 0xaa, 8), 0x88u);
  EXPECT_EQ(ApplyBits(BitOp::kOr, 0xcc, 0xaa, 8), 0xeeu);
  EXPECT_EQ(ApplyBits(BitOp::kXor, 0xcc, 0xaa, 8), 0x66u);
  EXPECT_EQ(ApplyBits(BitOp::kLeftShift, 0xcc, 2, 8), 0x30u);
  EXPECT_EQ(ApplyBits(BitOp::kRightShift, 0xcc, 2, 8), 0x33u);
  EXPECT_EQ(ApplyBits(BitOp::kRightShift, 0xcc, 8, 8), 0u);
  EXPECT_EQ(ApplyBits(BitOp::kLeftShift, 1, 31, 32), 0x80000000u);
  EXPECT_EQ(ApplyBits(BitOp::kInvert, 0x0f, 0, 8), 0xf0u);
}

TEST(Reduce, FoldsRowsOfEveryLength) {
  for (std::size_t n = 1; n < 100; ++n) {
    std::vector<float> row(n);
    std::iota(row.begin(), row.end(), -3.0f);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    EXPECT_EQ(ReduceRow(BinaryOp::kAdd, row), static_cast<float>(sum)) << n;
    EXPECT_EQ(ReduceRow(BinaryOp::kMaximum, row), row.back());
    EXPECT_EQ(ReduceRow(BinaryOp::kMinimum, row), -3.0f);
    EXPECT_EQ(ReduceRow(BinaryOp::kSubtract, row), static_cast<float>(-6.0 - sum)) << n;
    EXPECT_EQ(ReduceRow(BinaryOp::kAbsMaximum, row), std::max(3.0f, row.back()));
    EXPECT_EQ(ReduceRow(BinaryOp::kLogicalAnd, row), n > 3 ? 0.0f : 1.0f);
  }
}

TEST(Reduce, TheOrderOfSummationIsPinned) {
  // Lane i mod 16: the large values of lane 0 cancel before anything small meets them.
  std::vector<float> row(48, 1.0f);
  row[0] = 1e8f;
  row[16] = -1e8f;
  EXPECT_EQ(ReduceRow(BinaryOp::kAdd, row), 46.0f);
  row[16] = 1.0f;
  row[17] = -1e8f;
  EXPECT_EQ(ReduceRow(BinaryOp::kAdd, row), 42.0f);
}

}  // namespace
}  // namespace spillway
