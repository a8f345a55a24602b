// The in-order head of a stream: which instance is next and when it may start.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "model/hw/timing/detail/core_state.h"

namespace spillway::detail {

class StreamHead {
 public:
  void Reset(StreamId stream, std::span<const InstanceId> instances) {
    stream_ = stream;
    instances_ = instances;
    next_ = 0;
    wait_ = 0;
    ready_ = 0;
  }
  bool done() const { return next_ == instances_.size(); }
  InstanceId instance() const { return instances_[next_]; }
  /// The head's place in its stream, from 1.
  std::int64_t position() const { return static_cast<std::int64_t>(next_) + 1; }
  std::size_t left() const { return instances_.size() - next_; }
  void Advance(CoreState& state) {
    ++next_;
    wait_ = 0;
    ready_ = 0;
    // A stream's instances are spread over more memory than the caches hold; what the next ones
    // need is asked for while other streams are at work: a quarter more instances a second.
    if (next_ + 2 >= instances_.size()) return;
    __builtin_prefetch(&state.program->instance(instances_[next_ + 2]));
    const InstanceId soon = instances_[next_ + 1];
    __builtin_prefetch(state.program->WaitsOf(soon).data());
    __builtin_prefetch(state.program->ProducersOf(soon).data());
    __builtin_prefetch(&state.times(soon), 1);
  }

  /// When all waits of the head hold, which may be past; kNever if that isn't known yet.
  std::int64_t ReadyTime(CoreState& state) {
    const std::span<const SemaphoreWait> waits = state.program->WaitsOf(instance());
    const std::span<const InstanceId> producers = state.program->ProducersOf(instance());
    for (; wait_ < waits.size(); ++wait_) {
      const std::int64_t time = state.TimeOf(waits[wait_], producers[wait_], stream_.value);
      if (time == kNever) return kNever;
      ready_ = std::max(ready_, time);
    }
    return ready_;
  }
  /// The first wait that isn't known to hold. Only after ReadyTime gave kNever.
  SemaphoreWait unmet(const CoreState& state) const {
    const std::span<const SemaphoreWait> waits = state.program->WaitsOf(instance());
    return wait_ < waits.size() ? waits[wait_] : SemaphoreWait{};
  }

 private:
  StreamId stream_;
  std::span<const InstanceId> instances_;
  std::size_t next_ = 0;
  std::size_t wait_ = 0;  ///< the head's waits before this one are known
  std::int64_t ready_ = 0;
};

}  // namespace spillway::detail
