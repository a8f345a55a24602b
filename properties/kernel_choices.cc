#include "properties/kernel_choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spillway {

std::vector<Choice> ChoicesOf(std::span<const std::uint8_t> bytes) {
  std::vector<Choice> choices;
  for (std::size_t at = 0; at < bytes.size(); at += kChoiceBytes) {
    std::array<std::uint8_t, kChoiceBytes> b{};
    for (std::size_t i = 0; i < kChoiceBytes && at + i < bytes.size(); ++i) b[i] = bytes[at + i];
    choices.push_back({b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]});
  }
  return choices;
}

std::vector<std::uint8_t> BytesOf(std::span<const Choice> choices) {
  std::vector<std::uint8_t> bytes;
  for (const Choice& c : choices) {
    bytes.insert(bytes.end(),
                 {c.kind, c.first, c.second, c.height, c.size, c.region, c.detail, c.guard});
  }
  return bytes;
}

std::vector<std::uint8_t> ChoiceBytesFromSeed(std::uint64_t seed, std::size_t count) {
  std::uint64_t state = seed;
  const auto next = [&] {
    // SplitMix64: a counter, scrambled.
    std::uint64_t x = (state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::uint8_t>((x ^ (x >> 31)) >> 56);
  };
  std::array<std::uint8_t, 6> favourites{};
  for (std::uint8_t& kind : favourites) kind = static_cast<std::uint8_t>(next() % kChoiceKinds);
  std::vector<std::uint8_t> bytes(count * kChoiceBytes);
  for (std::uint8_t& byte : bytes) byte = next();
  // Odd seeds keep to few kinds, so that those meet often enough to get in each other's way.
  for (std::size_t at = 0; at < bytes.size() && seed % 2 == 1; at += kChoiceBytes) {
    if (bytes[at] % 4 != 0) bytes[at] = favourites[bytes[at] % favourites.size()];
  }
  return bytes;
}

std::string ShowChoices(std::span<const std::uint8_t> bytes) {
  std::string text = "{";
  for (std::size_t at = 0; at < bytes.size(); at += kChoiceBytes) {
    const std::span<const std::uint8_t> row =
        bytes.subspan(at, std::min(kChoiceBytes, bytes.size() - at));
    text += fmt::format("{}{}", at > 0 ? ",\n " : "", fmt::join(row, ", "));
  }
  return text + "}";
}

}  // namespace spillway
