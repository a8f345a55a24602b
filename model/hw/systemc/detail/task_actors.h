// The actors of a task as SystemC processes: its stream, its transfers, its matrix unit.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "model/hw/systemc/detail/task_play.h"

namespace spillway::detail {

/// Transfers of one task. Each runs by itself, so that they end in any order.
class TransferProcess final : public TaskProcess {
 public:
  using TaskProcess::TaskProcess;
  void Arm(TaskPlay& play, TaskStreamId stream);
  void Start(std::uint32_t step);
  void Release() override;

 private:
  struct Flight {
    std::uint32_t step = 0;
    std::uint32_t packets_come = 0;
    std::int64_t start = 0;
    std::int64_t latency = 0;
  };

  void Play(std::int64_t now) override;
  /// Schedules the flight's next packet; the last one may be held back.
  void Next(Flight flight);
  void Land(Flight& flight);

  std::multimap<std::int64_t, Flight> flights_;  ///< by the time of the next packet
  std::deque<Flight> held_;
};

/// Matrix work of one task: one after the other, in the order of issue.
class MatrixProcess final : public TaskProcess {
 public:
  using TaskProcess::TaskProcess;
  void Arm(TaskPlay& play, TaskStreamId stream);
  void Start(std::uint32_t step);
  /// The arrival is made when all work issued so far has retired.
  void ArriveBehind(const StreamArrival& arrival, std::uint32_t step);
  void Release() override;

 private:
  struct Fence {
    std::int64_t behind = 0;
    const StreamArrival* arrival = nullptr;
    std::uint32_t step = 0;
  };

  void Play(std::int64_t now) override;
  void Next();

  std::deque<std::uint32_t> queue_;  ///< steps; the front runs
  std::deque<Fence> fences_;
  std::int64_t issued_ = 0;
  std::int64_t retired_ = 0;
};

/// The steps of one task, in order.
class StreamProcess final : public TaskProcess {
 public:
  StreamProcess(const sc_core::sc_module_name& name, TransferProcess& transfers,
                MatrixProcess& matrix);
  void Arm(TaskPlay& play, TaskStreamId stream);
  void Release() override;

  TaskStreamId stream() const { return stream_; }
  std::uint32_t steps_begun() const { return cursor_; }

 private:
  void Play(std::int64_t now) override;
  void Execute(const StreamStep& step, std::int64_t now);
  /// Whether all conditions hold; else the stream waits for the first that doesn't.
  bool Pass(const StreamStep& step);

  TransferProcess& transfers_;
  MatrixProcess& matrix_;
  std::uint32_t cursor_ = 0;
  bool working_ = false;
};

}  // namespace spillway::detail
