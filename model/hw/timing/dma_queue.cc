#include "model/hw/timing/detail/dma_queue.h"

#include <unordered_set>

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
  std::unordered_set<std::uint64_t> seen;
  for (const Transfer& transfer : state.program->transfers()) {
    if (groups == count) break;
    if (transfer.descriptors == transfer.descriptors_per_engine * count) continue;
    const std::uint64_t shape = static_cast<std::uint64_t>(transfer.descriptors) << 32 ^
                                static_cast<std::uint64_t>(transfer.descriptors_per_engine) << 8 ^
                                static_cast<std::uint64_t>(transfer.first_engine);
    if (!seen.insert(shape).second) continue;
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
  head_.Reset(StreamId::Queue(queue), state.program->StreamOf(StreamId::Queue(queue)));
}

void DmaQueue::Issue(std::int64_t now) {
  CoreState& state = *state_;
  const InstanceId id = head_.instance();
  const Transfer& transfer = state.program->TransferOf(id);
  const std::int64_t arrival = now + state.dma_start_latency;
  state.times(id).issue = Picoseconds(now);
  int idle = 0;
  for (int p = 0; p < engines_->played_count; ++p) {
    const int e = engines_->played[static_cast<std::size_t>(p)];
    const std::int64_t share = ShareOf(transfer, e, state.dma_engines);
    if (share > 0) {
      engines_->engines[static_cast<std::size_t>(e)].Enqueue(queue_, id, share, arrival);
    } else {
      idle += engines_->weight[static_cast<std::size_t>(e)];
    }
  }
  // Every engine writes the semaphore, also one that has no byte to move. Source: isa_costs §2.
  if (idle > 0) state.SettleShare(id, idle, arrival);
  head_.Advance();
}

void DmaQueue::Begin(std::int64_t now) {
  const int rank = kComputeStreams + queue_;
  std::int64_t wake = head_.done() ? kNever : head_.ReadyTime(*state_);
  if (wake <= now && state_->dma_generators > 0) {
    const ChannelSet generator = GeneratorChannel(GeneratorOf(queue_, state_->dma_generators));
    wake = state_->channels.Acquire(rank, generator, now, state_->dma_issue_floor, state_->asked);
  }
  if (wake <= now) {
    Issue(now);
    wake = kNever;
    // The next one may follow at this instant, behind other queues.
    if (!head_.done()) state_->asked |= ActorBit(rank);
  }
  state_->SetWake(rank, wake);
}

}  // namespace spillway::detail
