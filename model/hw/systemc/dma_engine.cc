#include "model/hw/systemc/detail/dma_engine.h"

namespace spillway::detail {

void DmaEngine::Reset() {
  CancelTimer();
  for (std::deque<Share>& queue : queues_) queue.clear();
  waiting_ = 0;
  current_ = kMaxDmaQueues - 1;
  batch_ = 0;
}

void DmaEngine::Enqueue(int queue, InstanceId id, std::int64_t descriptors) {
  queues_[static_cast<std::size_t>(queue)].push_back(
      {id, descriptors, run_.program->TransferOf(id).descriptor_time.value});
  waiting_ |= 1U << queue;
  RequestBegin();
}

// The head share of the current queue has had `served` of its descriptors served.
void DmaEngine::Settle(std::int64_t served, std::int64_t now) {
  std::deque<Share>& queue = queues_[static_cast<std::size_t>(current_)];
  Share& share = queue.front();
  share.left -= served;
  batch_ = 0;
  run_.result->busy[static_cast<std::size_t>(Engine::kDma)] +=
      Picoseconds(served * share.time_each);
  if (share.left > 0) return;
  const InstanceId id = share.id;
  queue.pop_front();
  if (queue.empty()) waiting_ &= ~(1U << current_);
  run_.FinishShare(id, now);
}

void DmaEngine::Commit(std::int64_t now) {
  if (batch_ > 0 && now == batch_end_) Settle(batch_, now);
  RequestBegin();
}

int DmaEngine::NextQueue() const {
  for (int step = 1; step <= kMaxDmaQueues; ++step) {
    const int queue = (current_ + step) % kMaxDmaQueues;
    if ((waiting_ >> queue & 1U) != 0) return queue;
  }
  return current_;
}

void DmaEngine::Begin(std::int64_t now) {
  if (batch_ > 1 && OthersWait()) {
    // While one queue was alone its descriptors ran as a batch. Another queue has work now, so the
    // batch ends at the next boundary between descriptors, as if they had been served one by one.
    const std::int64_t each = queues_[static_cast<std::size_t>(current_)].front().time_each;
    const std::int64_t begun = (now - batch_begin_ + each - 1) / each;
    if (begun < batch_ && batch_begin_ + begun * each == now) {
      Settle(begun, now);
    } else if (begun < batch_) {
      batch_ = begun;
      batch_end_ = batch_begin_ + begun * each;
      WakeIn(batch_end_ - now);
    }
  }
  if (batch_ > 0 || waiting_ == 0) return;
  current_ = NextQueue();
  const Share& share = queues_[static_cast<std::size_t>(current_)].front();
  if (run_.result->times[share.id.value].start < Picoseconds(0)) run_.Start(share.id, now);
  batch_ = OthersWait() ? 1 : share.left;
  batch_begin_ = now;
  batch_end_ = now + batch_ * share.time_each;
  WakeIn(batch_end_ - now);
}

}  // namespace spillway::detail
