// Who may hold a shared resource next.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/hw/fault.h"
#include "model/hw/timing/hw_program.h"

namespace spillway::detail {

/// Times are picoseconds since the start of the run; this one never comes.
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Actors as a bit set, by rank.
using ActorSet = std::uint64_t;

/// Exclusive channels. Whoever asked first gets all it asked for first, so nobody starves. At one
/// instant the order of the calls counts: the core goes by rank, and who has just been served asks
/// again behind the others.
class Channels {
 public:
  void Reset() {
    free_at_.fill(0);
    waiters_.clear();
  }

  /// `now`: `rank` holds `channels` from now until `now + hold`. Later: ask again then. kNever: ask
  /// again when another's grant puts this rank into its `asked_again`.
  std::int64_t Acquire(int rank, ChannelSet channels, std::int64_t now, std::int64_t hold,
                       ActorSet& asked_again) {
    std::int64_t free = now;
    for (ChannelSet left = channels; left != 0; left &= left - 1) {
      free = std::max(free, free_at_[static_cast<std::size_t>(std::countr_zero(left))]);
    }
    if (SPILLWAY_FAULT(D6, waiters_.empty() && free == now, true)) {
      Hold(channels, now + hold);
      return now;
    }
    return Contend({rank, channels}, now, free, hold, asked_again);
  }

 private:
  struct Waiter {
    int rank = 0;
    ChannelSet channels = 0;
  };

  std::int64_t Contend(Waiter asks, std::int64_t now, std::int64_t free, std::int64_t hold,
                       ActorSet& asked_again) {
    auto self = std::find_if(waiters_.begin(), waiters_.end(),
                             [&](const Waiter& w) { return w.rank == asks.rank; });
    if (self == waiters_.end()) self = waiters_.insert(self, asks);
    const auto conflicts = [&](const Waiter& w) { return (w.channels & asks.channels) != 0; };
    if (std::any_of(waiters_.begin(), self, conflicts)) return kNever;
    if (free > now) return free;
    waiters_.erase(self);
    Hold(asks.channels, now + hold);
    // Who waits behind another waiter learns nothing new.
    ChannelSet earlier = 0;
    for (const Waiter& waiter : waiters_) {
      if (conflicts(waiter) && (waiter.channels & earlier) == 0) {
        asked_again |= ActorSet{1} << waiter.rank;
      }
      earlier |= waiter.channels;
    }
    return now;
  }

  void Hold(ChannelSet channels, std::int64_t until) {
    for (; channels != 0; channels &= channels - 1) {
      free_at_[static_cast<std::size_t>(std::countr_zero(channels))] = until;
    }
  }

  std::array<std::int64_t, 32> free_at_{};
  std::vector<Waiter> waiters_;  ///< in the order in which they asked
};

}  // namespace spillway::detail
