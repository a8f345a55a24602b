// XXH3 of bytes; the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace spillway {

std::uint64_t HashBytes(std::span<const std::byte> bytes);
std::uint64_t HashText(std::string_view text);

/// Bijective scrambling of a counter (the finaliser of SplitMix64).
constexpr std::uint64_t Mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The odd constant by which SplitMix64 counts.
inline constexpr std::uint64_t kCounterStep = 0x9e3779b97f4a7c15u;

}  // namespace spillway
