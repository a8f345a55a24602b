#include "sim/lower/sync_plan.h"

#include <algorithm>
#include <array>

#include "model/hw/fault.h"
#include "model/hw/timing/instruction_cost.h"

namespace spillway {
namespace {

/// How many instances of each compute engine have surely ended.
using Clock = std::array<std::uint32_t, kComputeStreams>;

constexpr std::uint32_t kUnknown = 0xFFFFFFFF;

void Join(Clock& clock, const Clock& other) {
  for (std::size_t e = 0; e < clock.size(); ++e) clock[e] = std::max(clock[e], other[e]);
}

class Planner {
 public:
  Planner(const Dependences& dependences, std::span<const StreamId> streams)
      : dependences_(dependences),
        streams_(streams),
        at_start_(streams.size()),
        position_(streams.size()) {}

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
    if (is_compute) {
      position_[i] = next_position_[stream]++;
      if (!pipelined) clock[stream] = position_[i];
    } else {
      position_[i] = transfers_++;
      waited_.resize(waited_.size() + kComputeStreams, kUnknown);
    }
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
      } else if (Ended(edge.from, clock, i)) {
        ++plan_.by_other_waits;
      } else {
        plan_.producers.push_back(edge.from);
        Learn(edge.from, clock);
        if (streams_[edge.from].is_queue() && is_compute) {
          std::uint32_t& waited = Waited(edge.from, stream);
          waited = std::min(waited, position_[i]);
        }
      }
    }
    at_start_[i] = clock;
  }

  // Whether `producer` has surely ended when instance `i` starts.
  bool Ended(std::uint32_t producer, const Clock& clock, std::size_t i) const {
    const StreamId stream = streams_[producer];
    if (!stream.is_queue()) {
      return clock[static_cast<std::size_t>(stream.value)] > position_[producer];
    }
    // A transfer has ended if some instance that waited for it has ended, or has started before `i`
    // on the same engine.
    for (std::size_t e = 0; e < clock.size(); ++e) {
      const std::uint32_t waiter = waited_[position_[producer] * kComputeStreams + e];
      if (waiter == kUnknown) continue;
      if (clock[e] > waiter || streams_[i].value == static_cast<int>(e)) return true;
    }
    return false;
  }

  void Learn(std::uint32_t producer, Clock& clock) const {
    Join(clock, at_start_[producer]);
    const StreamId stream = streams_[producer];
    if (stream.is_queue()) return;
    std::uint32_t& ended = clock[static_cast<std::size_t>(stream.value)];
    ended = std::max(ended, position_[producer] + 1);
  }

  std::uint32_t& Waited(std::uint32_t transfer, std::size_t engine) {
    return waited_[position_[transfer] * kComputeStreams + engine];
  }

  const Dependences& dependences_;
  std::span<const StreamId> streams_;
  std::vector<Clock> at_start_;
  std::vector<std::uint32_t> position_;  ///< in its engine's stream, or among all transfers
  std::array<Clock, kMaxStreams> stream_clock_{};
  std::array<std::uint32_t, kComputeStreams> next_position_{};
  std::vector<std::uint32_t> waited_;  ///< per transfer and engine: first position that waited
  std::uint32_t transfers_ = 0;
  SyncPlan plan_;
};

}  // namespace

SyncPlan PlanSync(const Dependences& dependences, std::span<const StreamId> streams) {
  return Planner(dependences, streams).Plan();
}

}  // namespace spillway
