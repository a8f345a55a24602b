// What the actors of the timing core share during one run.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/hw/target.h"
#include "model/hw/timing/detail/channels.h"
#include "model/hw/timing/detail/wake_times.h"
#include "model/hw/timing/effects.h"
#include "model/hw/timing/hw_program.h"
#include "model/hw/timing/run_result.h"

namespace spillway::detail {

/// Actors by rank: the streams (compute engines, then queues), then the DMA engines.
inline constexpr int kMaxActors = kMaxStreams + kMaxDmaEngines;
constexpr ActorSet ActorBit(int rank) { return ActorSet{1} << rank; }

/// Semaphores, wake-ups and the times of instances. An instance's end is known before it comes
/// (an engine's when it starts, a transfer's when its last descriptors are settled), so whoever
/// waits for it can be told the time.
class CoreState {
 public:
  const HwProgram* program = nullptr;
  Effects* effects = nullptr;  ///< absent: timing only, and nothing needs to happen at its time
  MachineMemory* memory = nullptr;
  RunResult* result = nullptr;
  int dma_queues = 0;
  int dma_engines = 0;
  std::int64_t dma_start_latency = 1;
  std::int64_t dma_issue_floor = 0;
  int dma_generators = 0;
  std::int64_t pe_ramp = 0;
  std::int64_t pe_cold_percent = 100;
  Channels channels;
  ActorSet asked = 0;  ///< actors that must look again at this instant
  WakeTimes<kMaxActors> wakes;

  void Reset(const HwProgram& played, const Target& target, Effects* run_effects,
             MachineMemory& run_memory, RunResult& run_result);

  void SetWake(int rank, std::int64_t time) {
    if (wakes.Of(rank) != time) wakes.Set(rank, time);
  }

  InstanceTimes& times(InstanceId id) { return result->times[id.value]; }

  /// When `wait` holds or will hold; kNever if that isn't known yet: then `stream` is asked again
  /// once it is. A stream waits for one thing at a time. `producer` is the program's for that wait.
  std::int64_t TimeOf(const SemaphoreWait& wait, InstanceId producer, int stream) {
    const bool whole = producer != kNoInstance &&
                       (wait.semaphore.value < kComputeStreams || wait.at_least == dma_engines);
    const std::int64_t time = whole ? visible_at_[producer.value] : KnownTime(wait);
    if (time == kNever) Register(wait, stream);
    return time;
  }
  /// What the semaphore shows at `now`.
  std::int64_t VisibleAt(SemaphoreId semaphore, std::int64_t now) const;

  /// Instance `id`, the `position`-th of its engine from 1, ends at `finish`.
  void SettleCompute(InstanceId id, std::int64_t position, std::int64_t finish);
  /// `engines` DMA engines end their shares of transfer `id` at `finish`. True if they were the
  /// last: the transfer's times are final then.
  bool SettleShare(InstanceId id, int engines, std::int64_t finish);

  /// Instances whose end is known.
  std::size_t settled() const { return settled_; }
  bool IsSettled(InstanceId id) const { return visible_at_[id.value] != kNever; }

  void Start(InstanceId id) {
    if (effects != nullptr) effects->Start(id, *memory);
  }
  void Finish(InstanceId id) {
    if (effects != nullptr) effects->Finish(id, *memory);
  }

 private:
  static constexpr std::int8_t kNobody = -1;
  struct Increment {
    std::int64_t time = 0;
    std::int64_t count = 0;
  };

  std::int64_t KnownTime(const SemaphoreWait& wait) const;
  void Register(const SemaphoreWait& wait, int stream);
  void Wake(SemaphoreId semaphore, std::int64_t value);
  void Count(std::int64_t finish) {
    ++settled_;
    result->makespan = std::max(result->makespan, Picoseconds(finish));
  }

  std::int64_t semaphore_latency_ = 1;
  std::size_t settled_ = 0;
  std::vector<std::int64_t> visible_at_;   ///< per instance, of its whole end; kNever: not settled
  std::vector<std::int8_t> first_waiter_;  ///< per semaphore, then linked through the streams
  std::array<std::int8_t, kMaxStreams> next_waiter_{};
  std::array<std::int64_t, kMaxStreams> wanted_{};
  ActorSet waiting_ = 0;
  std::vector<std::uint8_t> engines_done_;  ///< per transfer: DMA engines that are settled
  bool partial_waits_ = false;              ///< some wait is for fewer increments than engines
  std::vector<std::vector<Increment>> increments_;  ///< per transfer; only with partial waits
};

}  // namespace spillway::detail
