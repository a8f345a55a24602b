#include "model/hw/dtype.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

constexpr int kCount = static_cast<int>(DType::kUint32) + 1;

TEST(DType, EveryNameParsesToItsType) {
  for (int i = 0; i < kCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(ParseDType(DTypeName(dtype)), dtype) << DTypeName(dtype);
  }
}

TEST(DType, NamesAreExact) {
  EXPECT_EQ(ParseDType("float32"), DType::kFloat32);
  EXPECT_EQ(ParseDType("Float32"), std::nullopt);
  EXPECT_EQ(ParseDType("float3"), std::nullopt);
  EXPECT_EQ(ParseDType(""), std::nullopt);
}

TEST(DType, SizesAreThoseInMemory) {
  EXPECT_EQ(ElementSize(DType::kFloat32), Bytes(4));
  EXPECT_EQ(ElementSize(DType::kTfloat32), Bytes(4));
  EXPECT_EQ(ElementSize(DType::kBfloat16), Bytes(2));
  EXPECT_EQ(ElementSize(DType::kFloat16), Bytes(2));
  EXPECT_EQ(ElementSize(DType::kFloat8E4m3), Bytes(1));
  EXPECT_EQ(ElementSize(DType::kFloat8E5m2), Bytes(1));
  EXPECT_EQ(ElementSize(DType::kInt8), Bytes(1));
  EXPECT_EQ(ElementSize(DType::kUint16), Bytes(2));
  EXPECT_EQ(ElementSize(DType::kUint32), Bytes(4));
}

TEST(DType, ATypeIsFloatingPointIfItsNameSaysFloat) {
  for (int i = 0; i < kCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(IsFloat(dtype), DTypeName(dtype).find("float") != std::string_view::npos)
        << DTypeName(dtype);
  }
}

}  // namespace
}  // namespace spillway
