// The two players of the timing core and the plain machine: one time for every instance.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "model/hw/systemc/machine.h"
#include "model/hw/timing/event_machine.h"
#include "properties/rapidcheck_programs.h"
#include "tests/property/plain_machine.h"
#include "tests/property/run_property.h"
#include "tests/property/times_hash.h"

namespace spillway {
namespace {

/// Writes down what happens, in order.
class Log : public Effects {
 public:
  std::vector<std::pair<bool, std::uint32_t>> entries;
  void Load(MachineMemory& /*memory*/) override {}
  void Start(InstanceId id, MachineMemory& /*memory*/) override {
    entries.emplace_back(true, id.value);
  }
  void Finish(InstanceId id, MachineMemory& /*memory*/) override {
    entries.emplace_back(false, id.value);
  }
  void Unload(MachineMemory& /*memory*/) override {}
};

void RequireSame(const std::vector<InstanceTimes>& a, const std::vector<InstanceTimes>& b,
                 const char* what) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    RC_FAIL(fmt::format("{}: instance {} has {}/{}/{} and {}/{}/{}", what, i, a[i].issue.value,
                        a[i].start.value, a[i].finish.value, b[i].issue.value, b[i].start.value,
                        b[i].finish.value));
  }
}

void RequireSameTotals(const RunResult& a, const RunResult& b) {
  RC_ASSERT(a.outcome == b.outcome);
  RC_ASSERT(a.makespan == b.makespan);
  RC_ASSERT(a.busy == b.busy);
  RC_ASSERT(a.traffic == b.traffic);
  RC_ASSERT(a.spill_in_flight == b.spill_in_flight);
}

// In the order of the log no start comes before the landing of anything that ended by then.
void RequireOrdered(const Log& log, const std::vector<InstanceTimes>& times) {
  Picoseconds now;
  for (const auto& [starts, id] : log.entries) {
    const Picoseconds time = starts ? times[id].start : times[id].finish;
    RC_ASSERT(time >= now);
    now = time;
  }
  RC_ASSERT(log.entries.size() == 2 * times.size());
}

TEST(Players, GiveEveryInstanceTheSameTimes) {
  EventMachine events;
  Shares shares;
  CheckProperty("players", 20'000, [&](const ProgramCase& c) {
    const HwProgram program = c.Program();
    const Target target = c.RatesOf();
    const RunResult systemc = Machine::Instance().Run(program, target, {}, nullptr);
    RC_ASSERT(systemc.outcome == RunOutcome::kFinished);
    const RunResult event = events.Run(program, target, {}, nullptr);
    RequireSame(systemc.times, event.times, "SystemC and events");
    RequireSameTotals(systemc, event);
    RequireSame(systemc.times, PlainMachine(program, target).Play(), "SystemC and plain");
    const ProgramFeatures features = FeaturesOf(program, target);
    shares.Case();
    shares.Count("narrow transfers", features.narrow_transfers);
    shares.Count("queues meet", features.queues_meet);
    shares.Count("shared channels", features.shared_channels);
    shares.Count("pipelined", features.pipelined);
    shares.Count("partial waits", features.partial_waits);
  });
  shares.AtLeast("narrow transfers", 60);
  shares.AtLeast("queues meet", 60);
  shares.AtLeast("shared channels", 40);
  shares.AtLeast("pipelined", 60);
  shares.AtLeast("partial waits", 20);
}

TEST(Players, DoTheSameToTheBytesInTheSameOrderAndEffectsCostNoTime) {
  EventMachine events;
  CheckProperty("effects", 2'000, [&](const ProgramCase& c) {
    const HwProgram program = c.Program();
    const Target target = c.RatesOf();
    Log systemc_log;
    Log event_log;
    const RunResult systemc = Machine::Instance().Run(program, target, {}, &systemc_log);
    const RunResult event = events.Run(program, target, {}, &event_log);
    RequireSame(systemc.times, event.times, "SystemC and events");
    RequireSame(systemc.times, events.Run(program, target, {}, nullptr).times,
                "with and without effects");
    RC_ASSERT(systemc_log.entries == event_log.entries);
    RequireOrdered(event_log, event.times);
  });
}

TEST(Players, AreCutOffAlikeByAWatchdog) {
  EventMachine events;
  CheckProperty("watchdog", 2'000, [&](const ProgramCase& c, std::uint16_t limit) {
    const HwProgram program = c.Program();
    const Target target = c.RatesOf();
    const RunOptions options{Picoseconds(1 + limit % 400)};
    const RunResult systemc = Machine::Instance().Run(program, target, {}, nullptr, options);
    const RunResult event = events.Run(program, target, {}, nullptr, options);
    RequireSame(systemc.times, event.times, "SystemC and events");
    RC_ASSERT(systemc.outcome == event.outcome);
    for (const InstanceTimes& times : event.times) {
      RC_ASSERT(times.finish <= *options.watchdog && times.start <= *options.watchdog);
    }
  });
}

TEST(Players, BusyTimesAndBytesAreConserved) {
  EventMachine events;
  CheckProperty("conserved", 2'000, [&](const ProgramCase& c) {
    const HwProgram program = c.Program();
    const RunResult result = events.Run(program, c.RatesOf(), {}, nullptr);
    std::array<DmaTraffic, kDmaRoleCount> traffic{};
    Picoseconds dma;
    for (const Transfer& transfer : program.transfers()) {
      DmaTraffic& role = traffic[static_cast<std::size_t>(transfer.role)];
      ++role.transfers;
      role.bytes += transfer.descriptor_bytes * transfer.descriptors;
      dma += PacketTime(transfer) * (transfer.packets * transfer.descriptors);
    }
    RC_ASSERT(result.traffic == traffic);
    RC_ASSERT(result.busy[static_cast<std::size_t>(Engine::kDma)] == dma);
    for (int e = 0; e < kComputeStreams; ++e) {
      const auto engine = static_cast<Engine>(e);
      Picoseconds covered;
      Picoseconds busy;
      for (const InstanceId id : program.StreamOf(StreamId::Compute(engine))) {
        const InstanceTimes& times = result.times[id.value];
        busy += times.finish - std::max(times.start, covered);
        covered = times.finish;
      }
      RC_ASSERT(result.busy[static_cast<std::size_t>(e)] == busy);
    }
  });
}

// What a process of its own says of one program.
std::string FreshHash(std::uint64_t seed, int size) {
  const std::string command = fmt::format("'{}' {} {}", SPILLWAY_FRESH_RUN, seed, size);
  const std::unique_ptr<FILE, int (*)(FILE*)> child(popen(command.c_str(), "r"), pclose);
  if (!child) return "";
  char line[64] = {};
  return fgets(line, sizeof line, child.get()) == nullptr ? "" : line;
}

TEST(Players, AReusedMachineEqualsAFreshProcess) {
  // Each program after another one, so that what it leaves behind would show.
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const int size = 10 + static_cast<int>(seed * 37 % 200);
    const ProgramCase before = ProgramCaseFromSeed(1000 + seed, 150);
    Machine::Instance().Run(before.Program(), before.RatesOf(), {}, nullptr);
    const ProgramCase c = ProgramCaseFromSeed(seed, static_cast<std::size_t>(size));
    const RunResult reused = Machine::Instance().Run(c.Program(), c.RatesOf(), {}, nullptr);
    ASSERT_EQ(HashOfTimes(reused) + "\n", FreshHash(seed, size)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace spillway
