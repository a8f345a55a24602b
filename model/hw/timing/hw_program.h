// What the machine plays: instruction instances on in-order streams that meet at semaphores.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/hw/engine.h"
#include "model/hw/units.h"

namespace spillway {

/// Capacity of the elaborated machine; a program asks for no more. Source: isa_costs §1.1.
inline constexpr int kComputeStreams = 5;
inline constexpr int kMaxDmaQueues = 16;
inline constexpr int kMaxDmaEngines = 16;

using SemaphoreId = Id<struct SemaphoreIdTag>;
/// An instruction instance, numbered in program order.
using InstanceId = Id<struct InstanceIdTag>;

inline const InstanceId kNoInstance(std::size_t{0xFFFFFFFF});

/// A compute engine's instruction stream, or a DMA queue's.
struct StreamId {
  int value = 0;

  static constexpr StreamId Compute(Engine engine) { return {static_cast<int>(engine)}; }
  static constexpr StreamId Queue(int queue) { return {kComputeStreams + queue}; }
  constexpr bool is_queue() const { return value >= kComputeStreams; }
  constexpr int queue() const { return value - kComputeStreams; }
  friend constexpr auto operator<=>(StreamId, StreamId) = default;
};
inline constexpr int kMaxStreams = kComputeStreams + kMaxDmaQueues;
/// "pe", …, "sp", "q0" … "q15".
std::string StreamName(StreamId stream);

enum class DmaRole { kData, kSave, kReload };
inline constexpr int kDmaRoleCount = 3;
std::string_view DmaRoleName(DmaRole role);

struct SemaphoreWait {
  SemaphoreId semaphore;
  std::int64_t at_least = 0;
  friend bool operator==(const SemaphoreWait&, const SemaphoreWait&) = default;
};

/// Resources that instances hold alone, as a bit set.
/// Source: isa_costs §2, concurrency of access.
using ChannelSet = std::uint32_t;
inline constexpr int kMaxBankChannels = 16;
/// The port of PSUM bank `bank` (modulo 16) that Vector and Scalar share.
constexpr ChannelSet BankChannel(std::int64_t bank) {
  return ChannelSet{1} << (bank % kMaxBankChannels);
}
/// The SBUF port that Vector and GpSimd share, and the PSUM port that Vector and Scalar share.
inline constexpr ChannelSet kSbufPortChannel = ChannelSet{1} << 16;
inline constexpr ChannelSet kPsumPortChannel = ChannelSet{1} << 17;
/// The descriptor generator of `queue`, of `generators` (1 to 8): four neighbouring queues share
/// one, so that every fourth or every second queue meets all generators. Source: derived; which
/// sequencer triggers a queue is the compiler's choice.
constexpr int GeneratorOf(int queue, int generators) { return queue / 4 % generators; }

/// What a compute instruction holds its engine for and when its result is there.
struct ComputeTime {
  Picoseconds interval;  ///< from its start to the next instruction's, > 0
  Picoseconds latency;   ///< from its start to its end, >= interval
};

/// Equal descriptors, dealt to consecutive DMA engines (modulo their number) in shares of
/// `descriptors_per_engine`; the last share may be smaller.
struct Transfer {
  DmaRole role = DmaRole::kData;
  std::int32_t first_engine = 0;
  std::int64_t descriptors = 1;
  std::int64_t descriptors_per_engine = 8;
  Bytes descriptor_bytes;
  Picoseconds descriptor_time;     ///< that a descriptor takes one engine, > 0
  Picoseconds descriptor_latency;  ///< until the queue's next on that engine; less: the same
  std::int64_t packets = 1;        ///< of each descriptor; queues take turns between packets
  bool generated = false;          ///< a descriptor generator makes its descriptors
};

/// A packet's part of a descriptor's time and of its latency, rounded up.
Picoseconds PacketTime(const Transfer& transfer);
Picoseconds PacketLatency(const Transfer& transfer);

/// Descriptors that DMA engine `engine` of `engines` serves.
std::int64_t ShareOf(const Transfer& transfer, int engine, int engines);

struct HwInstance {
  StreamId stream;
  SemaphoreId signal;  ///< compute: +1 at the end; DMA: +1 by every DMA engine
  std::uint32_t first_wait = 0;
  std::uint32_t wait_count = 0;
  std::uint32_t transfer = 0;  ///< queues: index into transfers
  ChannelSet channels = 0;     ///< compute: held for the interval
  ComputeTime time;            ///< compute
};

/// Instances in program order; each stream plays its own in that order. Every compute engine has
/// one semaphore that counts its finished instances, every transfer one of its own.
class HwProgram {
 public:
  HwProgram();

