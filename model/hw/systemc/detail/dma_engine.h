// One of the DMA engines: serves the descriptors of all queues in turn.
#pragma once

#include <array>
#include <deque>

#include "model/hw/systemc/detail/instant.h"
#include "model/hw/systemc/detail/run_state.h"

namespace spillway::detail {

/// Round robin over the queues at descriptor boundaries; in order within a queue.
/// Source: isa_costs §1.1 (arbitration, order inside one queue).
class DmaEngine : public TimedAgent {
 public:
  DmaEngine(const sc_core::sc_module_name& name, Instant& instant, RunState& run)
      : TimedAgent(name, instant), run_(run) {}

  void Reset();
  /// `descriptors` of transfer `id` arrive; call it in a commit.
  void Enqueue(int queue, InstanceId id, std::int64_t descriptors);
  void Commit(std::int64_t now) override;
  void Begin(std::int64_t now) override;

 private:
  struct Share {
    InstanceId id;
    std::int64_t left = 0;
    std::int64_t time_each = 0;
  };

  void Settle(std::int64_t served, std::int64_t now);
  bool OthersWait() const { return (waiting_ & ~(1U << current_)) != 0; }
  int NextQueue() const;

  RunState& run_;
  std::array<std::deque<Share>, kMaxDmaQueues> queues_;
  std::uint32_t waiting_ = 0;  ///< queues that have shares, as bits
  int current_ = 0;            ///< queue served last, or now
  std::int64_t batch_ = 0;     ///< descriptors being served without a pause; 0: idle
  std::int64_t batch_begin_ = 0;
  std::int64_t batch_end_ = 0;
};

}  // namespace spillway::detail
