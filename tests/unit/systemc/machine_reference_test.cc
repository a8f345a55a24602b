// The machine against a plain model of the same rules: no SystemC, one step per descriptor.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "model/hw/systemc/machine.h"

namespace spillway {
namespace {

// Steps from instant to instant; at each, everything that ends comes before all that begins.
class PlainMachine {
 public:
  PlainMachine(const HwProgram& program, const Target& target)
      : program_(program),
        start_latency_(target.dma_start_latency.value.value),
        issue_floor_(target.dma_issue_floor.value.value),
        semaphore_latency_(target.semaphore_latency.value.value),
        engines_(static_cast<int>(target.dma_engines.value)),
        times_(program.instances().size()) {}

  std::vector<InstanceTimes> Play() {
    for (std::int64_t now = 0; now < kNever; now = next_) {
      next_ = kNever;
      EndAt(now);
      BeginAt(now);
    }
    return times_;
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  struct Stream {
    std::size_t next = 0;
    std::int64_t free_at = 0;  // compute: end of the instruction; queue: next issue
    bool busy = false;
  };
  struct Share {
    InstanceId id;
    std::int64_t left = 0;
  };
  struct DmaEngine {
    std::array<std::deque<Share>, kMaxDmaQueues> queues;
    int last = kMaxDmaQueues - 1;
    std::int64_t end = kNever;
  };

  void Look(std::int64_t time, std::int64_t now) {
    if (time > now) next_ = std::min(next_, time);
  }

  void Count(InstanceId id, std::int64_t now) {
    counts_[program_.instance(id).signal.value].push_back(now + semaphore_latency_);
  }

  void EndShare(InstanceId id, std::int64_t now) {
    Count(id, now);
    if (++shares_[id.value] == engines_) times_[id.value].finish = Picoseconds(now);
  }

  void EndAt(std::int64_t now) {
    for (int s = 0; s < kComputeStreams; ++s) {
      Stream& stream = streams_[static_cast<std::size_t>(s)];
      if (!stream.busy || stream.free_at != now) continue;
      stream.busy = false;
      const InstanceId id = program_.StreamOf({s})[stream.next++];
      times_[id.value].finish = Picoseconds(now);
      Count(id, now);
    }
    for (DmaEngine& engine : dma_) {
      if (engine.end != now) continue;
      engine.end = kNever;
      std::deque<Share>& queue = engine.queues[static_cast<std::size_t>(engine.last)];
      if (--queue.front().left > 0) continue;
      const InstanceId id = queue.front().id;
      queue.pop_front();
      EndShare(id, now);
    }
    const auto arriving = arrivals_.equal_range(now);
    for (auto arrival = arriving.first; arrival != arriving.second; ++arrival) {
      const InstanceId id = arrival->second;
      const auto queue = static_cast<std::size_t>(program_.instance(id).stream.queue());
      for (int e = 0; e < engines_; ++e) {
        const std::int64_t share = ShareOf(program_.TransferOf(id), e, engines_);
        if (share == 0) EndShare(id, now);
        if (share > 0) dma_[static_cast<std::size_t>(e)].queues[queue].push_back({id, share});
      }
    }
  }

  // When all waits hold, as far as the counts so far tell.
  std::int64_t ReadyTime(InstanceId id) {
    std::int64_t ready = 0;
    for (const SemaphoreWait& wait : program_.WaitsOf(id)) {
      const std::vector<std::int64_t>& seen = counts_[wait.semaphore.value];
      if (static_cast<std::int64_t>(seen.size()) < wait.at_least) return kNever;
      ready = std::max(ready, seen[static_cast<std::size_t>(wait.at_least) - 1]);
    }
    return ready;
  }

  void BeginAt(std::int64_t now) {
    for (int s = 0; s < kMaxStreams; ++s) BeginStream({s}, now);
    for (DmaEngine& engine : dma_) BeginDma(engine, now);
    const auto arrival = arrivals_.upper_bound(now);
    if (arrival != arrivals_.end()) Look(arrival->first, now);
  }

  void BeginStream(StreamId id, std::int64_t now) {
    Stream& stream = streams_[static_cast<std::size_t>(id.value)];
    while (stream.next < program_.StreamOf(id).size()) {
      if (stream.busy || stream.free_at > now) return Look(stream.free_at, now);
      const InstanceId head = program_.StreamOf(id)[stream.next];
      const std::int64_t ready = ReadyTime(head);
      if (ready == kNever) return;
      if (ready > now) return Look(ready, now);
      times_[head.value].issue = Picoseconds(now);
      if (id.is_queue()) {
        arrivals_.emplace(now + start_latency_, head);
        stream.free_at = now + issue_floor_;
        ++stream.next;
      } else {
        times_[head.value].start = Picoseconds(now);
        stream.busy = true;
        stream.free_at = now + program_.instance(head).duration.value;
      }
    }
  }

  void BeginDma(DmaEngine& engine, std::int64_t now) {
    for (int step = 1; step <= kMaxDmaQueues && engine.end == kNever; ++step) {
      const int queue = (engine.last + step) % kMaxDmaQueues;
      const std::deque<Share>& shares = engine.queues[static_cast<std::size_t>(queue)];
      if (shares.empty()) continue;
      engine.last = queue;
      const InstanceId id = shares.front().id;
      engine.end = now + program_.TransferOf(id).descriptor_time.value;
      if (times_[id.value].start < Picoseconds(0)) times_[id.value].start = Picoseconds(now);
      break;
    }
    if (engine.end != kNever) Look(engine.end, now);
  }

  const HwProgram& program_;
  std::int64_t start_latency_;
  std::int64_t issue_floor_;
  std::int64_t semaphore_latency_;
  int engines_;
  std::vector<InstanceTimes> times_;
  std::array<Stream, kMaxStreams> streams_{};
  std::array<DmaEngine, kMaxDmaEngines> dma_{};
  std::multimap<std::int64_t, InstanceId> arrivals_;
  std::map<std::uint32_t, std::vector<std::int64_t>>
      counts_;  // when each increment becomes visible
  std::map<std::uint32_t, int> shares_;
  std::int64_t next_ = 0;
};

// Few distinct durations, so that many things meet at one instant.
HwProgram RandomProgram(std::mt19937& random, int size) {
  HwProgram program;
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int i = 0; i < size; ++i) {
    std::vector<SemaphoreWait> waits;
    for (std::int64_t w = below(3); w-- > 0 && i > 0;) {
      const std::int64_t back = 1 + below(static_cast<std::uint32_t>(std::min(i, 12)));
      waits.push_back(program.Finished(InstanceId(static_cast<int>(i - back))));
    }
    if (below(2) == 0) {
      program.AddCompute(static_cast<Engine>(below(5)), Picoseconds(10 * (1 + below(6))), waits);
      continue;
    }
    Transfer transfer;
    transfer.descriptors = 1 + below(below(2) == 0 ? 128 : 8);
    transfer.descriptor_time = Picoseconds(5 * (1 + below(4)));
    transfer.first_engine = static_cast<std::int32_t>(below(16));
    program.AddTransfer(static_cast<int>(below(6)), transfer, waits);
  }
  return program;
}

TEST(MachineAgainstPlainModel, EveryInstanceHasTheSameTimes) {
  std::mt19937 random(2026);
  for (int round = 0; round < 150; ++round) {
    Target target = FindTarget("trn2").value();
    target.dma_start_latency.value = Picoseconds(20 + 5 * (round % 3));
    target.dma_issue_floor.value = Picoseconds(round % 2 == 0 ? 0 : 15);
    target.semaphore_latency.value = Picoseconds(round % 5 == 0 ? 1 : 5);
    const HwProgram program = RandomProgram(random, 20 + round);
    const RunResult result = Machine::Instance().Run(program, target, {}, nullptr);
    ASSERT_EQ(result.outcome, RunOutcome::kFinished);
    const std::vector<InstanceTimes> plain = PlainMachine(program, target).Play();
    for (std::size_t i = 0; i < plain.size(); ++i) {
      ASSERT_EQ(result.times[i].issue, plain[i].issue) << "round " << round << ", instance " << i;
      ASSERT_EQ(result.times[i].start, plain[i].start) << "round " << round << ", instance " << i;
      ASSERT_EQ(result.times[i].finish, plain[i].finish) << "round " << round << ", instance " << i;
    }
  }
}

TEST(MachineAgainstPlainModel, BusyTimesAndBytesAreConserved) {
  std::mt19937 random(7);
  const Target target = FindTarget("trn2").value();
  for (int round = 0; round < 20; ++round) {
    const HwProgram program = RandomProgram(random, 60);
    const RunResult result = Machine::Instance().Run(program, target, {}, nullptr);
    std::array<Picoseconds, kEngineCount> busy{};
    for (std::size_t i = 0; i < program.instances().size(); ++i) {
      const HwInstance& instance = program.instances()[i];
      if (!instance.stream.is_queue()) {
        busy[static_cast<std::size_t>(instance.stream.value)] += instance.duration;
        continue;
      }
      const Transfer& transfer = program.TransferOf(InstanceId(i));
      busy[static_cast<std::size_t>(Engine::kDma)] +=
          transfer.descriptor_time * transfer.descriptors;
    }
    EXPECT_EQ(result.busy, busy);
    EXPECT_EQ(result.traffic[0].transfers, static_cast<std::int64_t>(program.transfer_count()));
  }
}

TEST(MachineAgainstPlainModel, TheOrderInWhichStreamsWereWrittenDoesNotMatter) {
  // Six queues that arrive at the same instant, written from the first and from the last.
  const auto finishes = [](bool backwards) {
    HwProgram program;
    for (int i = 0; i < 6; ++i) {
      const int queue = backwards ? 5 - i : i;
      Transfer transfer;
      transfer.descriptors = 3 + queue;
      transfer.descriptor_time = Picoseconds(7 + queue);
      program.AddTransfer(queue, transfer, {});
    }
    const RunResult result =
        Machine::Instance().Run(program, FindTarget("trn2").value(), {}, nullptr);
    std::vector<Picoseconds> by_queue;
    for (int queue = 0; queue < 6; ++queue) {
      by_queue.push_back(result.times[program.StreamOf(StreamId::Queue(queue))[0].value].finish);
    }
    return by_queue;
  };
  EXPECT_EQ(finishes(false), finishes(true));
}

}  // namespace
}  // namespace spillway
