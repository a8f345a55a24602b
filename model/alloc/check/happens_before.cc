#include "model/alloc/check/happens_before.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway::check {

void HappensBefore::Clock::Join(const Clock& other) {
  for (std::size_t s = 0; s < started.size(); ++s)
    started[s] = std::max(started[s], other.started[s]);
  for (std::size_t e = 0; e < ended.size(); ++e) ended[e] = std::max(ended[e], other.ended[e]);
}

HappensBefore::HappensBefore(const HwProgram& program, const Target& target)
    : program_(program),
      increments_(target.dma_engines.value),
      position_(program.instances().size()),
      played_(program.instances().size(), false),
      at_start_(program.instances().size()),
      waiters_(program.transfer_count()) {
  for (int s = 0; s < kMaxStreams; ++s) {
    std::uint32_t position = 0;
    for (const InstanceId id : program.StreamOf({s})) position_[id.value] = position++;
  }
  Play();
}

// Every stream goes on as far as it can, without any time, until none can.
void HappensBefore::Play() {
  for (bool moved = true; moved;) {
    moved = false;
    for (int s = 0; s < kMaxStreams; ++s) {
      while (Advance(s)) moved = true;
    }
  }
  for (int s = 0; s < kMaxStreams; ++s) {
    const auto stream = program_.StreamOf({s});
    const std::uint32_t next = next_[static_cast<std::size_t>(s)];
    if (next == stream.size()) continue;
    for (const SemaphoreWait& wait : program_.WaitsOf(stream[next])) {
      if (Met(wait)) continue;
      stuck_.push_back({stream[next], wait});
      break;
    }
  }
}

bool HappensBefore::Advance(int stream) {
  const auto instances = program_.StreamOf({stream});
  std::uint32_t& next = next_[static_cast<std::size_t>(stream)];
  if (next == instances.size()) return false;
  for (const SemaphoreWait& wait : program_.WaitsOf(instances[next])) {
    if (!Met(wait)) return false;
  }
  Start(instances[next]);
  ++next;
  return true;
}

bool HappensBefore::Met(const SemaphoreWait& wait) const {
  if (wait.at_least <= 0) return true;
  if (wait.semaphore.value < kComputeStreams) return wait.at_least <= next_[wait.semaphore.value];
  if (wait.semaphore.value >= program_.semaphore_count()) return false;
  return wait.at_least <= increments_ && played_[program_.OwnerOf(wait.semaphore).value];
}

void HappensBefore::Start(InstanceId id) {
  const auto stream = static_cast<std::size_t>(instance(id).stream.value);
  Clock& clock = now_[stream];
  clock.started[stream] = position_[id.value] + 1;
  for (const SemaphoreWait& wait : program_.WaitsOf(id)) Learn(wait, clock, id);
  at_start_[id.value] = clock;
  played_[id.value] = true;
  const ComputeTime& time = instance(id).time;
  if (stream < kComputeStreams && time.latency == time.interval)
    clock.ended[stream] = position_[id.value] + 1;
}

void HappensBefore::Learn(const SemaphoreWait& wait, Clock& clock, InstanceId id) {
  if (wait.at_least <= 0) return;
  const std::size_t semaphore = wait.semaphore.value;
  if (semaphore < kComputeStreams) {
    const auto ended = static_cast<std::uint32_t>(wait.at_least);
    const auto stream = program_.StreamOf({static_cast<int>(semaphore)});
    clock.Join(at_start_[stream[ended - 1].value]);
    clock.ended[semaphore] = std::max(clock.ended[semaphore], ended);
    return;
  }
  if (wait.at_least < increments_) return;
  const InstanceId transfer = program_.OwnerOf(wait.semaphore);
  clock.Join(at_start_[transfer.value]);
  std::vector<Waiter>& waiters = waiters_[instance(transfer).transfer];
  const int stream = instance(id).stream.value;
  const bool known = std::any_of(waiters.begin(), waiters.end(),
                                 [&](const Waiter& waiter) { return waiter.stream == stream; });
  if (!known) waiters.push_back({stream, position_[id.value]});
}

bool HappensBefore::EndsBefore(InstanceId a, InstanceId b) const {
  const Clock& clock = at_start_[b.value];
  const StreamId stream = instance(a).stream;
  if (!stream.is_queue())
    return clock.ended[static_cast<std::size_t>(stream.value)] > position_[a.value];
  const std::vector<Waiter>& waiters = waiters_[instance(a).transfer];
  return std::any_of(waiters.begin(), waiters.end(), [&](const Waiter& waiter) {
    return clock.started[static_cast<std::size_t>(waiter.stream)] > waiter.first;
  });
}

bool HappensBefore::InOneStream(InstanceId a, InstanceId b) const {
  return !instance(a).stream.is_queue() && instance(a).stream == instance(b).stream &&
         position_[a.value] < position_[b.value];
}

std::string HappensBefore::Knows(InstanceId b, InstanceId a) const {
  const StreamId stream = instance(a).stream;
  if (!stream.is_queue()) {
    return fmt::format("{} of {} have surely ended then; it is number {}",
                       at_start_[b.value].ended[static_cast<std::size_t>(stream.value)],
                       StreamName(stream), position_[a.value] + 1);
  }
  const std::vector<Waiter>& waiters = waiters_[instance(a).transfer];
  if (waiters.empty())
    return fmt::format("nothing waits for that transfer of {}", StreamName(stream));
  std::string names;
  for (const Waiter& waiter : waiters) {
    names += fmt::format("{}{} of {}", names.empty() ? "" : ", ", waiter.first + 1,
                         StreamName({waiter.stream}));
  }
  return fmt::format(
      "of those that wait for that transfer of {} (number {}) none has surely "
      "started then",
      StreamName(stream), names);
}

}  // namespace spillway::check
