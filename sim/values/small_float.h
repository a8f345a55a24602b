// Binary floating point below 32 bits, as bit patterns.
#pragma once

#include <bit>
#include <cstdint>

namespace spillway {

/// IEEE-like format of a sign, `kExponent` and `kMantissa` bits: subnormals, infinities, NaNs.
template <int kExponent, int kMantissa>
struct SmallFloat {
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr int kDropped = 23 - kMantissa;
  static constexpr std::uint32_t kInfinity = ((1u << kExponent) - 1u) << kMantissa;
  static constexpr std::uint32_t kSignShift = 31 - (kExponent + kMantissa);
  static constexpr std::uint32_t kSign = 1u << (kExponent + kMantissa);

  /// Nearest code of a float32, ties to even; without branches, so that loops vectorise.
  static std::uint32_t Encode(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t sign = (bits >> kSignShift) & kSign;
    // Normal range: add half of the last place kept, less one when it is even, and rebias.
    const std::uint32_t odd = (magnitude >> kDropped) & 1u;
    const std::uint32_t rounded = magnitude + ((1u << (kDropped - 1)) - 1u) + odd;
    const std::uint32_t rebias = static_cast<std::uint32_t>(127 - kBias) << kMantissa;
    const std::uint32_t normal = (rounded >> kDropped) - rebias;
    // Subnormal range: adding a power of two whose last place is the smallest subnormal makes the
    // adder round to it.
    constexpr std::uint32_t kMagicBits = static_cast<std::uint32_t>(127 + kDropped + 1 - kBias)
                                         << 23;
    const float shifted = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kMagicBits);
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(shifted) - kMagicBits;
    constexpr std::uint32_t kSmallestNormal = static_cast<std::uint32_t>(128 - kBias) << 23;
    std::uint32_t code = magnitude < kSmallestNormal ? subnormal : normal;
    code = code > kInfinity ? kInfinity : code;
    code = magnitude > 0x7f800000u ? (kInfinity | (1u << (kMantissa - 1))) : code;
    return code | sign;
  }

  /// Exact float32 value of a code.
  static float Decode(std::uint32_t code) {
    const std::uint32_t magnitude = code & (kSign - 1u);
    const std::uint32_t sign = (code & kSign) << kSignShift;
    // As a float32 the exponent is too small by the difference of the biases: one exact product.
    constexpr std::uint32_t kScaleBits = static_cast<std::uint32_t>(254 - kBias) << 23;
    const float scaled =
        std::bit_cast<float>(magnitude << kDropped) * std::bit_cast<float>(kScaleBits);
    std::uint32_t bits = std::bit_cast<std::uint32_t>(scaled);
    bits = magnitude >= kInfinity ? (0x7f800000u | (magnitude << kDropped)) : bits;
    return std::bit_cast<float>(bits | sign);
  }
};

using Float16 = SmallFloat<5, 10>;
using Float8E4m3 = SmallFloat<4, 3>;
using Float8E5m2 = SmallFloat<5, 2>;

}  // namespace spillway
