// One compute engine: plays its stream in order, one instruction at a time.
#pragma once

#include "model/hw/systemc/detail/instant.h"
#include "model/hw/systemc/detail/run_state.h"

namespace spillway::detail {

class ComputeEngine : public TimedActor {
 public:
  ComputeEngine(const sc_core::sc_module_name& name, Instant& instant, RunState& run, Engine engine)
      : TimedActor(name, instant), run_(run), engine_(engine) {}

  void Reset();
  void Commit(std::int64_t now) override;
  void Begin(std::int64_t now) override;
  const StreamHead& head() const { return head_; }

 private:
  RunState& run_;
  Engine engine_;
  StreamHead head_;
  bool busy_ = false;
  std::int64_t end_ = 0;
};

}  // namespace spillway::detail
