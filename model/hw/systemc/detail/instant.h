// The order of what happens at one instant, whatever order SystemC runs processes in.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include <systemc>

namespace spillway::detail {

/// Something with a timer: a compute engine, a DMA queue, a DMA engine.
class Actor {
 public:
  virtual ~Actor() = default;
  /// What ends at this instant: bytes land, semaphores count, transfers arrive.
  virtual void Commit(std::int64_t now) = 0;
  /// What begins at this instant, once everything that ends has ended.
  virtual void Begin(std::int64_t now) = 0;
};

/// Three deltas an instant: timers expire (in any order) and ask for a commit; all commits run in
/// the order of the actors' ranks; then all begins, in that order too. So what an instance reads
/// and whom an arbiter picks never depends on the order of SystemC's processes.
class Instant : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Instant);
  explicit Instant(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_METHOD(RunCommits);
    sensitive << commit_;
    dont_initialize();
    SC_METHOD(RunBegins);
    sensitive << begin_;
    dont_initialize();
  }

  /// Ranks are given in the order of the calls; at most 64.
  int Register(Actor* actor) {
    actors_.push_back(actor);
    return static_cast<int>(actors_.size()) - 1;
  }

  void RequestCommit(int rank) {
    if (commits_ == 0) commit_.notify(sc_core::SC_ZERO_TIME);
    commits_ |= std::uint64_t{1} << rank;
  }

  void RequestBegin(int rank) {
    if (begins_ == 0) begin_.notify(sc_core::SC_ZERO_TIME);
    begins_ |= std::uint64_t{1} << rank;
  }

  /// Starts a run at the current simulated time.
  void Reset() {
    commit_.cancel();
    begin_.cancel();
    commits_ = begins_ = 0;
    origin_ = sc_core::sc_time_stamp().value();
    failure_ = nullptr;
  }

  std::int64_t now() const {
    return static_cast<std::int64_t>(sc_core::sc_time_stamp().value() - origin_);
  }
  /// What an effect threw; the run is then over.
  const std::exception_ptr& failure() const { return failure_; }

 private:
  void RunCommits() { RunAll(commits_, &Actor::Commit); }
  void RunBegins() { RunAll(begins_, &Actor::Begin); }

  // An exception must not leave a process: it would end SystemC's kernel for good.
  void RunAll(std::uint64_t& requests, void (Actor::*phase)(std::int64_t)) {
    std::uint64_t todo = requests;
    requests = 0;
    if (failure_) return;
    try {
      for (; todo != 0; todo &= todo - 1) {
        (actors_[static_cast<std::size_t>(__builtin_ctzll(todo))]->*phase)(now());
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  sc_core::sc_event commit_;
  sc_core::sc_event begin_;
  std::vector<Actor*> actors_;
  std::uint64_t commits_ = 0;
  std::uint64_t begins_ = 0;
  sc_core::sc_time::value_type origin_ = 0;
  std::exception_ptr failure_;
};

/// A module with one timer whose expiry asks for a commit.
class TimedActor : public sc_core::sc_module, public Actor {
 public:
  SC_HAS_PROCESS(TimedActor);
  TimedActor(const sc_core::sc_module_name& name, Instant& instant)
      : sc_module(name), instant_(instant), rank_(instant.Register(this)) {
    SC_METHOD(OnTimer);
    sensitive << timer_;
    dont_initialize();
  }

  void RequestBegin() { instant_.RequestBegin(rank_); }
  /// Wakes this actor `delay` picoseconds from now; an earlier wake-up that is set stays.
  void WakeIn(std::int64_t delay) {
    timer_.notify(sc_core::sc_time::from_value(static_cast<sc_core::sc_time::value_type>(delay)));
  }

 protected:
  void CancelTimer() { timer_.cancel(); }

 private:
  void OnTimer() { instant_.RequestCommit(rank_); }

  Instant& instant_;
  int rank_;
  sc_core::sc_event timer_;
};

}  // namespace spillway::detail
