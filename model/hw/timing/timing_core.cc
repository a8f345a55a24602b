#include "model/hw/timing/timing_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "model/hw/error.h"
#include "model/hw/fault.h"
#include "model/hw/timing/detail/compute_stream.h"
#include "model/hw/timing/detail/dma_queue.h"

namespace spillway {

using detail::ActorBit;
using detail::ActorSet;

namespace {

constexpr ActorSet kStreams = ActorBit(kMaxStreams) - 1;

void CheckProgram(const HwProgram& program, const Target& target) {
  SPILLWAY_CHECK(target.dma_queues.value <= kMaxDmaQueues, "more DMA queues than the machine has");
  SPILLWAY_CHECK(target.dma_engines.value >= 1 && target.dma_engines.value <= kMaxDmaEngines,
                 "more DMA engines than the machine has");
  for (int q = static_cast<int>(target.dma_queues.value); q < kMaxDmaQueues; ++q) {
    SPILLWAY_CHECK(program.StreamOf(StreamId::Queue(q)).empty(), "a queue that the target has");
  }
  SPILLWAY_CHECK(program.semaphores_waited() <= program.semaphore_count(),
                 "a wait names a semaphore");
}

}  // namespace

struct TimingCore::Parts {
  detail::CoreState state;
  std::array<detail::ComputeStream, kComputeStreams> compute;
  std::array<detail::DmaQueue, kMaxDmaQueues> queues;
  detail::DmaEngines dma;
  std::int64_t next = kNever;  ///< the instant to play next

  void Commit(int actor, std::int64_t now) {
    if (actor < kComputeStreams) {
      compute[static_cast<std::size_t>(actor)].Commit(now);
    } else if (actor >= kMaxStreams) {
      dma.engines[static_cast<std::size_t>(actor - kMaxStreams)].Commit(now);
    }
  }

  void Begin(int actor, std::int64_t now) {
    if (actor < kComputeStreams) {
      compute[static_cast<std::size_t>(actor)].Begin(now);
    } else if (actor < kMaxStreams) {
      queues[static_cast<std::size_t>(actor - kComputeStreams)].Begin(now);
    } else {
      dma.engines[static_cast<std::size_t>(actor - kMaxStreams)].Begin(now);
    }
  }

  const detail::StreamHead& HeadOf(int stream) const {
    if (stream < kComputeStreams) return compute[static_cast<std::size_t>(stream)].head();
    return queues[static_cast<std::size_t>(stream - kComputeStreams)].head();
  }

  bool ForgetAfter(std::int64_t limit);
  void ReportBlocked(std::int64_t now);
  void SumAgain();
};

TimingCore::TimingCore() : parts_(std::make_unique<Parts>()) {}
TimingCore::~TimingCore() = default;

void TimingCore::Arm(const HwProgram& program, const Target& target, Effects* effects,
                     MachineMemory& memory, RunResult& result) {
  CheckProgram(program, target);
  Parts& p = *parts_;
  p.state.Reset(program, target, effects, memory, result);
  for (int e = 0; e < kComputeStreams; ++e) {
    p.compute[static_cast<std::size_t>(e)].Reset(p.state, static_cast<Engine>(e));
  }
  for (int q = 0; q < kMaxDmaQueues; ++q) {
    p.queues[static_cast<std::size_t>(q)].Reset(p.state, p.dma, q);
  }
  p.dma.Reset(p.state);
}

std::int64_t TimingCore::PlayFirst() {
  ActorSet due = 0;
  for (int s = 0; s < kMaxStreams; ++s) {
    if (!parts_->HeadOf(s).done()) due |= ActorBit(s);
  }
  return Play(due, 0);
}

std::int64_t TimingCore::PlayNext() {
  return Play(parts_->state.wakes.Due(parts_->next), parts_->next);
}

std::int64_t TimingCore::Play(ActorSet due, std::int64_t now) {
  Parts& p = *parts_;
  if (p.state.effects != nullptr) {
    for (ActorSet left = due; left != 0; left &= left - 1) p.Commit(std::countr_zero(left), now);
  }
  ActorSet& asked = p.state.asked;
  asked |= due;
  while (asked != 0) {
    // All that streams issue at this instant is known before an engine settles anything.
    ActorSet round = (asked & kStreams) != 0 ? asked & kStreams : asked;
    round = SPILLWAY_FAULT(D10, round, (asked & ~kStreams) != 0 ? asked & ~kStreams : asked);
    asked &= ~round;
    for (; round != 0; round &= round - 1) p.Begin(std::countr_zero(round), now);
  }
  p.next = p.state.wakes.Earliest();
  return p.next;
}

std::int64_t TimingCore::LimitOf(const RunOptions& options) {
  if (!options.watchdog) return std::int64_t{1} << 60;
  SPILLWAY_CHECK(*options.watchdog > Picoseconds(0), "a watchdog leaves some time");
  return options.watchdog->value;
}

// Ends are known before they come; what would have come after the limit didn't. True if there was
// any such thing.
bool TimingCore::Parts::ForgetAfter(std::int64_t limit) {
  bool forgot = false;
  for (std::size_t i = 0; i < state.result->times.size(); ++i) {
    InstanceTimes& times = state.result->times[i];
    const bool settled = state.IsSettled(InstanceId(i));
    forgot = forgot || times.finish > Picoseconds(limit) || times.start > Picoseconds(limit);
    if (!settled || times.finish > Picoseconds(limit)) times.finish = Picoseconds(-1);
    if (times.start > Picoseconds(limit)) times.start = Picoseconds(-1);
  }
  return forgot;
}

void TimingCore::Parts::ReportBlocked(std::int64_t now) {
  for (int s = 0; s < kMaxStreams; ++s) {
    const detail::StreamHead& head = HeadOf(s);
    if (head.done()) continue;
    const SemaphoreWait wait = head.unmet(state);
    state.result->blocked.push_back(
        {{s}, head.instance(), wait, state.VisibleAt(wait.semaphore, now), head.left()});
  }
}

// The sums of a run that didn't come to its end count what came to its end.
void TimingCore::Parts::SumAgain() {
  RunResult& result = *state.result;
  result.makespan = {};
  result.traffic = {};
  for (std::size_t i = 0; i < result.times.size(); ++i) {
    if (result.times[i].finish < Picoseconds(0)) continue;
    result.makespan = std::max(result.makespan, result.times[i].finish);
    if (!state.program->instances()[i].stream.is_queue()) continue;
    const Transfer& transfer = state.program->TransferOf(InstanceId(i));
    DmaTraffic& traffic = result.traffic[static_cast<std::size_t>(transfer.role)];
    ++traffic.transfers;
    traffic.bytes += transfer.descriptor_bytes * transfer.descriptors;
  }
}

void TimingCore::Conclude(bool out_of_events, std::int64_t limit) {
  Parts& p = *parts_;
  RunResult& result = *p.state.result;
  const bool finished =
      p.state.settled() == result.times.size() && result.makespan <= Picoseconds(limit);
  if (!finished) {
    const bool passed = p.ForgetAfter(limit) || !out_of_events;
    result.outcome = passed ? RunOutcome::kWatchdog : RunOutcome::kDeadlock;
    p.ReportBlocked(limit);
    p.SumAgain();
  }
  static constexpr DmaRole kSpillRoles[] = {DmaRole::kSave, DmaRole::kReload};
  result.spill_in_flight =
      TimeInFlight(*p.state.program, result.times, kSpillRoles, result.makespan);
}

}  // namespace spillway
