#include "sim/estimate/perf_rules.h"

#include "model/hw/clock.h"

namespace spillway {
namespace {

// The estimator counts model cycles, and a model cycle is one nanosecond, as in the closed form,
// whose fixed part of a DMA (1,300 model cycles) is the window below.
// Source: derived from hwm_and_geometry §2 and isa_costs §1.1.
constexpr Picoseconds kModelCycle{1000};

// Source of all below: hwm_and_geometry §3, the event simulator of neuronx_cc 2.24; they are the
// compiler's, the same on every generation, and nobody's measurement.
constexpr std::int64_t kOverlapsAbove = 100;
constexpr std::int64_t kComputeWindow = 100;
constexpr std::int64_t kDmaWindow = 1300;
constexpr int kLastLevelWithSharedPort = 29;
struct LimitedQueue {
  std::size_t queue;
  std::int64_t depth;
};
constexpr LimitedQueue kLimitedQueues[] = {{10, 4}, {12, 1}};

}  // namespace

PerfRules RulesOf(const Target& target) {
  const auto in_reference_clock = [&](std::int64_t model_cycles) {
    return CyclesIn(kModelCycle * model_cycles, target.reference_hertz);
  };
  PerfRules rules;
  rules.overlaps_above = in_reference_clock(kOverlapsAbove);
  rules.compute_window = in_reference_clock(kComputeWindow);
  rules.dma_window = in_reference_clock(kDmaWindow);
  rules.shared_port = target.architecture_level <= kLastLevelWithSharedPort;
  for (const LimitedQueue& limited : kLimitedQueues)
    rules.queue_depth[limited.queue] = limited.depth;
  return rules;
}

}  // namespace spillway
