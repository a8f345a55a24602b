#include "sim/values/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "model/alloc/ir/kernel_builder.h"
#include "sim/values/convert.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;

Tensor Dram(std::string name, DType dtype, std::vector<std::int64_t> shape) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.space = Space::kDram;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.role = Role::kInput;
  return tensor;
}

std::vector<float> Floats(const Tensor& tensor, std::uint64_t seed) {
  const TensorData data = GenerateTensor(tensor, seed);
  std::vector<float> values(data.bytes.size() /
                            static_cast<std::size_t>(ElementSize(tensor.dtype).value));
  DecodeElements(tensor.dtype, data.bytes, values);
  return values;
}

TEST(Inputs, BytesArePinnedForEveryMachineAndLibrary) {
  const TensorData data = GenerateTensor(Dram("x", DType::kFloat32, {4}), 1);
  std::vector<std::uint32_t> words(4);
  std::memcpy(words.data(), data.bytes.data(), 16);
  EXPECT_THAT(words, ElementsAre(3181307286, 1042024589, 3196403201, 1052141814));
  EXPECT_THAT(Floats(Dram("labels", DType::kInt32, {4}), 1), ElementsAre(108, 47, 94, 108));
}

TEST(Inputs, FloatsAreNormalWithDeviationOneHalf) {
  constexpr int kCount = 200000;
  const std::vector<float> values = Floats(Dram("x", DType::kFloat32, {kCount}), 7);
  double sum = 0.0, squares = 0.0, fourth = 0.0;
  int beyond = 0;
  for (const float value : values) {
    sum += value;
    squares += double{value} * value;
    fourth += std::pow(double{value}, 4);
    beyond += std::fabs(value) > 1.0f ? 1 : 0;
  }
  EXPECT_NEAR(sum / kCount, 0.0, 0.005);
  EXPECT_NEAR(squares / kCount, 0.25, 0.005);
  EXPECT_NEAR(fourth / kCount, 3.0 / 16, 0.01);         // the kurtosis of a normal variable
  EXPECT_NEAR(beyond / double{kCount}, 0.0455, 0.002);  // beyond two deviations
}

TEST(Inputs, IntegersAreSmallAndNotNegative) {
  for (const DType dtype : {DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint32}) {
    const std::vector<float> values = Floats(Dram("x", dtype, {5000}), 7);
    EXPECT_EQ(*std::min_element(values.begin(), values.end()), 0.0f);
    EXPECT_EQ(*std::max_element(values.begin(), values.end()), 127.0f);
  }
}

TEST(Inputs, SeedAndNameDecideAndNothingElse) {
  const TensorData x = GenerateTensor(Dram("x", DType::kBfloat16, {64, 64}), 1);
  EXPECT_EQ(GenerateTensor(Dram("x", DType::kBfloat16, {4096}), 1), x);
  EXPECT_NE(GenerateTensor(Dram("x", DType::kBfloat16, {64, 64}), 2), x);
  EXPECT_NE(GenerateTensor(Dram("y", DType::kBfloat16, {64, 64}), 1), x);

  KernelBuilder b("k", "trn2");
  b.Dram("other", DType::kFloat32, {9}, Role::kInput);
  b.Dram("result", DType::kFloat32, {9}, Role::kOutput);
  b.Dram("table", DType::kFloat32, {9}, Role::kConstant);
  b.Dram("x", DType::kBfloat16, {64, 64}, Role::kInput);
  const Inputs inputs = GenerateInputs(b.Build(), 1).value();
  EXPECT_EQ(inputs.size(), 3u);
  EXPECT_EQ(inputs.at("x"), x);
}

TEST(Inputs, AnOddNumberOfElementsIsAPrefix) {
  const std::vector<float> odd = Floats(Dram("x", DType::kFloat32, {4097}), 1);
  std::vector<float> even = Floats(Dram("x", DType::kFloat32, {4098}), 1);
  even.pop_back();
  EXPECT_EQ(odd, even);
}

TEST(Inputs, TooMuchDataIsRefused) {
  KernelBuilder b("k", "trn2");
  b.Dram("x", DType::kFloat32, {std::int64_t{1} << 50}, Role::kInput);
  const auto inputs = GenerateInputs(b.Build(), 1);
  ASSERT_FALSE(inputs.has_value());
  EXPECT_EQ(inputs.error().kind, Kind::kLimit);
}

}  // namespace
}  // namespace spillway
