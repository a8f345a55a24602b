#include "sim/lower/sync_plan.h"

#include <algorithm>
#include <array>

#include "model/hw/fault.h"
#include "model/hw/timing/instruction_cost.h"

namespace spillway {
namespace {

constexpr std::uint32_t kNobody = 0xFFFFFFFF;

/// What has surely happened when an instance starts: how many instances of each stream have
/// started (a queue: were issued), and how many of each compute engine have ended.
struct Clock {
  std::array<std::uint32_t, kMaxStreams> started{};
  std::array<std::uint32_t, kComputeStreams> ended{};
};

void Join(Clock& clock, const Clock& other) {
  for (std::size_t s = 0; s < clock.started.size(); ++s)
    clock.started[s] = std::max(clock.started[s], other.started[s]);
  for (std::size_t e = 0; e < clock.ended.size(); ++e)
    clock.ended[e] = std::max(clock.ended[e], other.ended[e]);
}

class Planner {
 public:
  Planner(const Dependences& dependences, std::span<const StreamId> streams)
      : dependences_(dependences),
        streams_(streams),
        at_start_(streams.size()),
        position_(streams.size()),
        last_waiter_(streams.size(), kNobody) {}

  SyncPlan Plan() {
    plan_.first.reserve(streams_.size() + 1);
    plan_.first.push_back(0);
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      Visit(i);
      plan_.first.push_back(static_cast<std::uint32_t>(plan_.producers.size()));
    }
    return std::move(plan_);
  }

 private:
  void Visit(std::size_t i) {
    const auto stream = static_cast<std::size_t>(streams_[i].value);
    const bool is_compute = !streams_[i].is_queue();
    const bool pipelined = is_compute && IsPipelined(static_cast<Engine>(stream));
    Clock& clock =
        stream_clock_[stream];  // what the stream's previous instance knew when it started
    position_[i] = clock.started[stream]++;
    if (is_compute && !pipelined) clock.ended[stream] = position_[i];
    // Latest first: what a late instance waited for needs no wait of its own.
    for (const Dependence& edge : dependences_.EdgesInto(i)) {
      ++plan_.dependences;
      const bool is_missed =
          SPILLWAY_FAULT(A14, false, edge.hazard != Hazard::kReadAfterWrite && !is_compute) ||
          SPILLWAY_FAULT(A15, false,
                         edge.hazard == Hazard::kWriteAfterRead && streams_[edge.from].is_queue());
      if (is_missed) continue;
      const bool in_order = !pipelined || edge.hazard != Hazard::kReadAfterWrite;
      if (is_compute && streams_[edge.from] == streams_[i] && in_order) {
        ++plan_.by_stream_order;
      } else if (Ended(edge.from, clock)) {
        ++plan_.by_other_waits;
      } else {
        plan_.producers.push_back(edge.from);
        Learn(edge.from, clock);
        if (streams_[edge.from].is_queue()) NoteWaiter(edge.from, i);
      }
    }
    at_start_[i] = clock;
  }

  // Whether `producer` has surely ended.
  bool Ended(std::uint32_t producer, const Clock& clock) const {
    const StreamId stream = streams_[producer];
    if (!stream.is_queue())
      return clock.ended[static_cast<std::size_t>(stream.value)] > position_[producer];
    // A transfer has ended if some instance that waited for it has started.
    for (std::uint32_t w = last_waiter_[producer]; w != kNobody; w = waiters_[w].previous) {
      const Waiter& waiter = waiters_[w];
      if (clock.started[static_cast<std::size_t>(waiter.stream)] > waiter.position) return true;
    }
    return false;
  }

  void Learn(std::uint32_t producer, Clock& clock) const {
    Join(clock, at_start_[producer]);
    const StreamId stream = streams_[producer];
    if (stream.is_queue()) return;
    std::uint32_t& ended = clock.ended[static_cast<std::size_t>(stream.value)];
    ended = std::max(ended, position_[producer] + 1);
  }

  void NoteWaiter(std::uint32_t transfer, std::size_t i) {
    waiters_.push_back({streams_[i].value, position_[i], last_waiter_[transfer]});
    last_waiter_[transfer] = static_cast<std::uint32_t>(waiters_.size() - 1);
  }

  struct Waiter {
    int stream = 0;
    std::uint32_t position = 0;
    std::uint32_t previous = kNobody;  ///< of the same transfer
  };

  const Dependences& dependences_;
  std::span<const StreamId> streams_;
  std::vector<Clock> at_start_;
  std::vector<std::uint32_t> position_;  ///< in its stream
  std::array<Clock, kMaxStreams> stream_clock_{};
  std::vector<Waiter> waiters_;             ///< for transfers
  std::vector<std::uint32_t> last_waiter_;  ///< per instance; transfers alone have one
  SyncPlan plan_;
};

}  // namespace

SyncPlan PlanSync(const Dependences& dependences, std::span<const StreamId> streams) {
  return Planner(dependences, streams).Plan();
}

}  // namespace spillway
