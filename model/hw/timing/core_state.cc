#include "model/hw/timing/detail/core_state.h"
#include "model/hw/fault.h"

#include <algorithm>

#include "model/hw/error.h"

namespace spillway::detail {

// Every hop takes at least a picosecond, so that nothing that happens at an instant can cause
// something else at the same instant.
void CoreState::Reset(const HwProgram& played, const Target& target, Effects* run_effects,
                      MachineMemory& run_memory, RunResult& run_result) {
  program = &played;
  effects = run_effects;
  memory = &run_memory;
  result = &run_result;
  dma_queues = static_cast<int>(target.dma_queues.value);
  dma_engines = static_cast<int>(target.dma_engines.value);
  dma_start_latency = std::max<std::int64_t>(1, target.dma_start_latency.value.value);
  dma_issue_floor = target.dma_issue_floor.value.value;
  dma_generators = static_cast<int>(target.dma_generators.value);
  pe_ramp = target.pe_ramp.value.value;
  pe_cold_percent = target.pe_cold_percent.value;
  semaphore_latency_ = std::max<std::int64_t>(1, target.semaphore_latency.value.value);
  channels.Reset();
  asked = waiting_ = 0;
  settled_ = 0;
  wakes = {};
  result->times.assign(played.instances().size(), {});
  visible_at_.assign(played.instances().size(), kNever);
  first_waiter_.assign(played.semaphore_count(), kNobody);
  engines_done_.assign(played.transfer_count(), 0);
  partial_waits_ =
      std::any_of(played.waits().begin(), played.waits().end(), [this](const SemaphoreWait& wait) {
        return wait.semaphore.value >= kComputeStreams && wait.at_least < dma_engines;
      });
  increments_.assign(partial_waits_ ? played.transfer_count() : 0, {});
}

// The general case: a wait for a part of a transfer's increments, for more than there will be, or
// for an instance that was written after it.
std::int64_t CoreState::KnownTime(const SemaphoreWait& wait) const {
  if (wait.at_least <= 0) return 0;
  if (wait.semaphore.value < kComputeStreams) {
    const auto stream = program->StreamOf({static_cast<int>(wait.semaphore.value)});
    if (wait.at_least > static_cast<std::int64_t>(stream.size())) return kNever;
    return visible_at_[stream[static_cast<std::size_t>(wait.at_least) - 1].value];
  }
  const InstanceId id = program->OwnerOf(wait.semaphore);
  if (wait.at_least > dma_engines) return kNever;
  if (wait.at_least == dma_engines) return visible_at_[id.value];
  std::vector<Increment> own = increments_[program->instance(id).transfer];
  std::sort(own.begin(), own.end(),
            [](const Increment& a, const Increment& b) { return a.time < b.time; });
  std::int64_t count = 0;
  for (const Increment& increment : own) {
    count += increment.count;
    if (count >= wait.at_least) return increment.time + semaphore_latency_;
  }
  return kNever;
}

void CoreState::Register(const SemaphoreWait& wait, int stream) {
  if ((waiting_ & ActorBit(stream)) != 0) return;
  const auto waiter = static_cast<std::size_t>(stream);
  waiting_ |= ActorBit(stream);
  wanted_[waiter] = wait.at_least;
  next_waiter_[waiter] = first_waiter_[wait.semaphore.value];
  first_waiter_[wait.semaphore.value] = static_cast<std::int8_t>(stream);
}

// Asks every stream that waited for `value` increments or fewer.
void CoreState::Wake(SemaphoreId semaphore, std::int64_t value) {
  for (std::int8_t* link = &first_waiter_[semaphore.value]; *link != kNobody;) {
    const auto stream = static_cast<std::size_t>(*link);
    if (wanted_[stream] > value) {
      link = &next_waiter_[stream];
      continue;
    }
    asked |= ActorBit(*link);
    waiting_ &= ~ActorBit(*link);
    *link = next_waiter_[stream];
  }
}

void CoreState::SettleCompute(InstanceId id, std::int64_t position, std::int64_t finish) {
  times(id).finish = Picoseconds(finish);
  visible_at_[id.value] = finish + semaphore_latency_;
  Count(finish);
  Wake(program->instance(id).signal, position);
}

bool CoreState::SettleShare(InstanceId id, int engines, std::int64_t finish) {
  const HwInstance& instance = program->instance(id);
  InstanceTimes& times = result->times[id.value];
  times.finish = std::max(times.finish, Picoseconds(finish));
  // D3.0 loses an increment, D3.1 counts one twice.
  const int counted = SPILLWAY_FAULT(D3, engines, fault::variant == 1 ? engines + 1 : engines - 1);
  const int done = engines_done_[instance.transfer] += static_cast<std::uint8_t>(counted);
  if (partial_waits_) increments_[instance.transfer].push_back({finish, engines});
  if (done == dma_engines) {
    const std::int64_t landed =
        SPILLWAY_FAULT(D1, times.finish.value, (times.start.value + times.finish.value) / 2);
    visible_at_[id.value] = landed + semaphore_latency_;
    Count(times.finish.value);
    const Transfer& transfer = program->TransferOf(id);
    DmaTraffic& traffic = result->traffic[static_cast<std::size_t>(transfer.role)];
    ++traffic.transfers;
    traffic.bytes += transfer.descriptor_bytes * transfer.descriptors;
  }
  Wake(instance.signal, done);
  return done == dma_engines;
}

std::int64_t CoreState::VisibleAt(SemaphoreId semaphore, std::int64_t now) const {
  if (semaphore.value >= kComputeStreams && !partial_waits_) {
    return engines_done_[program->instance(program->OwnerOf(semaphore)).transfer];
  }
  const std::int64_t most = semaphore.value >= kComputeStreams
                                ? dma_engines
                                : program->CompletionCount(static_cast<Engine>(semaphore.value));
  std::int64_t count = 0;
  while (count < most && KnownTime({semaphore, count + 1}) <= now) ++count;
  return count;
}

}  // namespace spillway::detail
