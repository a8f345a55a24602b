// SystemC's side of an instant: whichever process comes first plays it for all.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <exception>

#include <systemc>

#include "model/hw/timing/timing_core.h"

namespace spillway::detail {

class Instant;

/// A compute engine, a DMA queue or a DMA engine: a timer whose expiry calls the core's rules.
class ActorModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(ActorModule);
  ActorModule(const sc_core::sc_module_name& name, Instant& instant, int rank)
      : sc_module(name), instant_(instant), rank_(rank) {
    SC_METHOD(OnTimer);
    sensitive << timer_;
    dont_initialize();
  }

  /// Wakes this actor at `time` of the run, `now` being its present. A timer that would wake it
  /// earlier stays and is set anew then: moving it would cost SystemC more.
  void WakeAt(std::int64_t time, std::int64_t now) {
    if (time >= expiry_) return;
    expiry_ = time;
    timer_.notify(
        sc_core::sc_time::from_value(static_cast<sc_core::sc_time::value_type>(time - now)));
  }
  void Cancel() {
    if (expiry_ == TimingCore::kNever) return;
    timer_.cancel();
    expiry_ = TimingCore::kNever;
  }

 private:
  void OnTimer();

  Instant& instant_;
  int rank_;
  sc_core::sc_event timer_;
  std::int64_t expiry_ = TimingCore::kNever;  ///< when the timer wakes this actor
};

/// Plays instants. SystemC runs the processes of an instant in any order; the first one plays it
/// for every actor that is due by the core's account, so the order doesn't matter, and the others
/// find nothing left to do.
class Instant {
 public:
  explicit Instant(TimingCore& core) : core_(core) {}

  void Register(int rank, ActorModule* actor) { actors_[static_cast<std::size_t>(rank)] = actor; }

  /// Starts a run at the current simulated time with the actors that act at once.
  void Begin(TimingCore::ActorSet first) {
    origin_ = sc_core::sc_time_stamp().value();
    failure_ = nullptr;
    Play(first, 0);
  }

  /// Ends a run: nothing of it may reach the next one.
  void End() {
    for (ActorModule* actor : actors_) actor->Cancel();
  }

  std::int64_t now() const {
    return static_cast<std::int64_t>(sc_core::sc_time_stamp().value() - origin_);
  }

  /// The timer of `rank` has expired. A run that was cut off may leave processes that SystemC runs
  /// at the start of the next one; the core knows that they aren't due.
  void OnTimer(int rank) {
    const std::int64_t time = now();
    const std::int64_t wake = core_.wake(rank);
    if (wake == time) {
      Play(core_.DueAt(time), time);
    } else if (wake > time && wake != TimingCore::kNever) {
      actors_[static_cast<std::size_t>(rank)]->WakeAt(wake, time);
    }
  }

  /// What an effect threw; the run is then over.
  const std::exception_ptr& failure() const { return failure_; }

 private:
  // An exception must not leave a process: it would end SystemC's kernel for good.
  void Play(TimingCore::ActorSet due, std::int64_t time) {
    if (failure_) return;
    try {
      core_.Play(due, time);
    } catch (...) {
      failure_ = std::current_exception();
      return;
    }
    for (TimingCore::ActorSet left = core_.TakeRearmed(); left != 0; left &= left - 1) {
      const int rank = std::countr_zero(left);
      actors_[static_cast<std::size_t>(rank)]->WakeAt(core_.wake(rank), time);
    }
  }

  TimingCore& core_;
  std::array<ActorModule*, TimingCore::kActors> actors_{};
  sc_core::sc_time::value_type origin_ = 0;
  std::exception_ptr failure_;
};

inline void ActorModule::OnTimer() {
  expiry_ = TimingCore::kNever;
  instant_.OnTimer(rank_);
}

}  // namespace spillway::detail
