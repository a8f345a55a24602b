#include "sim/values/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace spillway {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::uint32_t Encode(DType dtype, float value) {
  std::array<std::byte, 4> bytes{};
  const auto size = static_cast<std::size_t>(ElementSize(dtype).value);
  EncodeElements(dtype, std::span(&value, 1), std::span(bytes).first(size));
  std::uint32_t code = 0;
  std::memcpy(&code, bytes.data(), 4);
  return code;
}

float Decode(DType dtype, std::uint32_t code) {
  std::array<std::byte, 4> bytes{};
  std::memcpy(bytes.data(), &code, 4);
  float value = 0.0f;
  DecodeElements(
      dtype,
      std::span<const std::byte>(bytes).first(static_cast<std::size_t>(ElementSize(dtype).value)),
      std::span(&value, 1));
  return value;
}

float RoundTrip(DType dtype, float value) { return Decode(dtype, Encode(dtype, value)); }

/// What a code of such a format means, from the definition.
double Meaning(std::uint32_t code, int exponent_bits, int mantissa_bits) {
  const std::uint32_t mantissa = code & ((1u << mantissa_bits) - 1);
  const std::uint32_t exponent = (code >> mantissa_bits) & ((1u << exponent_bits) - 1);
  const double sign = (code >> (exponent_bits + mantissa_bits)) != 0 ? -1.0 : 1.0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1u << exponent_bits) - 1) {
    return mantissa == 0 ? sign * kInfinity : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1u << mantissa_bits),
                           static_cast<int>(exponent) - bias - mantissa_bits);
}

struct SmallType {
  DType dtype;
  int exponent_bits;
  int mantissa_bits;
};

class SmallFloats : public ::testing::TestWithParam<SmallType> {
 protected:
  std::uint32_t Codes() const {
    return 1u << (1 + GetParam().exponent_bits + GetParam().mantissa_bits);
  }
  double Means(std::uint32_t code) const {
    return Meaning(code, GetParam().exponent_bits, GetParam().mantissa_bits);
  }
};

INSTANTIATE_TEST_SUITE_P(
    All, SmallFloats,
    ::testing::Values(SmallType{DType::kBfloat16, 8, 7}, SmallType{DType::kFloat16, 5, 10},
                      SmallType{DType::kFloat8E4m3, 4, 3}, SmallType{DType::kFloat8E5m2, 5, 2}),
    [](const auto& parameter) { return std::string(DTypeName(parameter.param.dtype)); });

TEST_P(SmallFloats, EveryCodeMeansWhatItsFormatDefinesAndComesBack) {
  const DType dtype = GetParam().dtype;
  for (std::uint32_t code = 0; code < Codes(); ++code) {
    const float value = Decode(dtype, code);
    if (std::isnan(Means(code))) {
      EXPECT_TRUE(std::isnan(value)) << code;
      EXPECT_TRUE(std::isnan(RoundTrip(dtype, value))) << code;
      EXPECT_EQ(std::signbit(value), code >= Codes() / 2);
    } else {
      ASSERT_EQ(value, Means(code)) << code;
      ASSERT_EQ(Encode(dtype, value), code);
    }
  }
}

TEST_P(SmallFloats, HalfwayValuesGoToTheEvenCodeAndNeighboursToTheNearest) {
  const DType dtype = GetParam().dtype;
  const std::uint32_t infinity = ((1u << GetParam().exponent_bits) - 1) << GetParam().mantissa_bits;
  for (std::uint32_t code = 0; code + 1 < infinity; ++code) {
    const auto half = static_cast<float>((Means(code) + Means(code + 1)) / 2);  // exact in float32
    if (half == Means(code) || half == Means(code + 1)) continue;  // float32's own smallest values
    const std::uint32_t even = code % 2 == 0 ? code : code + 1;
    ASSERT_EQ(Encode(dtype, half), even) << code;
    ASSERT_EQ(Encode(dtype, std::nextafter(half, 0.0f)), code);
    ASSERT_EQ(Encode(dtype, std::nextafter(half, kInfinity)), code + 1);
    ASSERT_EQ(Encode(dtype, -half), even | Codes() / 2);
  }
}

TEST_P(SmallFloats, OverflowRoundsToTheInfinityOfItsSign) {
  const DType dtype = GetParam().dtype;
  const std::uint32_t infinity = ((1u << GetParam().exponent_bits) - 1) << GetParam().mantissa_bits;
  const double largest = Means(infinity - 1);
  const double step = largest - Means(infinity - 2);
  const auto limit = static_cast<float>(largest + step / 2);
  EXPECT_EQ(Encode(dtype, limit), infinity);
  EXPECT_EQ(Encode(dtype, -limit), infinity | Codes() / 2);
  EXPECT_EQ(Encode(dtype, std::nextafter(limit, 0.0f)), infinity - 1);
  EXPECT_EQ(Encode(dtype, std::numeric_limits<float>::max()), infinity);
  EXPECT_EQ(Encode(dtype, kInfinity), infinity);
}

