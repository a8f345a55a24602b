// What surely ends before what starts when the machine plays a program, at all timings.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/hw/target.h"
#include "model/hw/timing/hw_program.h"

namespace spillway::check {

/// The order that a program's streams and semaphores give, whatever its instructions take.
///
/// - A compute stream starts its instances in order and ends them in order. The next one starts
///   behind an end only where the instance holds its engine until it ends (its interval is its
///   latency); else results are on their way meanwhile.
/// - A queue issues its transfers in order; they start and end in any.
/// - What waits for n ends of a compute stream starts behind the n-th; what waits for all
///   increments of a transfer, one by every DMA engine, starts behind its end. Fewer increments
///   order nothing.
///
/// One vector clock an instance: how many instances of each stream have started and how many of
/// each compute stream have ended when it starts. A transfer has ended where somebody who waited
/// for it has started. Exact: what isn't ordered here can happen in either order.
/// Source: isa_costs §2 (semaphores), house.md (ordering contract).
class HappensBefore {
 public:
  /// `program` must outlive this.
  HappensBefore(const HwProgram& program, const Target& target);

  /// Whether `a` has ended whenever `b` starts.
  bool EndsBefore(InstanceId a, InstanceId b) const;
  /// Whether `a` comes before `b` in one compute stream.
  bool InOneStream(InstanceId a, InstanceId b) const;

  /// A stream whose next instance waits for what never happens.
  struct Stuck {
    InstanceId instance;
    SemaphoreWait wait;
  };
  /// Empty: every instance happens.
  const std::vector<Stuck>& stuck() const { return stuck_; }
  bool Happens(InstanceId id) const { return played_[id.value]; }

  /// What `b` knows of `a`'s stream when it starts, for a person.
  std::string Knows(InstanceId b, InstanceId a) const;

 private:
  struct Clock {
    std::array<std::uint32_t, kMaxStreams> started{};
    std::array<std::uint32_t, kComputeStreams> ended{};
    void Join(const Clock& other);
  };
  /// Position `first` of `stream` is the first there that waited for the transfer.
  struct Waiter {
    int stream = 0;
    std::uint32_t first = 0;
  };

  void Play();
  bool Advance(int stream);
  bool Met(const SemaphoreWait& wait) const;
  void Start(InstanceId id);
  void Learn(const SemaphoreWait& wait, Clock& clock, InstanceId id);
  const HwInstance& instance(InstanceId id) const { return program_.instance(id); }

  const HwProgram& program_;
  std::int64_t increments_;
  std::vector<std::uint32_t> position_;  ///< of each instance in its stream
  std::vector<bool> played_;
  std::vector<Clock> at_start_;
  std::array<Clock, kMaxStreams> now_{};           ///< of each stream's latest instance
  std::array<std::uint32_t, kMaxStreams> next_{};  ///< position to play next
  std::vector<std::vector<Waiter>> waiters_;       ///< by transfer
  std::vector<Stuck> stuck_;
};

}  // namespace spillway::check
