#include "properties/program_choices.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {
namespace {

constexpr int kMostBack = 12;
constexpr int kFewQueues = 5;

void Wait(const HwProgram& program, std::uint8_t choice, std::int64_t engines,
          std::vector<SemaphoreWait>& waits) {
  const auto size = static_cast<int>(program.instances().size());
  const int back = choice % (kMostBack + 1);
  if (back == 0 || back > size) return;
  SemaphoreWait wait = program.Finished(InstanceId(size - back), engines);
  // Now and then for fewer increments of a transfer: a fault that the machine must play too.
  if (choice > 230 && wait.semaphore.value >= kComputeStreams) wait.at_least = 1 + choice % engines;
  waits.push_back(wait);
}

Transfer TransferOf(const ProgramChoice& c) {
  Transfer transfer;
  transfer.descriptors = c.shape % 4 == 0 ? 128 : 1 + c.shape % 19;
  transfer.descriptors_per_engine = c.shape % 4 == 0 ? 8 : 1 + c.shape / 64;
  transfer.first_engine = c.shape / 4 % kMaxDmaEngines;
  transfer.descriptor_bytes = Bytes(64);
  transfer.descriptor_time = Picoseconds(5 * (1 + c.time % 4));
  transfer.descriptor_latency = Picoseconds(transfer.descriptor_time.value + c.extra % 3 * 5);
  transfer.packets = c.extra % 7 == 1 ? 3 : 1;
  transfer.generated = c.extra % 2 == 0;
  transfer.role = static_cast<DmaRole>(c.channels % kDmaRoleCount);
  return transfer;
}

ChannelSet ChannelsOf(std::uint8_t choice) {
  ChannelSet channels = 0;
  if (choice % 3 == 1) channels |= BankChannel(choice / 16 % 3);
  if (choice % 5 == 1) channels |= BankChannel(choice / 64);
  if (choice % 7 == 1) channels |= kSbufPortChannel;
  if (choice % 11 == 1) channels |= kPsumPortChannel;
  return channels;
}

}  // namespace

HwProgram ProgramCase::Program() const {
  HwProgram program;
  const std::int64_t engines = RatesOf().dma_engines;
  std::vector<SemaphoreWait> waits;
  for (const ProgramChoice& c : choices) {
    waits.clear();
    Wait(program, c.wait, engines, waits);
    Wait(program, c.second, engines, waits);
    const int stream = c.stream % 16;
    if (c.stream / 16 % 2 == 0) {
      const Picoseconds interval(10 * (1 + c.time % 6));
      program.AddCompute(static_cast<Engine>(stream % kComputeStreams),
                         {interval, interval + Picoseconds(c.extra % 4 * 10)},
                         ChannelsOf(c.channels), waits);
    } else {
      Transfer transfer = TransferOf(c);
      transfer.first_engine %= static_cast<std::int32_t>(engines);
      transfer.descriptors =
          std::min(transfer.descriptors, engines * transfer.descriptors_per_engine);
      program.AddTransfer(c.stream >= 128 ? stream : stream % kFewQueues, transfer, waits);
    }
  }
  return program;
}

Target ProgramCase::RatesOf() const {
  Target target = FindTarget("trn2").value();
  target.dma_start_latency.value = Picoseconds(1 + 6 * (rates.start_latency % 8));
  target.dma_issue_floor.value = Picoseconds(15 * (rates.issue_floor % 3));
  target.dma_generators.value = rates.generators % 9;
  target.semaphore_latency.value = Picoseconds(1 + rates.semaphore_latency % 8);
  target.pe_ramp.value = Picoseconds(100 * (rates.ramp % 4));
  target.pe_cold_percent.value = 100 - rates.ramp / 4;
  target.dma_engines.value = kMaxDmaEngines - rates.engines % 16;
  target.dma_completion_increments.value = target.dma_engines.value;
  return target;
}

std::string Show(const ProgramCase& program_case) {
  const RateChoice& r = program_case.rates;
  std::string text =
      fmt::format("rates {{{}, {}, {}, {}, {}, {}}}, choices {{", r.start_latency, r.issue_floor,
                  r.generators, r.semaphore_latency, r.ramp, r.engines);
  for (const ProgramChoice& c : program_case.choices) {
    text += fmt::format("\n  {{{}, {}, {}, {}, {}, {}, {}}},", c.stream, c.time, c.extra, c.shape,
                        c.wait, c.second, c.channels);
  }
  return text + "}";
}

ProgramFeatures FeaturesOf(const HwProgram& program, const Target& target) {
  ProgramFeatures features;
  std::vector<int> queues;
  ChannelSet held[kComputeStreams] = {};
  for (const HwInstance& instance : program.instances()) {
    if (instance.stream.is_queue()) {
      queues.push_back(instance.stream.queue());
      const Transfer& transfer = program.transfers()[instance.transfer];
      for (int e = 0; e < target.dma_engines; ++e) {
        features.narrow_transfers =
            features.narrow_transfers ||
            ShareOf(transfer, e, static_cast<int>(target.dma_engines.value)) == 0;
      }
    } else {
      features.pipelined = features.pipelined || instance.time.latency > instance.time.interval;
      held[instance.stream.value] |= instance.channels;
    }
  }
  std::sort(queues.begin(), queues.end());
  features.queues_meet = !queues.empty() && queues.front() != queues.back();
  for (int a = 0; a < kComputeStreams; ++a) {
    for (int b = a + 1; b < kComputeStreams; ++b) {
      features.shared_channels = features.shared_channels || (held[a] & held[b]) != 0;
    }
  }
  for (const SemaphoreWait& wait : program.waits()) {
    features.partial_waits = features.partial_waits || (wait.semaphore.value >= kComputeStreams &&
                                                        wait.at_least < target.dma_engines);
  }
  return features;
}

ProgramCase ProgramCaseFromSeed(std::uint64_t seed, std::size_t count) {
  std::uint64_t state = seed;
  const auto next = [&] {
    // SplitMix64: a counter, scrambled.
    std::uint64_t x = (state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::uint8_t>((x ^ (x >> 31)) >> 56);
  };
  ProgramCase result;
  result.rates = {next(), next(), next(), next(), next(), next()};
  for (std::size_t i = 0; i < count; ++i) {
    result.choices.push_back({next(), next(), next(), next(), next(), next(), next()});
  }
  return result;
}

}  // namespace spillway
