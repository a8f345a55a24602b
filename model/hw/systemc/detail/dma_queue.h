// One DMA queue: triggers its transfers in order once their semaphores allow.
#pragma once

#include <array>
#include <deque>

#include "model/hw/systemc/detail/dma_engine.h"
#include "model/hw/systemc/detail/instant.h"
#include "model/hw/systemc/detail/run_state.h"

namespace spillway::detail {

using DmaEngines = std::array<std::unique_ptr<DmaEngine>, kMaxDmaEngines>;

/// A trigger takes the start latency to reach the engines, and the next one may follow after the
/// issue floor: transfers of one queue overlap in flight. Source: isa_costs §3.4.
class DmaQueue : public TimedActor {
 public:
  DmaQueue(const sc_core::sc_module_name& name, Instant& instant, RunState& run, int queue,
           DmaEngines& engines)
      : TimedActor(name, instant), run_(run), queue_(queue), engines_(engines) {}

  void Reset();
  void Commit(std::int64_t now) override;
  void Begin(std::int64_t now) override;
  const StreamHead& head() const { return head_; }

 private:
  struct Arrival {
    std::int64_t time = 0;
    InstanceId id;
  };

  void Arrive(InstanceId id, std::int64_t now);

  RunState& run_;
  int queue_;
  DmaEngines& engines_;
  StreamHead head_;
  std::int64_t next_issue_ = 0;
  std::deque<Arrival> arrivals_;  ///< triggered, not yet at the engines
};

}  // namespace spillway::detail
