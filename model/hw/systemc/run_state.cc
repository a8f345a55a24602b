#include "model/hw/systemc/detail/run_state.h"

#include "model/hw/systemc/detail/instant.h"

namespace spillway::detail {

void RunState::Signal(SemaphoreId semaphore, std::int64_t now) {
  std::uint64_t woken = semaphores.Increment(semaphore, now);
  for (; woken != 0; woken &= woken - 1) {
    streams[static_cast<std::size_t>(__builtin_ctzll(woken))]->WakeIn(semaphores.latency());
  }
}

void RunState::Start(InstanceId id, std::int64_t now) {
  result->times[id.value].start = Picoseconds(now);
  if (effects != nullptr) effects->Start(id, *memory);
}

void RunState::Finish(InstanceId id, std::int64_t now) {
  result->times[id.value].finish = Picoseconds(now);
  result->makespan = Picoseconds(now);
  if (effects != nullptr) effects->Finish(id, *memory);
}

void RunState::FinishShare(InstanceId id, std::int64_t now) {
  const HwInstance& instance = program->instance(id);
  if (++engines_done[instance.transfer] == dma_engines) {
    const Transfer& transfer = program->TransferOf(id);
    DmaTraffic& traffic = result->traffic[static_cast<std::size_t>(transfer.role)];
    ++traffic.transfers;
    traffic.bytes += transfer.descriptor_bytes * transfer.descriptors;
    Finish(id, now);
  }
  Signal(instance.signal, now);
}

void StreamHead::Reset(StreamId stream, std::span<const InstanceId> instances) {
  stream_ = stream;
  instances_ = instances;
  next_ = 0;
  wait_ = 0;
}

std::int64_t StreamHead::ReadyTime(RunState& run, std::int64_t now) {
  const std::span<const SemaphoreWait> waits = run.program->WaitsOf(instance());
  for (; wait_ < waits.size(); ++wait_) {
    const std::int64_t time = run.semaphores.TimeOf(waits[wait_], now, stream_.value);
    if (time == Semaphores::kNever || time > now) return time;
  }
  return now;
}

SemaphoreWait StreamHead::unmet(const RunState& run) const {
  const std::span<const SemaphoreWait> waits = run.program->WaitsOf(instance());
  return wait_ < waits.size() ? waits[wait_] : SemaphoreWait{};
}

}  // namespace spillway::detail
