// What the modules of the machine share during one run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/hw/systemc/detail/semaphores.h"
#include "model/hw/target.h"
#include "model/hw/timing/effects.h"
#include "model/hw/timing/hw_program.h"
#include "model/hw/timing/run_result.h"

namespace spillway::detail {

class TimedActor;

struct RunState {
  const HwProgram* program = nullptr;
  Effects* effects = nullptr;
  MachineMemory* memory = nullptr;
  RunResult* result = nullptr;
  int dma_queues = 0;
  int dma_engines = 0;
  std::int64_t dma_start_latency = 1;
  std::int64_t dma_issue_floor = 0;
  Semaphores semaphores;
  std::array<TimedActor*, kMaxStreams> streams{};
  std::vector<std::uint8_t> engines_done;  ///< per transfer: DMA engines that finished their share

  /// Counts `semaphore` up and sets the alarm of every stream that waited for it.
  void Signal(SemaphoreId semaphore, std::int64_t now);
  void Start(InstanceId id, std::int64_t now);
  void Finish(InstanceId id, std::int64_t now);
  /// A DMA engine has done its share of transfer `id`; the last one lands the bytes.
  void FinishShare(InstanceId id, std::int64_t now);
};

/// The in-order head of a stream: which instance is next and what it waits for.
class StreamHead {
 public:
  void Reset(StreamId stream, std::span<const InstanceId> instances);
  bool done() const { return next_ == instances_.size(); }
  InstanceId instance() const { return instances_[next_]; }
  std::size_t left() const { return instances_.size() - next_; }
  void Advance() {
    ++next_;
    wait_ = 0;
  }
  /// A time as `Semaphores::TimeOf` gives it, over all waits of the head instance.
  std::int64_t ReadyTime(RunState& run, std::int64_t now);
  /// The head's unmet wait. Only after ReadyTime gave kNever.
  SemaphoreWait unmet(const RunState& run) const;

 private:
  StreamId stream_;
  std::span<const InstanceId> instances_;
  std::size_t next_ = 0;
  std::size_t wait_ = 0;  ///< the head's waits before this one are met
};

}  // namespace spillway::detail
