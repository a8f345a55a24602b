#include "sim/values/convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "model/hw/error.h"
#include "sim/values/small_float.h"

namespace spillway {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are read as the machine's own");

template <class T>
T Load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
void Store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

/// Applies `convert` to each stored element of type T.
template <class T, class Convert>
void DecodeWith(std::span<const std::byte> packed, std::span<float> values, Convert convert) {
  const std::byte* from = packed.data();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = convert(Load<T>(from + i * sizeof(T)));
}

template <class T, class Convert>
void EncodeWith(std::span<const float> values, std::span<std::byte> packed, Convert convert) {
  std::byte* to = packed.data();
  for (std::size_t i = 0; i < values.size(); ++i) {
    Store<T>(to + i * sizeof(T), static_cast<T>(convert(values[i])));
  }
}

float FromBfloat16(std::uint16_t code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16);
}

std::uint32_t ToBfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const std::uint32_t nan = (bits >> 16) | 0x40u;
  return (bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded;
}

/// Ten mantissa bits in the place of 23, the rest zero.
std::uint32_t ToTfloat32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0xfffu + ((bits >> 13) & 1u)) & ~0x1fffu;
  const std::uint32_t nan = (bits | 0x400000u) & ~0x1fffu;
  return (bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded;
}

template <class Format>
const std::array<float, 256>& ByteTable() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> values{};
    for (std::uint32_t code = 0; code < 256; ++code) values[code] = Format::Decode(code);
    return values;
  }();
  return table;
}

template <class T>
T ToInteger(float value) {
  // Clamping first and rounding second is the same as the reverse, since the limits are integers.
  constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double kHigh = static_cast<double>(std::numeric_limits<T>::max());
  double wide = value;
  wide = wide == wide ? wide : 0.0;
  wide = wide < kLow ? kLow : wide;
  wide = wide > kHigh ? kHigh : wide;
  constexpr double kMagic =
      0x1.8p52;  // its last place is one, so that the adder rounds to integers
  const double rounded = (wide + kMagic) - kMagic;
  if constexpr (sizeof(T) == 4 && std::is_unsigned_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(rounded));
  } else {
    return static_cast<T>(static_cast<std::int32_t>(rounded));
  }
}

/// Calls `f` with a value of the integer type that `dtype` names.
template <class F>
void WithInteger(DType dtype, F f) {
  switch (dtype) {
    case DType::kInt8: f(std::int8_t{}); return;
    case DType::kUint8: f(std::uint8_t{}); return;
    case DType::kInt16: f(std::int16_t{}); return;
    case DType::kUint16: f(std::uint16_t{}); return;
    case DType::kInt32: f(std::int32_t{}); return;
    case DType::kUint32: f(std::uint32_t{}); return;
    default: break;
  }
  SPILLWAY_CHECK(false, "an integer type is expected");
}

void CheckSizes(DType dtype, std::size_t bytes, std::size_t elements) {
  SPILLWAY_CHECK(bytes == elements * static_cast<std::size_t>(ElementSize(dtype).value),
                 "bytes and elements don't match");
}

}  // namespace

void DecodeElements(DType dtype, std::span<const std::byte> packed, std::span<float> values) {
  CheckSizes(dtype, packed.size(), values.size());
  if (values.empty()) return;
  switch (dtype) {
    case DType::kFloat32:
    case DType::kTfloat32: std::memcpy(values.data(), packed.data(), packed.size()); return;
    case DType::kBfloat16: DecodeWith<std::uint16_t>(packed, values, FromBfloat16); return;
    case DType::kFloat16:
      DecodeWith<std::uint16_t>(packed, values,
                                [](std::uint16_t code) { return Float16::Decode(code); });
      return;
    case DType::kFloat8E4m3:
      DecodeWith<std::uint8_t>(
          packed, values,
          [&table = ByteTable<Float8E4m3>()](std::uint8_t code) { return table[code]; });
      return;
    case DType::kFloat8E5m2:
      DecodeWith<std::uint8_t>(
          packed, values,
          [&table = ByteTable<Float8E5m2>()](std::uint8_t code) { return table[code]; });
      return;
    default:
      WithInteger(dtype, [&]<class T>(T) {
        DecodeWith<T>(packed, values, [](T value) { return static_cast<float>(value); });
      });
  }
}

void EncodeElements(DType dtype, std::span<const float> values, std::span<std::byte> packed) {
  CheckSizes(dtype, packed.size(), values.size());
  if (values.empty()) return;
  switch (dtype) {
    case DType::kFloat32: std::memcpy(packed.data(), values.data(), packed.size()); return;
    case DType::kTfloat32: EncodeWith<std::uint32_t>(values, packed, ToTfloat32); return;
    case DType::kBfloat16: EncodeWith<std::uint16_t>(values, packed, ToBfloat16); return;
    case DType::kFloat16: EncodeWith<std::uint16_t>(values, packed, Float16::Encode); return;
    case DType::kFloat8E4m3: EncodeWith<std::uint8_t>(values, packed, Float8E4m3::Encode); return;
    case DType::kFloat8E5m2: EncodeWith<std::uint8_t>(values, packed, Float8E5m2::Encode); return;
    default: WithInteger(dtype, [&]<class T>(T) { EncodeWith<T>(values, packed, ToInteger<T>); });
  }
}

void EncodeIntegers(DType dtype, std::span<const std::int64_t> values,
                    std::span<std::byte> packed) {
  CheckSizes(dtype, packed.size(), values.size());
  const auto size = static_cast<std::size_t>(ElementSize(dtype).value);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::span<std::byte> element = packed.subspan(i * size, size);
    if (IsFloat(dtype)) {
      const float value = static_cast<float>(values[i]);
      EncodeElements(dtype, std::span(&value, 1), element);
    } else {
      const IntegerLimits limits = LimitsOf(dtype);
      const std::int64_t value = std::clamp(values[i], limits.min, limits.max);
      std::memcpy(element.data(), &value, size);
    }
  }
}

void DecodeIntegers(DType dtype, std::span<const std::byte> packed,
                    std::span<std::int64_t> values) {
  CheckSizes(dtype, packed.size(), values.size());
  WithInteger(dtype, [&]<class T>(T) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = Load<T>(packed.data() + i * sizeof(T));
    }
  });
}

IntegerLimits LimitsOf(DType dtype) {
  IntegerLimits limits;
  WithInteger(dtype, [&]<class T>(T) {
    limits = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  });
  return limits;
}

}  // namespace spillway
