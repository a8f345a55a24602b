#include "sim/exec/adversarial_plan.h"

#include "model/hw/error.h"

namespace spillway {
namespace {

// More than a whole kernel of the tests takes at the usual rates.
constexpr std::int64_t kVerySlow = 4000;
constexpr std::int64_t kMostJitter = 200;

std::vector<StreamId> StreamsInUse(const HwProgram& program) {
  std::vector<StreamId> streams;
  for (int s = 0; s < kMaxStreams; ++s) {
    if (!program.StreamOf({s}).empty()) streams.push_back({s});
  }
  return streams;
}

// SplitMix64
std::uint64_t Next(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

// Whether results land when the next instance may start, so that they may as well land earlier.
bool EndsAlone(const HwInstance& instance) {
  return instance.stream.is_queue() || instance.time.latency == instance.time.interval;
}

struct Change {
  std::int64_t slower = 1;
  ByteTiming bytes = ByteTiming::kFirstToLast;
};

void Add(const HwProgram& program, InstanceId id, Change change, AdversarialPlan& plan) {
  const HwInstance& instance = program.instance(id);
  if (!EndsAlone(instance) && change.bytes != ByteTiming::kAllAtEnd)
    change.bytes = ByteTiming::kFirstToLast;
  plan.bytes.push_back(change.bytes);
  if (instance.stream.is_queue()) {
    Transfer transfer = program.TransferOf(id);
    // Its latency, since a slow descriptor would hold up other queues too.
    transfer.descriptor_latency = Picoseconds(transfer.descriptor_latency.value * change.slower);
    plan.program.AddTransfer(instance.stream.queue(), transfer, program.WaitsOf(id));
    return;
  }
  const ComputeTime time{Picoseconds(instance.time.interval.value * change.slower),
                         Picoseconds(instance.time.latency.value * change.slower)};
  plan.program.AddCompute(static_cast<Engine>(instance.stream.value), time, instance.channels,
                          program.WaitsOf(id));
}

Change RandomChange(std::uint64_t& state) {
  const std::uint64_t bits = Next(state);
  constexpr std::uint64_t kTimings = 4;
  // Half of them stay quick, so that they can overtake.
  const bool slow = (bits & 1) != 0;
  const auto slower = static_cast<std::int64_t>(1 + (bits >> 8) % kMostJitter);
  return {slow ? slower : 1, static_cast<ByteTiming>((bits >> 1) % kTimings)};
}

}  // namespace

int DirectedPlans(const HwProgram& program) {
  return 2 * static_cast<int>(StreamsInUse(program).size());
}

AdversarialPlan MakeAdversarialPlan(const HwProgram& program, int number, std::uint64_t seed) {
  SPILLWAY_CHECK(number >= 0, "plans are counted from 0");
  const std::vector<StreamId> streams = StreamsInUse(program);
  const auto slow = static_cast<std::size_t>(number / 2);
  const bool in_pieces = number % 2 != 0;
  std::uint64_t state = seed * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(number);
  AdversarialPlan plan;
  for (std::size_t i = 0; i < program.instances().size(); ++i) {
    const InstanceId id(i);
    if (slow >= streams.size()) {
      Add(program, id, RandomChange(state), plan);
    } else if (program.instance(id).stream == streams[slow]) {
      Add(program, id, {kVerySlow, in_pieces ? ByteTiming::kInTwoPieces : ByteTiming::kAllAtEnd},
          plan);
    } else {
      Add(program, id, {1, ByteTiming::kAllAtStart}, plan);
    }
  }
  return plan;
}

}  // namespace spillway
