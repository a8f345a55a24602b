// The machine's rules once more, as plainly as they can be said: one step per instant and
// descriptor, no look-ahead, no grouping, nothing shared with the timing core.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <vector>

#include "model/hw/target.h"
#include "model/hw/timing/hw_program.h"
#include "model/hw/timing/run_result.h"

namespace spillway {

/// At each instant, everything that ends comes before all that begins.
class PlainMachine {
 public:
  PlainMachine(const HwProgram& program, const Target& target)
      : program_(program),
        target_(target),
        engines_(static_cast<int>(target.dma_engines.value)),
        times_(program.instances().size()) {}

  /// Times of every instance; -1 where a deadlock keeps it from happening.
  std::vector<InstanceTimes> Play() {
    for (std::int64_t now = 0; now < kNever; now = next_) {
      next_ = kNever;
      EndAt(now);
      BeginStreams(now);
      for (DmaEngine& engine : dma_) BeginDma(engine, now);
    }
    return times_;
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  struct Stream {
    std::size_t next = 0;
    std::int64_t free_at = 0;
    std::int64_t last_finish = 0;
    std::int64_t warmth = 0;
    bool asks = false;
  };
  struct Request {
    std::int64_t since = 0;
    int stream = 0;
    ChannelSet channels = 0;
  };
  struct Share {
    InstanceId id;
    std::int64_t left = 0;
  };
  struct DmaEngine {
    std::array<std::deque<Share>, kMaxDmaQueues> queues;
    std::array<std::int64_t, kMaxDmaQueues> queue_free_at{};
    int last = kMaxDmaQueues - 1;
    std::int64_t free_at = 0;
  };

  void Look(std::int64_t time, std::int64_t now) {
    if (time > now) next_ = std::min(next_, time);
  }

  void Count(InstanceId id, std::int64_t now) {
    counts_[program_.instance(id).signal.value].push_back(now +
                                                          target_.semaphore_latency.value.value);
  }

  void EndShare(InstanceId id, std::int64_t now) {
    Count(id, now);
    if (++shares_[id.value] == engines_) times_[id.value].finish = Picoseconds(now);
  }

  void EndAt(std::int64_t now) {
    for (const InstanceId id : TakeAt(landings_, now)) {
      times_[id.value].finish = Picoseconds(now);
      Count(id, now);
    }
    for (const InstanceId id : TakeAt(share_ends_, now)) EndShare(id, now);
    for (const InstanceId id : TakeAt(arrivals_, now)) {
      const auto queue = static_cast<std::size_t>(program_.instance(id).stream.queue());
      for (int e = 0; e < engines_; ++e) {
        const std::int64_t share = ShareOf(program_.TransferOf(id), e, engines_);
        if (share == 0) EndShare(id, now);
        if (share > 0) {
          const std::int64_t packets = share * program_.TransferOf(id).packets;
          dma_[static_cast<std::size_t>(e)].queues[queue].push_back({id, packets});
        }
      }
    }
  }

  std::vector<InstanceId> TakeAt(std::multimap<std::int64_t, InstanceId>& events,
                                 std::int64_t now) {
    std::vector<InstanceId> taken;
    while (!events.empty() && events.begin()->first == now) {
      taken.push_back(events.begin()->second);
      events.erase(events.begin());
    }
    if (!events.empty()) Look(events.begin()->first, now);
    return taken;
  }

  // When all waits hold, as far as the counts so far tell.
  std::int64_t ReadyTime(InstanceId id) {
    std::int64_t ready = 0;
    for (const SemaphoreWait& wait : program_.WaitsOf(id)) {
      if (wait.at_least <= 0) continue;
      const std::vector<std::int64_t>& seen = counts_[wait.semaphore.value];
      if (static_cast<std::int64_t>(seen.size()) < wait.at_least) return kNever;
      ready = std::max(ready, seen[static_cast<std::size_t>(wait.at_least) - 1]);
    }
    return ready;
  }

  ChannelSet ChannelsOf(InstanceId id) const {
    const HwInstance& instance = program_.instance(id);
    if (!instance.stream.is_queue()) return instance.channels;
    const int generators = static_cast<int>(target_.dma_generators.value);
    return generators == 0 || !program_.TransferOf(id).generated
               ? 0
               : ChannelSet{1} << (24 + GeneratorOf(instance.stream.queue(), generators));
  }

  // Streams ask in the order of time and rank; whoever asked first is served first.
  void BeginStreams(std::int64_t now) {
    for (bool progress = true; progress;) {
      progress = false;
      for (int s = 0; s < kMaxStreams; ++s) Ask(s, now);
      std::vector<Request> waiting;
      for (const Request& request : requests_) {
        if (Blocked(request, waiting, now)) {
          waiting.push_back(request);
        } else {
          Start(request, now);
          progress = true;
        }
      }
      requests_ = waiting;
    }
  }

  void Ask(int s, std::int64_t now) {
    Stream& stream = streams_[static_cast<std::size_t>(s)];
    if (stream.asks || stream.next >= program_.StreamOf({s}).size()) return;
    const InstanceId head = program_.StreamOf({s})[stream.next];
    const std::int64_t ready = ReadyTime(head);
    if (ready == kNever) return;
    const std::int64_t start = std::max(ready, stream.free_at);
    if (start > now) return Look(start, now);
    stream.asks = true;
    requests_.push_back({now, s, ChannelsOf(head)});
  }

  bool Blocked(const Request& request, const std::vector<Request>& earlier, std::int64_t now) {
    for (int c = 0; c < 32; ++c) {
      const ChannelSet bit = ChannelSet{1} << c;
      if ((request.channels & bit) == 0) continue;
      Look(channel_free_at_[static_cast<std::size_t>(c)], now);
      if (channel_free_at_[static_cast<std::size_t>(c)] > now) return true;
    }
    return std::any_of(earlier.begin(), earlier.end(), [&](const Request& other) {
      return (other.channels & request.channels) != 0;
    });
  }

  void Start(const Request& request, std::int64_t now) {
    Stream& stream = streams_[static_cast<std::size_t>(request.stream)];
    const InstanceId id = program_.StreamOf({request.stream})[stream.next++];
    const HwInstance& instance = program_.instance(id);
    stream.asks = false;
    times_[id.value].issue = Picoseconds(now);
    std::int64_t hold = target_.dma_issue_floor.value.value;
    if (instance.stream.is_queue()) {
      arrivals_.emplace(now + target_.dma_start_latency.value.value, id);
      Look(now + target_.dma_start_latency.value.value, now);
    } else {
      hold = Interval(request.stream, instance, now);
      const std::int64_t drain = (instance.time.latency - instance.time.interval).value;
      times_[id.value].start = Picoseconds(now);
      stream.free_at = now + hold;
      stream.last_finish = std::max(stream.last_finish, now + hold + drain);
      landings_.emplace(stream.last_finish, id);
      Look(stream.last_finish, now);
    }
    for (int c = 0; c < 32; ++c) {
      if ((request.channels >> c & 1) != 0) {
        channel_free_at_[static_cast<std::size_t>(c)] = now + hold;
      }
    }
  }

  std::int64_t Interval(int s, const HwInstance& instance, std::int64_t now) {
    const std::int64_t interval = instance.time.interval.value;
    const std::int64_t ramp = target_.pe_ramp.value.value;
    if (static_cast<Engine>(s) != Engine::kPe || ramp == 0) return interval;
    Stream& stream = streams_[static_cast<std::size_t>(s)];
    stream.warmth = std::max<std::int64_t>(0, stream.warmth - (now - stream.free_at));
    const std::int64_t cold = target_.pe_cold_percent;
    const std::int64_t percent = cold + (100 - cold) * stream.warmth / ramp;
    const std::int64_t slowed = (interval * 100 + percent - 1) / percent;
    stream.warmth = std::min(ramp, stream.warmth + slowed);
    return slowed;
  }

  void BeginDma(DmaEngine& engine, std::int64_t now) {
    if (engine.free_at > now) return Look(engine.free_at, now);
    for (int step = 1; step <= kMaxDmaQueues; ++step) {
      const int queue = (engine.last + step) % kMaxDmaQueues;
      std::deque<Share>& shares = engine.queues[static_cast<std::size_t>(queue)];
      if (shares.empty()) continue;
      std::int64_t& free_at = engine.queue_free_at[static_cast<std::size_t>(queue)];
      Look(free_at, now);
      if (free_at > now) continue;
      const InstanceId id = shares.front().id;
      const Transfer& transfer = program_.TransferOf(id);
      engine.last = queue;
      engine.free_at = now + PacketTime(transfer).value;
      free_at = now + PacketLatency(transfer).value;
      Look(engine.free_at, now);
      if (times_[id.value].start < Picoseconds(0)) times_[id.value].start = Picoseconds(now);
      if (--shares.front().left == 0) {
        share_ends_.emplace(free_at, id);
        Look(free_at, now);
        shares.pop_front();
      }
      return;
    }
  }

  const HwProgram& program_;
  const Target& target_;
  int engines_;
  std::vector<InstanceTimes> times_;
  std::array<Stream, kMaxStreams> streams_{};
  std::array<DmaEngine, kMaxDmaEngines> dma_{};
  std::array<std::int64_t, 32> channel_free_at_{};
  std::vector<Request> requests_;
  std::multimap<std::int64_t, InstanceId> arrivals_;
  std::multimap<std::int64_t, InstanceId> landings_;
  std::multimap<std::int64_t, InstanceId> share_ends_;
  std::map<std::uint32_t, std::vector<std::int64_t>>
      counts_;  // when each increment becomes visible
  std::map<std::uint32_t, int> shares_;
  std::int64_t next_ = 0;
};

}  // namespace spillway
