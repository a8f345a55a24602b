// Counting semaphores whose increments become visible a fixed time later.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "model/hw/timing/hw_program.h"

namespace spillway::detail {

/// All increments take the same time to become visible, so they become so in the order in which
/// they were made: one queue holds them all.
class Semaphores {
 public:
  static constexpr std::int64_t kNever = -1;

  void Reset(std::size_t count, std::int64_t latency) {
    visible_.assign(count, 0);
    issued_.assign(count, 0);
    first_waiter_.assign(count, kNobody);
    next_waiter_.fill(kNobody);
    waiting_.fill(false);
    pending_.clear();
    latency_ = latency;
  }

  std::int64_t visible(SemaphoreId s) const { return visible_[s.value]; }
  std::int64_t latency() const { return latency_; }

  /// Adds one at `now`. Returns the streams that waited for the value that is now on its way, as a
  /// bit set; they see it at now + latency().
  std::uint64_t Increment(SemaphoreId s, std::int64_t now) {
    MakeVisible(now);
    const std::int64_t value = ++issued_[s.value];
    pending_.push_back({now + latency_, s.value});
    std::uint64_t woken = 0;
    for (std::int8_t* link = &first_waiter_[s.value]; *link != kNobody;) {
      const auto stream = static_cast<std::size_t>(*link);
      if (wanted_[stream] > value) {
        link = &next_waiter_[stream];
        continue;
      }
      woken |= std::uint64_t{1} << stream;
      waiting_[stream] = false;
      *link = next_waiter_[stream];
    }
    return woken;
  }

  /// When `wait` holds or held: a time <= `now` if it does already, a later one if the increments
  /// are on their way, kNever if they aren't; then `stream` is among the waiters. A stream waits
  /// for one thing at a time.
  std::int64_t TimeOf(const SemaphoreWait& wait, std::int64_t now, int stream) {
    MakeVisible(now);
    const std::size_t s = wait.semaphore.value;
    if (visible_[s] >= wait.at_least) return now;
    if (issued_[s] >= wait.at_least) {
      std::int64_t missing = wait.at_least - visible_[s];
      for (const Pending& pending : pending_) {
        if (pending.semaphore == s && --missing == 0) return pending.time;
      }
    }
    const auto waiter = static_cast<std::size_t>(stream);
    if (waiting_[waiter]) return kNever;
    waiting_[waiter] = true;
    wanted_[waiter] = wait.at_least;
    next_waiter_[waiter] = first_waiter_[s];
    first_waiter_[s] = static_cast<std::int8_t>(stream);
    return kNever;
  }

 private:
  static constexpr std::int8_t kNobody = -1;
  struct Pending {
    std::int64_t time = 0;
    std::uint32_t semaphore = 0;
  };

  void MakeVisible(std::int64_t now) {
    while (!pending_.empty() && pending_.front().time <= now) {
      ++visible_[pending_.front().semaphore];
      pending_.pop_front();
    }
  }

  std::vector<std::int64_t> visible_;
  std::vector<std::int64_t> issued_;
  std::vector<std::int8_t> first_waiter_;
  std::array<std::int8_t, kMaxStreams> next_waiter_{};
  std::array<std::int64_t, kMaxStreams> wanted_{};
  std::array<bool, kMaxStreams> waiting_{};
  std::deque<Pending> pending_;
  std::int64_t latency_ = 1;
};

}  // namespace spillway::detail
