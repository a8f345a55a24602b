#include "model/hw/timing/detail/dma_queue.h"

#include <algorithm>
#include <bit>

namespace spillway::detail {
namespace {

using EngineSet = std::uint32_t;

constexpr EngineSet FirstEngines(std::int64_t count) { return (EngineSet{1} << count) - 1; }

// `set` turned by `places` among `engines`.
constexpr EngineSet Turned(EngineSet set, int places, int engines) {
  return (set << places | set >> (engines - places)) & FirstEngines(engines);
}

}  // namespace

// Splits every group of engines into those with a full share of `transfer`, the one with the rest,
// and those without.
void DmaEngines::Refine(const Transfer& transfer, int count) {
  const std::int64_t per = transfer.descriptors_per_engine;
  const int first = transfer.first_engine % count;
  const auto turned = [&](std::int64_t served) {
    return Turned(FirstEngines(std::min<std::int64_t>(served, count)), first, count);
  };
  const EngineSet with_full = turned(transfer.descriptors / per);
  const EngineSet with_any = turned((transfer.descriptors + per - 1) / per);
  const int before = group_count_;
  for (int g = 0; g < before; ++g) {
    EngineSet& group = groups_[static_cast<std::size_t>(g)];
    if ((group & (group - 1)) == 0) continue;
    const EngineSet parts[] = {group & with_full, group & with_any & ~with_full, group & ~with_any};
    group = 0;
    for (const EngineSet part : parts) {
      if (part == 0) continue;
      if (group == 0) {
        group = part;
      } else {
        groups_[static_cast<std::size_t>(group_count_++)] = part;
      }
    }
  }
}

void DmaEngines::Reset(CoreState& state) {
  const int count = state.dma_engines;
  generator_free_at.fill(0);
  groups_.fill(0);
  groups_[0] = FirstEngines(count);
  group_count_ = 1;
  for (const Transfer& transfer : state.program->transfers()) {
    if (group_count_ == count) break;
    if (transfer.descriptors == transfer.descriptors_per_engine * count) continue;
    Refine(transfer, count);
  }
  weight.fill(0);
  for (int g = 0; g < group_count_; ++g) {
    const EngineSet group = groups_[static_cast<std::size_t>(g)];
    const auto first = static_cast<std::size_t>(std::countr_zero(group));
    weight[first] = std::popcount(group);
    engines[first].Reset(state, kMaxStreams + static_cast<int>(first), weight[first]);
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
  int e = transfer.first_engine % state.dma_engines;
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
  head_.Advance(state);
}

// When the head may be issued. Whoever asks a generator first is served first, and each transfer
// keeps it for the issue floor, so the time is known as soon as the head asks.
std::int64_t DmaQueue::IssueTime(std::int64_t now) {
  if (granted_ != kNever) return granted_;
  if (head_.done()) return kNever;
  const std::int64_t ready = head_.ReadyTime(*state_);
  if (ready > now) return ready;
  if (generator_ == nullptr || !state_->program->TransferOf(head_.instance()).generated) return now;
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
