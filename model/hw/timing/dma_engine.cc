#include "model/hw/timing/detail/dma_engine.h"
#include "model/hw/fault.h"

#include <algorithm>
#include <bit>

namespace spillway::detail {
namespace {

// Whether `set`, which isn't empty, has one member. (std::has_single_bit counts them all, by a
// call.)
constexpr bool IsOne(std::uint32_t set) { return (set & (set - 1)) == 0; }

}  // namespace

void DmaEngine::Reset(CoreState& state, int rank, int weight) {
  state_ = &state;
  rank_ = rank;
  weight_ = weight;
  // A run that ended left nothing in the queues; one that was cut off did.
  for (; waiting_ != 0; waiting_ &= waiting_ - 1) {
    queues_[static_cast<std::size_t>(std::countr_zero(waiting_))].clear();
  }
  clock_ = {};
  clock_.current = kMaxDmaQueues - 1;
  starts_.clear();
  ends_.clear();
}

void DmaEngine::Enqueue(int queue, InstanceId id, std::int64_t descriptors, std::int64_t arrival) {
  const Transfer& transfer = state_->program->TransferOf(id);
  Share share{id,
              descriptors * transfer.packets,
              arrival,
              PacketTime(transfer).value,
              PacketLatency(transfer).value,
              false};
  Fifo<Share>& shares = queues_[static_cast<std::size_t>(queue)];
  if (SPILLWAY_FAULT(D4, false, !shares.empty() && !shares.front().started)) {
    std::swap(share, shares.front());
  }
  shares.push_back(share);
  waiting_ |= 1U << queue;
  state_->asked |= ActorBit(rank_);
}

// The descriptor that can start first; of several, that of the next queue in turn.
DmaEngine::Next DmaEngine::NextDescriptor(const Clock& clock, std::uint32_t waiting) const {
  const std::uint32_t later = waiting & ~((2U << clock.current) - 1);
  Next next{0, kNever};
  for (std::uint32_t part : {later, waiting & ~later}) {
    for (; part != 0; part &= part - 1) {
      const int queue = std::countr_zero(part);
      const std::int64_t start = std::max({clock.free_at, Head(queue).arrival,
                                           clock.queue_free_at[static_cast<std::size_t>(queue)]});
      if (start < next.start) next = {queue, start};
    }
  }
  return next;
}

// Starts `count` descriptors of one share, as fast as its queue goes.
void DmaEngine::Serve(Next next, std::int64_t count) {
  CoreState& state = *state_;
  Share& share = Head(next.queue);
  if (!share.started) {
    share.started = true;
    InstanceTimes& times = state.times(share.id);
    if (times.start < Picoseconds(0) || Picoseconds(next.start) < times.start) {
      times.start = Picoseconds(next.start);
      if (state.effects != nullptr) starts_.InsertByTime({next.start, share.id});
    }
  }
  const std::int64_t last = next.start + (count - 1) * share.latency;
  clock_.current = next.queue;
  clock_.free_at = last + share.time;
  clock_.queue_free_at[static_cast<std::size_t>(next.queue)] = last + share.latency;
  state.result->busy[static_cast<std::size_t>(Engine::kDma)] +=
      Picoseconds(count * weight_ * share.time);
  share.left -= count;
  if (share.left > 0) return;
  const InstanceId id = share.id;
  Fifo<Share>& queue = queues_[static_cast<std::size_t>(next.queue)];
  const std::int64_t finish = last + share.latency;
  queue.pop_front();
  if (queue.empty()) waiting_ &= ~(1U << next.queue);
  if (state.SettleShare(id, weight_, finish) && state.effects != nullptr) {
    ends_.InsertByTime({state.times(id).finish.value, id});
  }
}

void DmaEngine::SettleUntil(std::int64_t horizon) {
  while (waiting_ != 0) {
    const Next next = NextDescriptor(clock_, waiting_);
    if (next.start > horizon) return;
    std::int64_t count = 1;
    if (IsOne(waiting_)) {
      const Share& share = Head(next.queue);
      count = std::min(share.left, (horizon - next.start) / share.latency + 1);
    }
    Serve(next, count);
  }
}

// The next start of a descriptor that somebody must know of, if nothing else arrives: the last of
// a share, and with effects the first of a transfer.
std::int64_t DmaEngine::NextToSettle() const {
  if (waiting_ == 0) return kNever;
  Clock clock = clock_;
  std::array<std::int64_t, kMaxDmaQueues> served{};
  const bool alone = IsOne(waiting_);
  while (true) {
    const Next next = NextDescriptor(clock, waiting_);
    const Share& share = Head(next.queue);
    std::int64_t& count = served[static_cast<std::size_t>(next.queue)];
    if (state_->effects != nullptr && !share.started) return next.start;
    if (alone) return next.start + (share.left - 1) * share.latency;
    if (++count == share.left) return next.start;
    clock.current = next.queue;
    clock.free_at = next.start + share.time;
    clock.queue_free_at[static_cast<std::size_t>(next.queue)] = next.start + share.latency;
  }
}

void DmaEngine::Commit(std::int64_t now) {
  for (; !ends_.empty() && ends_.front().time <= now; ends_.pop_front()) {
    state_->Finish(ends_.front().id);
  }
}

void DmaEngine::Begin(std::int64_t now) {
  for (; !starts_.empty() && starts_.front().time <= now; starts_.pop_front()) {
    // Another engine may have started the transfer before.
    const InstanceId id = starts_.front().id;
    if (state_->times(id).start == Picoseconds(now)) state_->Start(id);
  }
  SettleUntil(now + state_->dma_start_latency);
  std::int64_t wake = NextToSettle();
  if (wake != kNever) wake -= state_->dma_start_latency;
  if (!starts_.empty()) wake = std::min(wake, starts_.front().time);
  if (!ends_.empty()) wake = std::min(wake, ends_.front().time);
  state_->SetWake(rank_, wake);
}

}  // namespace spillway::detail
