// From the name of an operation to its number in a table, within nanoseconds.
#pragma once

#include <array>
#include <cstdint>
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

  // The slot that holds `name`, or the empty one where it belongs.
  std::size_t SlotOf(std::string_view name) const {
    std::uint32_t hash = 2166136261U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    std::size_t slot = (hash ^ (hash >> 15)) % kSlots;
    while (slots_[slot] != kUnknown && names_[static_cast<std::size_t>(slots_[slot])] != name) {
      slot = (slot + 1) % kSlots;
    }
    return slot;
  }

  std::array<std::int16_t, kSlots> slots_{};
  std::vector<std::string_view> names_;
};

}  // namespace spillway