  /// Waits must name semaphores of instances that exist already or will; the machine checks.
  InstanceId AddCompute(Engine engine, ComputeTime time, ChannelSet channels,
                        std::span<const SemaphoreWait> waits);
  /// One that ends when the next may start, and holds nothing else.
  InstanceId AddCompute(Engine engine, Picoseconds duration, std::span<const SemaphoreWait> waits) {
    return AddCompute(engine, {duration, duration}, 0, waits);
  }
  InstanceId AddTransfer(int queue, const Transfer& transfer, std::span<const SemaphoreWait> waits);

  const std::vector<HwInstance>& instances() const { return instances_; }
  const HwInstance& instance(InstanceId id) const { return instances_[id.value]; }
  std::span<const SemaphoreWait> WaitsOf(InstanceId id) const {
    const HwInstance& instance = instances_[id.value];
    return {waits_.data() + instance.first_wait, instance.wait_count};
  }
  const Transfer& TransferOf(InstanceId id) const { return transfers_[instance(id).transfer]; }
  std::span<const InstanceId> StreamOf(StreamId stream) const { return streams_[stream.value]; }
  std::size_t semaphore_count() const { return semaphore_owner_.size(); }
  std::size_t transfer_count() const { return transfers_.size(); }
  const std::vector<Transfer>& transfers() const { return transfers_; }
  /// The transfer whose end `semaphore` counts; only for semaphores of transfers.
  InstanceId OwnerOf(SemaphoreId semaphore) const {
    return InstanceId(static_cast<std::size_t>(semaphore_owner_[semaphore.value]));
  }
  const std::vector<SemaphoreWait>& waits() const { return waits_; }
  /// One more than the largest semaphore that is waited for.
  std::size_t semaphores_waited() const { return semaphores_waited_; }
  /// The smallest count of a transfer's increments that is waited for.
  std::int64_t least_increments_waited() const { return least_increments_waited_; }
  /// For each wait of `id` the instance whose end it is for; kNoInstance where the wait was written
  /// before that instance was.
  std::span<const InstanceId> ProducersOf(InstanceId id) const {
    const HwInstance& instance = instances_[id.value];
    return {producers_.data() + instance.first_wait, instance.wait_count};
  }

  /// Counts finished instances of `engine`.
  static SemaphoreId CompletionsOf(Engine engine) { return SemaphoreId(static_cast<int>(engine)); }
  /// Number of instances of `engine` so far: the count that its latest instance will reach.
  std::int64_t CompletionCount(Engine engine) const;
  /// Waits until `id` has finished; `engines` is the number of DMA engines of the target.
  SemaphoreWait Finished(InstanceId id, std::int64_t engines = kMaxDmaEngines) const;
  /// "pe completions" or "transfer 12".
  std::string SemaphoreName(SemaphoreId semaphore) const;

 private:
  InstanceId Add(HwInstance instance, std::span<const SemaphoreWait> waits);

  std::vector<HwInstance> instances_;
  InstanceId ProducerOf(const SemaphoreWait& wait) const;
  void NoteWait(const SemaphoreWait& wait);

  std::vector<SemaphoreWait> waits_;
  std::vector<InstanceId> producers_;
  std::size_t semaphores_waited_ = 0;
  std::int64_t least_increments_waited_ = kMaxDmaEngines;
  std::vector<Transfer> transfers_;
  std::vector<std::int64_t> position_;  ///< of each instance in its stream, from 1
  std::vector<std::int64_t>
      semaphore_owner_;  ///< instance of a transfer's semaphore, -1 for engines
  std::array<std::vector<InstanceId>, kMaxStreams> streams_;
};

}  // namespace spillway
