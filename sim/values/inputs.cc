#include "sim/values/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/values/convert.h"
#include "sim/values/hash.h"
#include "sim/values/portable_math.h"

namespace spillway {
namespace {

/// Two independent standard normal values from the counters 2 n and 2 n + 1 (Box and Muller).
struct NormalPair {
  float first = 0.0f;
  float second = 0.0f;
};

NormalPair Normals(std::uint64_t key, std::uint64_t n) {
  const std::uint64_t a = Mix(key + (2 * n + 1) * kCounterStep);
  const std::uint64_t b = Mix(key + (2 * n + 2) * kCounterStep);
  // 53 bits each: one in (0, 1], so that its logarithm is finite, one in [0, 1).
  const double radius_source = static_cast<double>((a >> 11) + 1) * 0x1p-53;
  const double turn = static_cast<double>(b >> 11) * 0x1p-53;
  const double radius = std::sqrt(-2.0 * portable::Log(radius_source));
  const portable::SineCosine angle = portable::SinCos(2.0 * portable::kPi * turn);
  return {static_cast<float>(radius * angle.cosine), static_cast<float>(radius * angle.sine)};
}

void FillFloats(DType dtype, std::uint64_t key, std::span<std::byte> bytes) {
  constexpr std::size_t kChunk = 4096;  // even, so that pairs stay whole
  const auto size = static_cast<std::size_t>(ElementSize(dtype).value);
  const std::size_t elements = bytes.size() / size;
  std::vector<float> values(std::min(elements, kChunk) + 1);
  for (std::size_t at = 0; at < elements; at += kChunk) {
    const std::size_t count = std::min(kChunk, elements - at);
    for (std::size_t i = 0; i < count; i += 2) {
      const NormalPair pair = Normals(key, (at + i) / 2);
      values[i] = 0.5f * pair.first;
      values[i + 1] = 0.5f * pair.second;
    }
    EncodeElements(dtype, std::span(values).first(count), bytes.subspan(at * size, count * size));
  }
}

void FillIntegers(DType dtype, std::uint64_t key, std::span<std::byte> bytes) {
  const auto size = static_cast<std::size_t>(ElementSize(dtype).value);
  for (std::size_t i = 0; i * size < bytes.size(); ++i) {
    const auto value = static_cast<std::int64_t>(Mix(key + (i + 1) * kCounterStep) >> 57);
    EncodeIntegers(dtype, std::span(&value, 1), bytes.subspan(i * size, size));
  }
}

}  // namespace

TensorData GenerateTensor(const Tensor& tensor, std::uint64_t seed) {
  const std::uint64_t key = Mix(HashText(tensor.name) + Mix(seed));
  TensorData data;
  data.bytes.resize(static_cast<std::size_t>(TensorBytes(tensor, kDataLimit).value()));
  if (IsFloat(tensor.dtype)) {
    FillFloats(tensor.dtype, key, data.bytes);
  } else {
    FillIntegers(tensor.dtype, key, data.bytes);
  }
  return data;
}

Result<Inputs> GenerateInputs(const Kernel& kernel, std::uint64_t seed) {
  std::int64_t left = kDataLimit;
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.role != Role::kInput && tensor.role != Role::kConstant) continue;
    const Result<std::int64_t> bytes = TensorBytes(tensor, left);
    if (!bytes) return Fail(bytes.error());
    left -= *bytes;
  }
  Inputs inputs;
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.role != Role::kInput && tensor.role != Role::kConstant) continue;
    inputs.emplace(tensor.name, GenerateTensor(tensor, seed));
  }
  return inputs;
}

}  // namespace spillway
