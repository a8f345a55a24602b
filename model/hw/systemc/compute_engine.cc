#include "model/hw/systemc/detail/compute_engine.h"

namespace spillway::detail {

void ComputeEngine::Reset() {
  CancelTimer();
  head_.Reset(StreamId::Compute(engine_), run_.program->StreamOf(StreamId::Compute(engine_)));
  busy_ = false;
  end_ = 0;
}

void ComputeEngine::Commit(std::int64_t now) {
  if (busy_ && now == end_) {
    const InstanceId id = head_.instance();
    busy_ = false;
    head_.Advance();
    run_.Finish(id, now);
    run_.Signal(run_.program->instance(id).signal, now);
  }
  RequestBegin();
}

void ComputeEngine::Begin(std::int64_t now) {
  if (busy_ || head_.done()) return;
  const std::int64_t ready = head_.ReadyTime(run_, now);
  if (ready == Semaphores::kNever) return;
  if (ready > now) return WakeIn(ready - now);
  const InstanceId id = head_.instance();
  const std::int64_t duration = run_.program->instance(id).duration.value;
  run_.result->times[id.value].issue = Picoseconds(now);
  run_.Start(id, now);
  run_.result->busy[static_cast<std::size_t>(engine_)] += Picoseconds(duration);
  busy_ = true;
  end_ = now + duration;
  WakeIn(duration);
}

}  // namespace spillway::detail
