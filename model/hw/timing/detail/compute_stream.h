// A compute engine: starts instructions in order, one an interval; each ends a latency later.
#pragma once

#include "model/hw/timing/detail/fifo.h"
#include "model/hw/timing/detail/stream_head.h"

namespace spillway::detail {

class ComputeStream {
 public:
  void Reset(CoreState& state, Engine engine);
  const StreamHead& head() const { return head_; }

  /// What ends at `now`: bytes land.
  void Commit(std::int64_t now);
  /// Starts what can start at `now` and sets the wake-up.
  void Begin(std::int64_t now);

 private:
  struct Landing {
    std::int64_t time = 0;
    InstanceId id;
  };

  void StartHead(std::int64_t now, std::int64_t interval);
  std::int64_t IntervalAt(std::int64_t now);

  CoreState* state_ = nullptr;
  Engine engine_ = Engine::kPe;
  StreamHead head_;
  std::int64_t next_start_ = 0;
  std::int64_t last_finish_ = 0;
  std::int64_t warmth_ = 0;  ///< PE: busy time that counts towards the full rate
  Fifo<Landing> landings_;   ///< with effects: instances in flight
};

}  // namespace spillway::detail
