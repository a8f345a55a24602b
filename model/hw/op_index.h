// From the name of an operation to its number in a table, within nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "model/hw/error.h"

namespace spillway {

/// The distinct names of a table in the order in which they first appear. A look-up hashes the name
/// and compares it with one or two candidates; it allocates nothing.
class OpIndex {
 public:
  static constexpr int kUnknown = -1;

  OpIndex() { slots_.fill(kUnknown); }

  /// Number of `name`, which is added if it's new. The view must live as long as the index.
  int Add(std::string_view name) {
    const std::size_t slot = SlotOf(name);
    if (slots_[slot] == kUnknown) {
      // Half-full at most, so that an unknown name soon meets an empty slot.
      SPILLWAY_CHECK(names_.size() < kSlots / 2, "a table has few operations");
      slots_[slot] = static_cast<std::int16_t>(names_.size());
      names_.push_back(name);
    }
    return slots_[slot];
  }

  /// Number of `name`, or kUnknown.
  int Find(std::string_view name) const { return slots_[SlotOf(name)]; }

  const std::vector<std::string_view>& names() const { return names_; }

 private:
  static constexpr std::size_t kSlots = 256;

  // The slot that holds `name`, or the empty one where it belongs. The ends of a name and its
  // length tell the names of a table apart well enough, without a walk over all letters.
  std::size_t SlotOf(std::string_view name) const {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (name.size() >= sizeof first) {
      std::memcpy(&first, name.data(), sizeof first);
      std::memcpy(&last, name.data() + name.size() - sizeof last, sizeof last);
    } else {
      for (const char c : name) first = first << 8 | static_cast<unsigned char>(c);
    }
    const std::uint64_t hash =
        (first ^ (last * 0x9E3779B97F4A7C15U) ^ name.size()) * 0xC2B2AE3D27D4EB4FU;
    std::size_t slot = static_cast<std::size_t>(hash >> 40) % kSlots;
    while (slots_[slot] != kUnknown && names_[static_cast<std::size_t>(slots_[slot])] != name) {
      slot = (slot + 1) % kSlots;
    }
    return slot;
  }

  std::array<std::int16_t, kSlots> slots_{};
  std::vector<std::string_view> names_;
};

}  // namespace spillway
