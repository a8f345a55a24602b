#include "model/hw/systemc/detail/dma_queue.h"

namespace spillway::detail {

void DmaQueue::Reset() {
  CancelTimer();
  head_.Reset(StreamId::Queue(queue_), run_.program->StreamOf(StreamId::Queue(queue_)));
  next_issue_ = 0;
  arrivals_.clear();
}

void DmaQueue::Arrive(InstanceId id, std::int64_t now) {
  const Transfer& transfer = run_.program->TransferOf(id);
  for (int e = 0; e < run_.dma_engines; ++e) {
    const std::int64_t share = ShareOf(transfer, e, run_.dma_engines);
    if (share > 0) {
      engines_[static_cast<std::size_t>(e)]->Enqueue(queue_, id, share, now);
    } else {
      // Every engine writes the semaphore, also one that has no byte to move. Source: isa_costs §2.
      run_.FinishShare(id, now);
    }
  }
}

void DmaQueue::Commit(std::int64_t now) {
  while (!arrivals_.empty() && arrivals_.front().time <= now) {
    const InstanceId id = arrivals_.front().id;
    arrivals_.pop_front();
    Arrive(id, now);
  }
  RequestBegin();
}

void DmaQueue::Begin(std::int64_t now) {
  // Three reasons to wake, one timer: an arrival, the issue floor, a semaphore.
  std::int64_t wake = Semaphores::kNever;
  const auto wake_at = [&wake](std::int64_t time) {
    if (wake == Semaphores::kNever || time < wake) wake = time;
  };
  while (!head_.done()) {
    if (next_issue_ > now) {
      wake_at(next_issue_);
      break;
    }
    const std::int64_t ready = head_.ReadyTime(run_, now);
    if (ready == Semaphores::kNever) break;
    if (ready > now) {
      wake_at(ready);
      break;
    }
    const InstanceId id = head_.instance();
    run_.result->times[id.value].issue = Picoseconds(now);
    arrivals_.push_back({now + run_.dma_start_latency, id});
    next_issue_ = now + run_.dma_issue_floor;
    head_.Advance();
  }
  if (!arrivals_.empty()) wake_at(arrivals_.front().time);
  if (wake != Semaphores::kNever) WakeIn(wake - now);
}

}  // namespace spillway::detail
