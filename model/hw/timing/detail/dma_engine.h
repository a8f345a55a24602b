// A DMA engine: one packet of a descriptor at a time, from the queues in turn.
#pragma once

#include <array>
#include <cstdint>

#include "model/hw/timing/detail/core_state.h"
#include "model/hw/timing/detail/fifo.h"

namespace spillway::detail {

/// Stands for `weight` engines that every transfer of the program treats alike.
///
/// Nothing can arrive sooner than the start latency from now, so what happens until then is
/// settled now; the wake-up is for the moment from which the next end can be settled. With effects
/// it is also for every start and end itself.
class DmaEngine {
 public:
  void Reset(CoreState& state, int rank, int weight);
  void Enqueue(int queue, InstanceId id, std::int64_t descriptors, std::int64_t arrival);
  /// What ends at `now`: bytes land.
  void Commit(std::int64_t now);
  /// Samples what starts at `now`, settles what can be, and sets the wake-up.
  void Begin(std::int64_t now);

 private:
  struct Share {
    InstanceId id;
    std::int64_t left = 0;  ///< packets
    std::int64_t arrival = 0;
    std::int64_t time = 0;     ///< of a packet on the engine
    std::int64_t latency = 0;  ///< of a packet in its queue
    bool started = false;
  };
  struct Pending {
    std::int64_t time = 0;
    InstanceId id;
  };
  /// Where the engine stands: enough to look ahead on a copy.
  struct Clock {
    std::int64_t free_at = 0;  ///< the engine's
    int current = 0;           ///< the queue that was served last
    std::array<std::int64_t, kMaxDmaQueues> queue_free_at{};
  };
  struct Next {
    int queue = 0;
    std::int64_t start = 0;
  };

  Share& Head(int queue) { return queues_[static_cast<std::size_t>(queue)].front(); }
  const Share& Head(int queue) const { return queues_[static_cast<std::size_t>(queue)].front(); }
  Next NextDescriptor(const Clock& clock, std::uint32_t waiting) const;
  void Serve(Next next, std::int64_t count);
  void SettleUntil(std::int64_t horizon);
  std::int64_t NextToSettle() const;

  CoreState* state_ = nullptr;
  int rank_ = 0;
  int weight_ = 1;
  std::array<Fifo<Share>, kMaxDmaQueues> queues_;
  std::uint32_t waiting_ = 0;  ///< queues with shares, as a bit set
  Clock clock_;
  Fifo<Pending> starts_;  ///< with effects: in order of time
  Fifo<Pending> ends_;
};

}  // namespace spillway::detail
