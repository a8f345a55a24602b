// Ports that engines take turns at, and the warm-up of the PE array.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/hw/timing/event_machine.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;

Target SmallTarget() {
  Target target = FindTarget("trn2").value();
  target.semaphore_latency.value = Picoseconds(10);
  target.pe_ramp.value = Picoseconds(0);
  return target;
}

std::vector<std::int64_t> Starts(const HwProgram& program, const Target& target = SmallTarget()) {
  std::vector<std::int64_t> starts;
  for (const InstanceTimes& times : EventMachine().Run(program, target, {}, nullptr).times) {
    starts.push_back(times.start.value);
  }
  return starts;
}

constexpr ComputeTime Takes(std::int64_t interval, std::int64_t latency) {
  return {Picoseconds(interval), Picoseconds(latency)};
}

TEST(Channels, EnginesWithABankInCommonTakeTurns) {
  HwProgram program;
  program.AddCompute(Engine::kAct, Takes(100, 130), BankChannel(3), {});
  program.AddCompute(Engine::kDve, Takes(50, 80), BankChannel(3), {});
  program.AddCompute(Engine::kDve, Takes(50, 80), BankChannel(4), {});
  EXPECT_THAT(Starts(program), ElementsAre(0, 100, 150)) << "free after the interval";
}

TEST(Channels, EnginesInDifferentBanksDoNotWait) {
  HwProgram program;
  program.AddCompute(Engine::kAct, Takes(100, 100), BankChannel(3), {});
  program.AddCompute(Engine::kDve, Takes(50, 50), BankChannel(4), {});
  EXPECT_THAT(Starts(program), ElementsAre(0, 0));
}

TEST(Channels, WhoAskedFirstIsServedFirst) {
  // pe holds the bank until 100. dve asks at 20, act at 30 for two banks, pool at 40 for the other.
  HwProgram program;
  program.AddCompute(Engine::kPe, Takes(100, 100), BankChannel(0), {});
  const InstanceId sp = program.AddCompute(Engine::kSp, Picoseconds(10), {});
  const InstanceId late = program.AddCompute(Engine::kSp, Picoseconds(10), {});
  const InstanceId later = program.AddCompute(Engine::kSp, Picoseconds(10), {});
  program.AddCompute(Engine::kDve, Takes(50, 50), BankChannel(0), {{program.Finished(sp)}});
  program.AddCompute(Engine::kAct, Takes(50, 50), BankChannel(0) | BankChannel(1),
                     {{program.Finished(late)}});
  program.AddCompute(Engine::kPool, Takes(50, 50), BankChannel(1), {{program.Finished(later)}});
  const std::vector<std::int64_t> starts = Starts(program);
  EXPECT_EQ(starts[4], 100);
  EXPECT_EQ(starts[5], 150);
  EXPECT_EQ(starts[6], 200) << "bank 1 is free, but act asked for it before";
}

TEST(Channels, AtOneInstantTheLowerRankIsServedFirst) {
  HwProgram program;
  program.AddCompute(Engine::kDve, Takes(50, 50), kPsumPortChannel, {});
  program.AddCompute(Engine::kAct, Takes(70, 70), kPsumPortChannel, {});
  EXPECT_THAT(Starts(program), ElementsAre(70, 0));
}

TEST(Pipelining, TheNextInstructionStartsAfterTheIntervalAndADependentOneAfterTheLatency) {
  HwProgram program;
  const InstanceId first = program.AddCompute(Engine::kDve, Takes(64, 200), 0, {});
  program.AddCompute(Engine::kDve, Takes(64, 200), 0, {});
  program.AddCompute(Engine::kDve, Takes(64, 200), 0, {{program.Finished(first)}});
  EXPECT_THAT(Starts(program), ElementsAre(0, 64, 210));
}

TEST(Pipelining, ResultsComeOutInOrder) {
  HwProgram program;
  program.AddCompute(Engine::kDve, Takes(10, 500), 0, {});
  program.AddCompute(Engine::kDve, Takes(10, 20), 0, {});
  const RunResult result = EventMachine().Run(program, SmallTarget(), {}, nullptr);
  EXPECT_EQ(result.times[1].finish, Picoseconds(500));
  EXPECT_EQ(result.busy[static_cast<std::size_t>(Engine::kDve)], Picoseconds(500));
}

TEST(PeRamp, StartsAtHalfTheRateAndReachesTheFullOne) {
  Target target = SmallTarget();
  target.pe_ramp.value = Picoseconds(1000);
  target.pe_cold_percent.value = 50;
  HwProgram program;
  for (int i = 0; i < 20; ++i) program.AddCompute(Engine::kPe, Picoseconds(100), {});
  const std::vector<std::int64_t> starts = Starts(program, target);
  EXPECT_EQ(starts[1] - starts[0], 200) << "cold";
  EXPECT_EQ(starts[2] - starts[1], 167) << "after 200 of 1000 ps: at 60%";
  EXPECT_EQ(starts[19] - starts[18], 100) << "warm";
}

TEST(PeRamp, CoolsDownByIdling) {
  Target target = SmallTarget();
  target.pe_ramp.value = Picoseconds(1000);
  HwProgram program;
  for (int i = 0; i < 20; ++i) program.AddCompute(Engine::kPe, Picoseconds(100), {});
  const InstanceId pause = program.AddCompute(Engine::kSp, Picoseconds(10'000), {});
  program.AddCompute(Engine::kPe, Picoseconds(100), {{program.Finished(pause)}});
  program.AddCompute(Engine::kPe, Picoseconds(100), {});
  const std::vector<std::int64_t> starts = Starts(program, target);
  EXPECT_EQ(starts[22] - starts[21], 200);
}

TEST(DmaEngines, OtherQueuesFillTheGapsBetweenOneQueuesDescriptors) {
  Target target = SmallTarget();
  target.dma_start_latency.value = Picoseconds(1000);
  target.dma_generators.value = 0;
  Transfer transfer;
  transfer.descriptors = 4;
  transfer.descriptor_time = Picoseconds(75);
  transfer.descriptor_latency = Picoseconds(105);
  HwProgram alone;
  alone.AddTransfer(0, transfer, {});
  EXPECT_EQ(EventMachine().Run(alone, target, {}, nullptr).makespan, Picoseconds(1420));
  HwProgram both = alone;
  both.AddTransfer(1, transfer, {});
  // 75 ps a descriptor: the engine is the limit now.
  EXPECT_EQ(EventMachine().Run(both, target, {}, nullptr).makespan,
            Picoseconds(1000 + 7 * 75 + 105));
}

}  // namespace
}  // namespace spillway
