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
    for (int i = low / 32; 32 * i < low + width; ++i) {
      const int place = 32 * i - low;  // of the word's bit 0 in the value
      const std::uint64_t bits = word(i);
      value |= place >= 0 ? bits << place : bits >> -place;
    }
    return value & Mask(width);
  }

  /// Replaces bits [low, low + width) by the low bits of `value`.
  constexpr void SetField(int low, int width, std::uint64_t value) {
    const std::uint64_t mask = Mask(width);
    for (int i = low / 32; 32 * i < low + width; ++i) {
      const int place = 32 * i - low;
      const auto shifted = [place](std::uint64_t bits) {
        return static_cast<std::uint32_t>(place >= 0 ? bits >> place : bits << -place);
      };
      set_word(i, (word(i) & ~shifted(mask)) | shifted(value & mask));
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
  static constexpr std::uint64_t Mask(int width) { return ~std::uint64_t{0} >> (64 - width); }

  std::array<std::uint32_t, kWidth / 32> words_{};
};

}  // namespace spillway