TEST(Convert, LargestFiniteValuesOfTheFormats) {
  EXPECT_EQ(RoundTrip(DType::kFloat8E4m3, 247.0f), 240.0f);
  EXPECT_EQ(RoundTrip(DType::kFloat8E4m3, 248.0f), kInfinity);
  EXPECT_EQ(RoundTrip(DType::kFloat8E5m2, 60000.0f), 57344.0f);
  EXPECT_EQ(RoundTrip(DType::kFloat16, 65519.0f), 65504.0f);
  EXPECT_EQ(RoundTrip(DType::kFloat16, 65520.0f), kInfinity);
}

TEST(Convert, Tfloat32KeepsTenMantissaBits) {
  EXPECT_EQ(Encode(DType::kTfloat32, 1.0f + 0x1p-11f), 0x3f800000u);      // tie, to even
  EXPECT_EQ(Encode(DType::kTfloat32, 1.0f + 3 * 0x1p-11f), 0x3f804000u);  // tie, to even
  EXPECT_EQ(Encode(DType::kTfloat32, 1.0f + 0x1p-11f + 0x1p-23f), 0x3f802000u);
  EXPECT_TRUE(std::isnan(Decode(DType::kTfloat32, Encode(DType::kTfloat32, kNan))));
  EXPECT_EQ(Encode(DType::kTfloat32, std::numeric_limits<float>::max()), 0x7f800000u);
}

TEST(Convert, NanWhosePayloadWouldRoundAwayStaysNan) {
  const float quiet_only_low_bits = std::bit_cast<float>(0x7f800001u);
  for (const DType dtype : {DType::kBfloat16, DType::kFloat16, DType::kTfloat32, DType::kFloat8E4m3,
                            DType::kFloat8E5m2}) {
    EXPECT_TRUE(std::isnan(RoundTrip(dtype, quiet_only_low_bits))) << DTypeName(dtype);
  }
}

TEST(Convert, IntegersRoundToEvenAndSaturate) {
  EXPECT_EQ(Encode(DType::kUint8, 2.5f), 2u);
  EXPECT_EQ(Encode(DType::kUint8, 3.5f), 4u);
  EXPECT_EQ(Encode(DType::kUint8, 255.5f), 255u);
  EXPECT_EQ(Encode(DType::kUint8, -1.0f), 0u);
  EXPECT_EQ(Encode(DType::kInt8, -128.6f), 0x80u);
  EXPECT_EQ(Encode(DType::kInt8, 1000.0f), 0x7fu);
  EXPECT_EQ(Encode(DType::kInt16, -40000.0f), 0x8000u);
  EXPECT_EQ(Encode(DType::kUint16, 65535.4f), 0xffffu);
  EXPECT_EQ(Encode(DType::kInt32, 2147483648.0f), 0x7fffffffu);
  EXPECT_EQ(Encode(DType::kInt32, -2147483904.0f), 0x80000000u);
  EXPECT_EQ(Encode(DType::kInt32, -kInfinity), 0x80000000u);
  EXPECT_EQ(Encode(DType::kUint32, 4294967296.0f), 0xffffffffu);
  EXPECT_EQ(Encode(DType::kUint32, 4294967040.0f), 0xffffff00u);
}

TEST(Convert, NanBecomesZeroInIntegers) {
  for (const DType dtype : {DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16,
                            DType::kInt32, DType::kUint32}) {
    EXPECT_EQ(Encode(dtype, kNan), 0u) << DTypeName(dtype);
  }
}

TEST(Convert, EverySmallIntegerComesBack) {
  for (int value = -32768; value <= 65535; ++value) {
    const auto real = static_cast<float>(value);
    if (value >= 0) {
      ASSERT_EQ(RoundTrip(DType::kUint16, real), real);
    }
    if (value <= 32767) {
      ASSERT_EQ(RoundTrip(DType::kInt16, real), real);
    }
    if (value >= -128 && value <= 127) {
      ASSERT_EQ(RoundTrip(DType::kInt8, real), real);
    }
  }
}

TEST(Convert, IntegersPassExactlyWhereTheyAreNeverFloat) {
  const std::vector<std::int64_t> values = {16777217, -5, std::int64_t{1} << 40};
  std::vector<std::byte> packed(12);
  EncodeIntegers(DType::kInt32, values, packed);
  std::vector<std::int64_t> back(3);
  DecodeIntegers(DType::kInt32, packed, back);
  EXPECT_THAT(back, ::testing::ElementsAre(16777217, -5, 2147483647));
}

}  // namespace
}  // namespace spillway
