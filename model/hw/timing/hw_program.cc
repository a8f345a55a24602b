#include "model/hw/timing/hw_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/hw/error.h"

namespace spillway {

std::string StreamName(StreamId stream) {
  if (stream.is_queue()) return fmt::format("q{}", stream.queue());
  return std::string(EngineName(static_cast<Engine>(stream.value)));
}

std::string_view DmaRoleName(DmaRole role) {
  switch (role) {
    case DmaRole::kData: return "data";
    case DmaRole::kSave: return "save";
    case DmaRole::kReload: return "reload";
  }
  return "";
}

std::int64_t ShareOf(const Transfer& transfer, int engine, int engines) {
  const std::int64_t place = (engine - transfer.first_engine + engines) % engines;
  const std::int64_t left = transfer.descriptors - place * transfer.descriptors_per_engine;
  return std::clamp<std::int64_t>(left, 0, transfer.descriptors_per_engine);
}

Picoseconds PacketTime(const Transfer& transfer) {
  return Picoseconds((transfer.descriptor_time.value + transfer.packets - 1) / transfer.packets);
}

Picoseconds PacketLatency(const Transfer& transfer) {
  return Picoseconds((transfer.descriptor_latency.value + transfer.packets - 1) / transfer.packets);
}

HwProgram::HwProgram() : semaphore_owner_(kComputeStreams, -1) {}

InstanceId HwProgram::AddCompute(Engine engine, ComputeTime time, ChannelSet channels,
                                 std::span<const SemaphoreWait> waits) {
  SPILLWAY_CHECK(engine != Engine::kDma, "a DMA instance is a transfer on a queue");
  SPILLWAY_CHECK(time.interval > Picoseconds(0), "an instruction takes time");
  SPILLWAY_CHECK(time.latency >= time.interval, "the next instruction starts before this one ends");
  HwInstance instance;
  instance.stream = StreamId::Compute(engine);
  instance.signal = CompletionsOf(engine);
  instance.channels = channels;
  instance.time = time;
  return Add(instance, waits);
}

InstanceId HwProgram::AddTransfer(int queue, const Transfer& transfer,
                                  std::span<const SemaphoreWait> waits) {
  SPILLWAY_CHECK(queue >= 0 && queue < kMaxDmaQueues, "no such queue");
  SPILLWAY_CHECK(transfer.descriptors > 0 && transfer.descriptors_per_engine > 0,
                 "a transfer has descriptors");
  SPILLWAY_CHECK(transfer.descriptor_time > Picoseconds(0), "a descriptor takes time");
  SPILLWAY_CHECK(transfer.packets > 0, "a descriptor has a packet");
  HwInstance instance;
  instance.stream = StreamId::Queue(queue);
  instance.signal = SemaphoreId(semaphore_owner_.size());
  instance.transfer = static_cast<std::uint32_t>(transfers_.size());
  semaphore_owner_.push_back(static_cast<std::int64_t>(instances_.size()));
  transfers_.push_back(transfer);
  transfers_.back().descriptor_latency =
      std::max(transfer.descriptor_time, transfer.descriptor_latency);
  return Add(instance, waits);
}

InstanceId HwProgram::Add(HwInstance instance, std::span<const SemaphoreWait> waits) {
  const InstanceId id(instances_.size());
  instance.first_wait = static_cast<std::uint32_t>(waits_.size());
  instance.wait_count = static_cast<std::uint32_t>(waits.size());
  waits_.insert(waits_.end(), waits.begin(), waits.end());
  for (const SemaphoreWait& wait : waits) NoteWait(wait);
  instances_.push_back(instance);
  std::vector<InstanceId>& stream = streams_[static_cast<std::size_t>(instance.stream.value)];
  stream.push_back(id);
  position_.push_back(static_cast<std::int64_t>(stream.size()));
  return id;
}

void HwProgram::NoteWait(const SemaphoreWait& wait) {
  producers_.push_back(ProducerOf(wait));
  semaphores_waited_ = std::max<std::size_t>(semaphores_waited_, wait.semaphore.value + 1);
  if (wait.semaphore.value >= kComputeStreams) {
    least_increments_waited_ = std::min(least_increments_waited_, wait.at_least);
  }
}

InstanceId HwProgram::ProducerOf(const SemaphoreWait& wait) const {
  if (wait.semaphore.value >= semaphore_owner_.size()) return kNoInstance;
  if (wait.semaphore.value >= kComputeStreams) return OwnerOf(wait.semaphore);
  const std::vector<InstanceId>& stream = streams_[wait.semaphore.value];
  const bool exists =
      wait.at_least > 0 && wait.at_least <= static_cast<std::int64_t>(stream.size());
  return exists ? stream[static_cast<std::size_t>(wait.at_least) - 1] : kNoInstance;
}

std::int64_t HwProgram::CompletionCount(Engine engine) const {
  return static_cast<std::int64_t>(StreamOf(StreamId::Compute(engine)).size());
}

SemaphoreWait HwProgram::Finished(InstanceId id, std::int64_t engines) const {
  const HwInstance& instance = instances_[id.value];
  return {instance.signal, instance.stream.is_queue() ? engines : position_[id.value]};
}

std::string HwProgram::SemaphoreName(SemaphoreId semaphore) const {
  const std::int64_t owner = semaphore_owner_[semaphore.value];
  if (owner >= 0) return fmt::format("transfer {}", owner);
  return fmt::format("{} completions", EngineName(static_cast<Engine>(semaphore.value)));
}

}  // namespace spillway
