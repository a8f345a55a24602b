// Words of the file format for the values of an enum.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace spillway::task {

/// The value whose word `name` is, where words stand in the order of the enum.
template <class Enum, std::size_t n>
std::optional<Enum> FindWord(const std::array<std::string_view, n>& words, std::string_view name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (words[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template <class Enum, std::size_t n>
constexpr std::string_view WordOf(const std::array<std::string_view, n>& words, Enum value) {
  return words[static_cast<std::size_t>(value)];
}

}  // namespace spillway::task
