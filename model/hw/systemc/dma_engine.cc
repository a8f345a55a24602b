#include "model/hw/systemc/detail/dma_engine.h"

#include <bit>

namespace spillway::detail {

void DmaEngine::Reset() {
  CancelTimer();
  for (std::deque<Share>& queue : queues_) queue.clear();
  waiting_ = 0;
  current_ = kMaxDmaQueues - 1;
  busy_ = false;
}

void DmaEngine::Enqueue(int queue, InstanceId id, std::int64_t descriptors, std::int64_t now) {
  CatchUp(now);  // who was served until now was picked without this share
  queues_[static_cast<std::size_t>(queue)].push_back(
      {id, descriptors, run_.program->TransferOf(id).descriptor_time.value});
  waiting_ |= 1U << queue;
  RequestBegin();
}

bool DmaEngine::Started(const Share& share) const {
  return run_.result->times[share.id.value].start >= Picoseconds(0);
}

// Next queue in turn that has work; there must be one.
int DmaEngine::QueueAfter(int queue) const {
  const std::uint32_t later = waiting_ & ~((2U << queue) - 1);
  return std::countr_zero(later != 0 ? later : waiting_);
}

void DmaEngine::Serve(int queue, std::int64_t begin) {
  current_ = queue;
  busy_ = true;
  end_ = begin + Head(queue).time_each;
}

void DmaEngine::EndDescriptor(std::int64_t now) {
  busy_ = false;
  Share& share = Head(current_);
  run_.result->busy[static_cast<std::size_t>(Engine::kDma)] += Picoseconds(share.time_each);
  if (--share.left > 0) return;
  const InstanceId id = share.id;
  std::deque<Share>& queue = queues_[static_cast<std::size_t>(current_)];
  queue.pop_front();
  if (queue.empty()) waiting_ &= ~(1U << current_);
  run_.FinishShare(id, now);
}

// Plays the boundaries before `now`, which are invisible, and ends what ends at `now`.
void DmaEngine::CatchUp(std::int64_t now) {
  while (busy_ && end_ <= now) {
    const std::int64_t boundary = end_;
    EndDescriptor(boundary);
    if (boundary < now) Serve(QueueAfter(current_), boundary);
  }
}

// When the first share from here on ends, or the first transfer starts that hasn't yet, provided
// that no other share arrives.
std::int64_t DmaEngine::NextVisible() const {
  std::array<std::int64_t, kMaxDmaQueues> served{};
  std::int64_t time = end_;
  for (int queue = current_;;) {
    if (++served[static_cast<std::size_t>(queue)] == Head(queue).left) return time;
    queue = QueueAfter(queue);
    if (!Started(Head(queue))) return time;
    time += Head(queue).time_each;
  }
}

void DmaEngine::Commit(std::int64_t now) {
  CatchUp(now);
  RequestBegin();
}

void DmaEngine::Begin(std::int64_t now) {
  if (!busy_) {
    if (waiting_ == 0) return;
    const int queue = QueueAfter(current_);
    if (!Started(Head(queue))) run_.Start(Head(queue).id, now);
    Serve(queue, now);
  }
  WakeIn(NextVisible() - now);
}

}  // namespace spillway::detail
