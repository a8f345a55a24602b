// The value of a pin, whatever its width.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace spillway {

/// Up to 256 bits, bit 0 first; bits above the pin's width are 0.
class Bits {
 public:
  static constexpr int kWidth = 256;

  constexpr Bits() = default;
  constexpr explicit Bits(std::uint64_t value)
      : words_{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)} {}

  /// Bits [low, low + width) as a number; width 1 to 64, low + width at most 256.
  constexpr std::uint64_t Field(int low, int width) const {
    std::uint64_t value = 0;
    for (int bit = width - 1; bit >= 0; --bit) {
      value = value << 1 |
              (words_[static_cast<std::size_t>((low + bit) / 32)] >> (low + bit) % 32 & 1U);
    }
    return value;
  }

  /// Replaces bits [low, low + width) by the low bits of `value`.
  constexpr void SetField(int low, int width, std::uint64_t value) {
    for (int bit = 0; bit < width; ++bit) {
      std::uint32_t& word = words_[static_cast<std::size_t>((low + bit) / 32)];
      const std::uint32_t mask = 1U << (low + bit) % 32;
      word = (value >> bit & 1) != 0 ? word | mask : word & ~mask;
    }
  }

  constexpr std::uint32_t word(int index) const { return words_[static_cast<std::size_t>(index)]; }
  constexpr void set_word(int index, std::uint32_t value) {
    words_[static_cast<std::size_t>(index)] = value;
  }

  /// Hexadecimal without leading zeros: "0x1f".
  std::string ToString() const;

  friend constexpr bool operator==(const Bits&, const Bits&) = default;

 private:
  std::array<std::uint32_t, kWidth / 32> words_{};
};

}  // namespace spillway
