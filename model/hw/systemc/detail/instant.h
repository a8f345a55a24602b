// The order of what happens at one instant, whatever order SystemC runs processes in.
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

  /// Moves the wake-up to `delay` picoseconds from now.
  void WakeIn(std::int64_t delay) {
    timer_.cancel();
    timer_.notify(sc_core::sc_time::from_value(static_cast<sc_core::sc_time::value_type>(delay)));
  }
  void Sleep() { timer_.cancel(); }

 private:
  void OnTimer();

  Instant& instant_;
  int rank_;
  sc_core::sc_event timer_;
};

/// Collects the actors whose timers expire at an instant, in whatever order SystemC runs them, and
/// plays them one delta later, all at once and by rank.
class Instant : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Instant);
  Instant(const sc_core::sc_module_name& name, TimingCore& core) : sc_module(name), core_(core) {
    SC_METHOD(Play);
    sensitive << play_;
    dont_initialize();
  }

  void Register(int rank, ActorModule* actor) { actors_[static_cast<std::size_t>(rank)] = actor; }

  void MarkDue(TimingCore::ActorSet actors) {
    if (due_ == 0) play_.notify(sc_core::SC_ZERO_TIME);
    due_ |= actors;
  }

  /// A run that was cut off may leave processes that SystemC runs at the start of the next one:
  /// their wake-ups aren't this run's.
  void OnTimer(int rank) {
    if (core_.wake(rank) == now()) MarkDue(TimingCore::ActorSet{1} << rank);
  }

  /// Starts a run at the current simulated time.
  void Reset() {
    play_.cancel();
    due_ = 0;
    origin_ = sc_core::sc_time_stamp().value();
    failure_ = nullptr;
    for (ActorModule* actor : actors_) actor->Sleep();
  }

  /// What an effect threw; the run is then over.
  const std::exception_ptr& failure() const { return failure_; }

 private:
  std::int64_t now() const {
    return static_cast<std::int64_t>(sc_core::sc_time_stamp().value() - origin_);
  }

  // An exception must not leave a process: it would end SystemC's kernel for good.
  void Play() {
    const TimingCore::ActorSet due = due_;
    due_ = 0;
    if (failure_) return;
    try {
      core_.Play(due, now());
    } catch (...) {
      failure_ = std::current_exception();
    }
    for (TimingCore::ActorSet left = core_.TakeRearmed(); left != 0; left &= left - 1) {
      const int rank = std::countr_zero(left);
      ActorModule& actor = *actors_[static_cast<std::size_t>(rank)];
      const std::int64_t wake = core_.wake(rank);
      if (wake == TimingCore::kNever) {
        actor.Sleep();
      } else {
        actor.WakeIn(wake - now());
      }
    }
  }

  TimingCore& core_;
  sc_core::sc_event play_;
  std::array<ActorModule*, TimingCore::kActors> actors_{};
  TimingCore::ActorSet due_ = 0;
  sc_core::sc_time::value_type origin_ = 0;
  std::exception_ptr failure_;
};

inline void ActorModule::OnTimer() { instant_.OnTimer(rank_); }

}  // namespace spillway::detail
