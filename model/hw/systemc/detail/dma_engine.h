// One of the DMA engines: serves the descriptors of all queues in turn.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "model/hw/systemc/detail/instant.h"
#include "model/hw/systemc/detail/run_state.h"

namespace spillway::detail {

/// Round robin over the queues at descriptor boundaries; in order within a queue.
/// Most boundaries are invisible from outside: no transfer starts there and no share ends. The
/// engine only wakes for the visible ones and catches up with the others when it is looked at.
/// Source: isa_costs §1.1 (arbitration, order inside one queue).
class DmaEngine : public TimedActor {
 public:
  DmaEngine(const sc_core::sc_module_name& name, Instant& instant, RunState& run)
      : TimedActor(name, instant), run_(run) {}

  void Reset();
  /// `descriptors` of transfer `id` arrive; call it in a commit.
  void Enqueue(int queue, InstanceId id, std::int64_t descriptors, std::int64_t now);
  void Commit(std::int64_t now) override;
  void Begin(std::int64_t now) override;

 private:
  struct Share {
    InstanceId id;
    std::int64_t left = 0;
    std::int64_t time_each = 0;
  };

  Share& Head(int queue) { return queues_[static_cast<std::size_t>(queue)].front(); }
  const Share& Head(int queue) const { return queues_[static_cast<std::size_t>(queue)].front(); }
  bool Started(const Share& share) const;
  int QueueAfter(int queue) const;
  void Serve(int queue, std::int64_t begin);
  void EndDescriptor(std::int64_t now);
  void CatchUp(std::int64_t now);
  std::int64_t NextVisible() const;

  RunState& run_;
  std::array<std::deque<Share>, kMaxDmaQueues> queues_;
  std::uint32_t waiting_ = 0;  ///< queues that have shares, as bits
  int current_ = 0;            ///< queue served last, or now
  bool busy_ = false;
  std::int64_t end_ = 0;  ///< of the descriptor being served
};

}  // namespace spillway::detail
