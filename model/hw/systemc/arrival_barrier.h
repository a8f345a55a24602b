// A barrier that counts arrivals and bytes, as task pipelines use for a stage that is full or
// empty.
#pragma once

#include <cstdint>
#include <vector>

#include "model/hw/units.h"

namespace spillway {

/// What a barrier shows from outside.
struct BarrierState {
  std::int64_t generation = 0;         ///< phases that are over
  bool parity = false;                 ///< of the phase that is running
  std::vector<std::uint32_t> lacking;  ///< contributors whose arrival the phase lacks, ascending
  Bytes pending_bytes;                 ///< that transfers announced to the phase and didn't bring
  friend bool operator==(const BarrierState&, const BarrierState&) = default;
};

/// Phases that follow each other. A phase is over when every contributor has arrived at it and the
/// bytes that transfers announced to it have come; then the parity flips and all are awaited anew.
///
/// Each contributor has arrivals of its own, never a sum: with several stages a fast one would
/// otherwise stand in for a slow one. An arrival names its phase, so that one which comes early
/// waits for the phases before it.
/// Source: ts_pipelines.md §7 (mbarrier, fills and drains).
class ArrivalBarrier {
 public:
  /// Without contributors no phase is ever over.
  explicit ArrivalBarrier(std::uint32_t contributors);

  /// The contributor's arrival at that phase; with `bytes` it is complete when they have come.
  /// Returns whether a phase is over now.
  /// Throws ContractViolation where it has arrived there before, or the phase is over.
  bool Arrive(std::uint32_t contributor, std::int64_t generation, Bytes bytes = Bytes(0));
  /// Bytes of the contributor's transfer have come; whether a phase is over now.
  /// Throws ContractViolation where more come than were announced.
  bool CompleteBytes(std::uint32_t contributor, std::int64_t generation, Bytes bytes);

  /// Whether that phase is over, as a waiter sees it: from the parity, which tells neighbouring
  /// phases apart; for a waiter that lags (`IsSkewed`), from the count of phases.
  bool IsOver(std::int64_t generation) const;
  /// Whether a waiter for that phase lags two phases or more: the parity alone would mislead it.
  bool IsSkewed(std::int64_t generation) const { return generation_ - generation >= 2; }

  /// Whether the contributor's part of that phase is complete.
  bool HasArrived(std::uint32_t contributor, std::int64_t generation) const;

  BarrierState State() const;

 private:
  struct Contribution {
    bool arrived = false;
    Bytes pending;
  };
  using Phase = std::vector<Contribution>;

  Contribution& Of(std::uint32_t contributor, std::int64_t generation);
  bool Advance();

  std::uint32_t contributors_;
  std::int64_t generation_ = 0;
  bool parity_ = false;
  std::vector<Phase> phases_;  ///< the running one, then those that somebody reached early
};

}  // namespace spillway
