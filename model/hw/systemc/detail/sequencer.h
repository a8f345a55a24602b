// SystemC's process: it keeps simulated time and calls the rules at every instant.
#pragma once

#include <cstdint>
#include <exception>

#include <systemc>

#include "model/hw/timing/timing_core.h"

namespace spillway::detail {

/// The core's five engines, 16 queues and 16 DMA engines behind one timer. A module and a process
/// for each of them play the same times; with them, programs of 200 instances run at three quarters
/// of the speed, since SystemC then keeps 37 timers in order, for which the core has a better way.
/// One process also leaves no order of processes that anything could depend on.
class Sequencer : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Sequencer);
  Sequencer(const sc_core::sc_module_name& name, TimingCore& core) : sc_module(name), core_(core) {
    SC_METHOD(OnTimer);
    sensitive << timer_;
    dont_initialize();
  }

  /// Starts a run at the current simulated time.
  void Begin() {
    origin_ = sc_core::sc_time_stamp().value();
    failure_ = nullptr;
    Play(0, &TimingCore::PlayFirst);
  }

  /// Ends a run: nothing of it may reach the next one.
  void End() {
    timer_.cancel();
    next_ = TimingCore::kNever;
  }

  /// What an effect threw; the run is then over.
  const std::exception_ptr& failure() const { return failure_; }

 private:
  // A run that was cut off may leave this process to SystemC, which runs it at the start of the
  // next one, before its instant.
  void OnTimer() {
    const auto now = static_cast<std::int64_t>(sc_core::sc_time_stamp().value() - origin_);
    if (now == next_) Play(now, &TimingCore::PlayNext);
  }

  // An exception must not leave a process: it would end SystemC's kernel for good.
  void Play(std::int64_t now, std::int64_t (TimingCore::*play)()) {
    try {
      next_ = (core_.*play)();
    } catch (...) {
      failure_ = std::current_exception();
      return;
    }
    if (next_ == TimingCore::kNever) return;
    timer_.notify(
        sc_core::sc_time::from_value(static_cast<sc_core::sc_time::value_type>(next_ - now)));
  }

  TimingCore& core_;
  sc_core::sc_event timer_;
  std::int64_t next_ = TimingCore::kNever;  ///< the instant to play next
  sc_core::sc_time::value_type origin_ = 0;
  std::exception_ptr failure_;
};

}  // namespace spillway::detail
