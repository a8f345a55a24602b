#include "model/hw/timing/detail/dma_queue.h"

#include <algorithm>
#include <utility>

namespace spillway::detail {
namespace {

// Splits the engines by their shares of `transfer`. `group[e]` is the first engine like e.
void Refine(const Transfer& transfer, int engines, std::array<int, kMaxDmaEngines>& group) {
  std::array<std::int64_t, kMaxDmaEngines> share{};
  for (int e = 0; e < engines; ++e) {
    share[static_cast<std::size_t>(e)] = ShareOf(transfer, e, engines);
  }
  const std::array<int, kMaxDmaEngines> before = group;
  for (int e = 0; e < engines; ++e) {
    for (int first = 0; first <= e; ++first) {
      const auto f = static_cast<std::size_t>(first);
      const auto g = static_cast<std::size_t>(e);
      if (before[f] == before[g] && share[f] == share[g]) {
        group[g] = first;
        break;
      }
    }
  }
}

}  // namespace

void DmaEngines::Reset(CoreState& state) {
  const int count = state.dma_engines;
  std::array<int, kMaxDmaEngines> group{};
  int groups = 1;
  generator_free_at.fill(0);
  // Shapes that were looked at; some may be looked at twice.
  std::array<std::uint64_t, 64> seen{};
  for (const Transfer& transfer : state.program->transfers()) {
    if (groups == count) break;
    if (transfer.descriptors == transfer.descriptors_per_engine * count) continue;
    const std::uint64_t shape = static_cast<std::uint64_t>(transfer.descriptors) << 32 ^
                                static_cast<std::uint64_t>(transfer.descriptors_per_engine) << 8 ^
                                static_cast<std::uint64_t>(transfer.first_engine);
    std::uint64_t& slot = seen[(shape ^ shape >> 32) % seen.size()];
    if (std::exchange(slot, shape) == shape) continue;
    Refine(transfer, count, group);
    groups = 0;
    for (int e = 0; e < count; ++e) groups += group[static_cast<std::size_t>(e)] == e;
  }
  weight.fill(0);
  for (int e = 0; e < count; ++e) {
    ++weight[static_cast<std::size_t>(group[static_cast<std::size_t>(e)])];
  }
  played_count = 0;
  for (int e = 0; e < count; ++e) {
    const auto index = static_cast<std::size_t>(e);
    if (weight[index] == 0) continue;
    played[static_cast<std::size_t>(played_count++)] = e;
    engines[index].Reset(state, kMaxStreams + e, weight[index]);
  }
}

void DmaQueue::Reset(CoreState& state, DmaEngines& engines, int queue) {
  state_ = &state;
  engines_ = &engines;
  queue_ = queue;
  rank_ = kComputeStreams + queue;
  const int generators = state.dma_generators;
  generator_ =
      generators == 0
          ? nullptr
          : &engines.generator_free_at[static_cast<std::size_t>(GeneratorOf(queue, generators))];
  granted_ = kNever;
  head_.Reset(StreamId::Queue(queue), state.program->StreamOf(StreamId::Queue(queue)));
}

void DmaQueue::Issue(std::int64_t now) {
  CoreState& state = *state_;
  const InstanceId id = head_.instance();
  const Transfer& transfer = state.program->TransferOf(id);
  const std::int64_t arrival = now + state.dma_start_latency;
  state.times(id).issue = Picoseconds(now);
  int idle = state.dma_engines;
  int e = transfer.first_engine;
  for (std::int64_t left = transfer.descriptors; left > 0 && idle > 0; --idle) {
    const std::int64_t share = std::min(left, transfer.descriptors_per_engine);
    left -= share;
    if (engines_->weight[static_cast<std::size_t>(e)] > 0) {
      engines_->engines[static_cast<std::size_t>(e)].Enqueue(queue_, id, share, arrival);
    }
    if (++e == state.dma_engines) e = 0;
  }
  // Every engine writes the semaphore, also one that has no byte to move. Source: isa_costs §2.
  if (idle > 0) state.SettleShare(id, idle, arrival);
  head_.Advance();
}

// When the head may be issued. Whoever asks a generator first is served first, and each transfer
// keeps it for the issue floor, so the time is known as soon as the head asks.
std::int64_t DmaQueue::IssueTime(std::int64_t now) {
  if (granted_ != kNever) return granted_;
  if (head_.done()) return kNever;
  const std::int64_t ready = head_.ReadyTime(*state_);
  if (ready > now) return ready;
  if (generator_ == nullptr) return now;
  granted_ = std::max(now, *generator_);
  *generator_ = granted_ + state_->dma_issue_floor;
  return granted_;
}

void DmaQueue::Begin(std::int64_t now) {
  std::int64_t wake = IssueTime(now);
  if (wake <= now) {
    Issue(now);
    granted_ = kNever;
    wake = head_.done() ? kNever : head_.ReadyTime(*state_);
    // The next one may follow at this instant, behind other queues.
    if (wake <= now) {
      state_->asked |= ActorBit(rank_);
      wake = kNever;
    }
  }
  state_->SetWake(rank_, wake);
}

}  // namespace spillway::detail
