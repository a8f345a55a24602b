// When each actor wants to be played next.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "model/hw/timing/detail/channels.h"

namespace spillway::detail {

/// The actors' wake-ups in groups of eight, with the earliest of each group.
template <int kActors>
class WakeTimes {
 public:
  WakeTimes() {
    times_.fill(kNever);
    earliest_.fill(kNever);
  }

  void Set(int actor, std::int64_t time) {
    const auto leaf = static_cast<std::size_t>(actor);
    std::int64_t& earliest = earliest_[leaf / kGroup];
    const std::int64_t before = std::exchange(times_[leaf], time);
    if (time <= earliest) {
      earliest = time;
    } else if (before == earliest) {
      const auto group = times_.begin() + static_cast<std::ptrdiff_t>(leaf / kGroup * kGroup);
      earliest = *std::min_element(group, group + kGroup);
    }
  }

  std::int64_t Of(int actor) const { return times_[static_cast<std::size_t>(actor)]; }

  std::int64_t Earliest() const { return *std::min_element(earliest_.begin(), earliest_.end()); }

  /// The actors that want to be woken at `time`, which isn't after the earliest.
  ActorSet Due(std::int64_t time) const {
    ActorSet due = 0;
    for (std::size_t g = 0; g < kGroups; ++g) {
      if (earliest_[g] != time) continue;
      for (std::size_t leaf = g * kGroup; leaf < (g + 1) * kGroup; ++leaf) {
        due |= ActorSet{times_[leaf] == time} << leaf;
      }
    }
    return due;
  }

 private:
  static constexpr std::size_t kGroup = 8;
  static constexpr std::size_t kGroups = (static_cast<std::size_t>(kActors) + kGroup - 1) / kGroup;

  std::array<std::int64_t, kGroups * kGroup> times_{};
  std::array<std::int64_t, kGroups> earliest_{};
};

}  // namespace spillway::detail
