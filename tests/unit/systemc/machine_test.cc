// The machine alone: hand-written programs and the times that follow from the target's rows.
#include "model/hw/systemc/machine.h"
#include "model/hw/timing/event_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Small round figures, so that expected times can be added up by hand.
Target SmallTarget() {
  Target target = FindTarget("trn2").value();
  target.dma_start_latency.value = Picoseconds(1000);
  target.dma_issue_floor.value = Picoseconds(0);
  target.semaphore_latency.value = Picoseconds(10);
  target.pe_ramp.value = Picoseconds(0);
  return target;
}

Transfer Rows(std::int64_t descriptors, std::int64_t time_each, DmaRole role = DmaRole::kData) {
  Transfer transfer;
  transfer.role = role;
  transfer.descriptors = descriptors;
  transfer.descriptor_bytes = Bytes(64);
  transfer.descriptor_time = Picoseconds(time_each);
  return transfer;
}

RunResult Play(const HwProgram& program, const Target& target = SmallTarget()) {
  const RunResult systemc = Machine::Instance().Run(program, target, {}, nullptr);
  EXPECT_EQ(EventMachine().Run(program, target, {}, nullptr).times, systemc.times);
  return systemc;
}

std::vector<std::int64_t> Finishes(const RunResult& result) {
  std::vector<std::int64_t> finishes;
  for (const InstanceTimes& times : result.times) finishes.push_back(times.finish.value);
  return finishes;
}

TEST(Machine, AnEngineWaitsForAnotherEnginesCount) {
  HwProgram program;
  const InstanceId a = program.AddCompute(Engine::kPe, Picoseconds(100), {});
  const SemaphoreWait wait = program.Finished(a);
  program.AddCompute(Engine::kAct, Picoseconds(50), {{wait}});
  program.AddCompute(Engine::kPe, Picoseconds(100), {});
  const RunResult result = Play(program);
  EXPECT_EQ(result.outcome, RunOutcome::kFinished);
  // act starts when the count has travelled for 10 ps, beside pe's second instruction.
  EXPECT_THAT(Finishes(result), ElementsAre(100, 160, 200));
  EXPECT_EQ(result.makespan, Picoseconds(200));
  EXPECT_EQ(result.busy[static_cast<std::size_t>(Engine::kPe)], Picoseconds(200));
  EXPECT_EQ(result.busy[static_cast<std::size_t>(Engine::kAct)], Picoseconds(50));
}

TEST(Machine, AWaitThatWasMetLongAgoCostsNothing) {
  HwProgram program;
  const InstanceId a = program.AddCompute(Engine::kPe, Picoseconds(10), {});
  program.AddCompute(Engine::kAct, Picoseconds(500), {});
  program.AddCompute(Engine::kAct, Picoseconds(50), {{program.Finished(a)}});
  EXPECT_THAT(Finishes(Play(program)), ElementsAre(10, 500, 550));
}

TEST(Machine, ATransferCountsSixteenHoweverNarrow) {
  for (const std::int64_t at_least : {16, 17}) {
    HwProgram program;
    const InstanceId load = program.AddTransfer(0, Rows(1, 100), {});
    SemaphoreWait wait = program.Finished(load);
    EXPECT_EQ(wait.at_least, 16);
    wait.at_least = at_least;
    program.AddCompute(Engine::kDve, Picoseconds(5), {{wait}});
    const RunResult result = Play(program);
    EXPECT_EQ(result.outcome, at_least == 16 ? RunOutcome::kFinished : RunOutcome::kDeadlock);
  }
}

TEST(Machine, AFullHeightTransferUsesAllEnginesAtOnce) {
  HwProgram program;
  program.AddTransfer(0, Rows(128, 100), {});
  program.AddTransfer(1, Rows(4, 100), {});
  const RunResult result = Play(program);
  // Start latency, then 8 rows an engine; the narrow one shares its engine with the first.
  EXPECT_EQ(result.times[0].issue, Picoseconds(0));
  EXPECT_EQ(result.times[0].start, Picoseconds(1000));
  EXPECT_EQ(result.times[1].start, Picoseconds(1100));
  EXPECT_EQ(result.times[1].finish, Picoseconds(1800));
  EXPECT_EQ(result.times[0].finish, Picoseconds(2200));
  EXPECT_EQ(result.traffic[0].transfers, 2);
  EXPECT_EQ(result.traffic[0].bytes, Bytes(132 * 64));
}

TEST(Machine, QueuesTakeTurnsAtDescriptorBoundaries) {
  HwProgram program;
  program.AddTransfer(3, Rows(3, 100), {});
  program.AddTransfer(5, Rows(3, 100), {});
  program.AddTransfer(7, Rows(1, 100), {});
  // On one engine: 3 5 7 3 5 3 5
  EXPECT_THAT(Finishes(Play(program)), ElementsAre(1600, 1700, 1300));
}

TEST(Machine, ALateQueueCutsInAtTheNextBoundary) {
  for (const std::int64_t delay : {250, 190}) {
    HwProgram program;
    program.AddTransfer(0, Rows(8, 100), {});
    const InstanceId pause = program.AddCompute(Engine::kSp, Picoseconds(delay), {});
    program.AddTransfer(1, Rows(1, 100), {{program.Finished(pause)}});
    // The trigger is at delay + 10, the arrival 1000 later. At 1260 the third descriptor is under
    // way: the late one starts at 1300. At 1200 a boundary is met exactly.
    const RunResult result = Play(program);
    EXPECT_EQ(result.times[2].start, Picoseconds(delay == 250 ? 1300 : 1200));
    EXPECT_EQ(result.times[0].finish, Picoseconds(1900));
  }
}

TEST(Machine, OneQueueTriggersInOrder) {
  HwProgram program;
  const InstanceId slow = program.AddCompute(Engine::kSp, Picoseconds(5000), {});
  program.AddTransfer(2, Rows(1, 100), {{program.Finished(slow)}});
  program.AddTransfer(2, Rows(1, 100), {});
  program.AddTransfer(4, Rows(1, 100), {});
  const RunResult result = Play(program);
  EXPECT_EQ(result.times[1].issue, Picoseconds(5010));
  EXPECT_EQ(result.times[2].issue, Picoseconds(5010)) << "behind the head of its queue";
  EXPECT_EQ(result.times[3].issue, Picoseconds(0)) << "another queue goes on";
}

TEST(Machine, TheIssueFloorSpacesTriggersOfOneGenerator) {
  Target target = SmallTarget();
  target.dma_issue_floor.value = Picoseconds(600);
  HwProgram program;
  Transfer made = Rows(1, 10);
  made.generated = true;
  for (int i = 0; i < 3; ++i) program.AddTransfer(0, made, {});
  program.AddTransfer(4, made, {});
  program.AddTransfer(2, made, {});
  target.dma_generators.value = 2;
  const RunResult result = Play(program, target);
  EXPECT_EQ(result.times[0].issue, Picoseconds(0));
  EXPECT_EQ(result.times[3].issue, Picoseconds(0)) << "queue 4 has the other generator";
  EXPECT_EQ(result.times[4].issue, Picoseconds(600)) << "queue 2 asked before queue 0's second";
  EXPECT_EQ(result.times[1].issue, Picoseconds(1200));
  EXPECT_EQ(result.times[2].issue, Picoseconds(1800));

  target.dma_generators.value = 0;
  EXPECT_EQ(Play(program, target).times[2].issue, Picoseconds(0)) << "static rings have no floor";

  // Descriptors that lie ready need no generator.
  HwProgram ready;
  target.dma_generators.value = 2;
  for (int i = 0; i < 3; ++i) ready.AddTransfer(0, Rows(1, 10), {});
  EXPECT_EQ(Play(ready, target).times[2].issue, Picoseconds(0));
}

HwProgram Mixed(int size) {
  HwProgram program;
  std::vector<SemaphoreWait> waits;
  for (int i = 0; i < size; ++i) {
    const InstanceId load = program.AddTransfer(i % 5, Rows(1 + 13 * i % 128, 30 + i % 7), waits);
    const InstanceId product =
        program.AddCompute(Engine::kPe, Picoseconds(400 + 11 * i % 90), {{program.Finished(load)}});
    program.AddCompute(i % 2 == 0 ? Engine::kAct : Engine::kDve, Picoseconds(333),
                       {{program.Finished(product)}});
    if (i % 3 == 0) waits = {program.Finished(product)};
  }
  return program;
}

TEST(Machine, QueuesTakeTurnsAtPacketsOfLongDescriptors) {
  HwProgram program;
  Transfer large = Rows(1, 800);
  large.packets = 8;
  program.AddTransfer(0, large, {});
  program.AddTransfer(1, Rows(1, 50), {});
  // The short one waits for one packet, not for the descriptor.
  EXPECT_THAT(Finishes(Play(program)), ElementsAre(1850, 1150));
}

TEST(Machine, ARunLeavesNoTraceInTheNext) {
  const HwProgram a = Mixed(60);
  const HwProgram b = Mixed(7);
  const RunResult first = Play(a);
  const RunResult other = Play(b);
  const RunResult again = Play(a);
  EXPECT_NE(Finishes(first), Finishes(other));
  EXPECT_EQ(first.times, again.times);
  EXPECT_EQ(first.busy, again.busy);
}

TEST(Machine, ADeadlockIsReportedAndTheNextRunWorks) {
  HwProgram program;
  // pe waits for act's first, act for pe's first.
  program.AddCompute(Engine::kPe, Picoseconds(10),
                     {{SemaphoreWait{HwProgram::CompletionsOf(Engine::kAct), 1}}});
  program.AddCompute(Engine::kAct, Picoseconds(10),
                     {{SemaphoreWait{HwProgram::CompletionsOf(Engine::kPe), 1}}});
  program.AddCompute(Engine::kSp, Picoseconds(10), {});
  const RunResult result = Play(program);
  EXPECT_EQ(result.outcome, RunOutcome::kDeadlock);
  ASSERT_EQ(result.blocked.size(), 2U);
  EXPECT_THAT(DescribeBlocked(program, result.blocked[0]),
              HasSubstr("pe stops at instance 0, which waits for act completions >= 1 (now 0)"));
  EXPECT_EQ(result.times[2].finish, Picoseconds(10));
  EXPECT_EQ(Play(Mixed(7)).outcome, RunOutcome::kFinished);
}

TEST(Machine, TheWatchdogEndsARunAndTheNextIsUntouched) {
  const HwProgram program = Mixed(60);
  const RunResult whole = Play(program);
  const RunResult cut =
      Machine::Instance().Run(program, SmallTarget(), {}, nullptr, {Picoseconds(3000)});
  EXPECT_EQ(cut.outcome, RunOutcome::kWatchdog);
  EXPECT_EQ(Play(program).times, whole.times);
}

TEST(Machine, WakeUpsOfACutOffRunDoNotReachTheNext) {
  // The limit falls on the end of a transfer on an engine that the next program doesn't use.
  HwProgram cut;
  Transfer narrow = Rows(8, 100);
  narrow.first_engine = 9;
  cut.AddTransfer(3, narrow, {});
  cut.AddTransfer(4, Rows(300, 100), {});
  HwProgram next;
  next.AddCompute(Engine::kPe, Picoseconds(100), {});
  for (std::int64_t limit = 1; limit < 2500; limit += 7) {
    Machine::Instance().Run(cut, SmallTarget(), {}, nullptr, {Picoseconds(limit)});
    ASSERT_THAT(Finishes(Play(next)), ElementsAre(100)) << "after a limit of " << limit;
  }
}

TEST(Machine, SpillTimeIsTheUnionOfFlights) {
  HwProgram program;
  program.AddTransfer(0, Rows(1, 100, DmaRole::kSave), {});
  program.AddTransfer(1, Rows(1, 300, DmaRole::kReload), {});
  program.AddTransfer(2, Rows(1, 900, DmaRole::kData), {});
  const RunResult result = Play(program);
  EXPECT_EQ(result.spill_in_flight, Picoseconds(1400)) << "the data transfer doesn't count";
  EXPECT_EQ(result.traffic[static_cast<std::size_t>(DmaRole::kSave)].bytes, Bytes(64));
}

// Runs functions at the start and at the end of instances.
class Scripted : public Effects {
 public:
  using Step = std::function<void(InstanceId, MachineMemory&)>;
  Step on_start = [](InstanceId, MachineMemory&) {};
  Step on_finish = [](InstanceId, MachineMemory&) {};
  std::byte seen{};

  void Load(MachineMemory& memory) override {
    seen = *memory.sbuf().At(Partition(5), ByteOffset(100));
    if (!memory.dram().empty()) memory.dram()[0] = std::byte{7};
  }
  void Start(InstanceId id, MachineMemory& memory) override { on_start(id, memory); }
  void Finish(InstanceId id, MachineMemory& memory) override { on_finish(id, memory); }
  void Unload(MachineMemory& memory) override {
    seen = *memory.sbuf().At(Partition(5), ByteOffset(100));
  }
};

MemoryUse SmallUse() {
  MemoryUse use;
  use.Add(Space::kSbuf, {{Partition(0), Partition(32)}, {ByteOffset(0), ByteOffset(4096)}});
  use.Add(Space::kDram, {{Partition(0), Partition(1)}, {ByteOffset(0), ByteOffset(64)}});
  return use;
}

TEST(Machine, ScratchIsPoisonedBeforeEveryRun) {
  HwProgram program;
  program.AddCompute(Engine::kDve, Picoseconds(10), {});
  Scripted effects;
  effects.on_finish = [](InstanceId, MachineMemory& memory) {
    *memory.sbuf().At(Partition(5), ByteOffset(100)) = std::byte{42};
  };
  Machine::Instance().Run(program, SmallTarget(), SmallUse(), &effects);
  EXPECT_EQ(effects.seen, std::byte{42});
  effects.on_finish = [](InstanceId, MachineMemory&) {};
  Machine::Instance().Run(program, SmallTarget(), SmallUse(), &effects);
  EXPECT_EQ(effects.seen, kScratchPoison);
}

TEST(Machine, ATransferSamplesAtItsFirstDescriptorAndLandsAtItsLast) {
  HwProgram program;
  program.AddCompute(Engine::kDve, Picoseconds(1500), {});  // in the middle of the transfer
  program.AddTransfer(0, Rows(8, 100), {});
  std::vector<std::string> order;
  Scripted effects;
  effects.on_start = [&](InstanceId id, MachineMemory&) {
    order.push_back("start " + std::to_string(id.value));
  };
  effects.on_finish = [&](InstanceId id, MachineMemory&) {
    order.push_back("finish " + std::to_string(id.value));
  };
  Machine::Instance().Run(program, SmallTarget(), SmallUse(), &effects);
  EXPECT_THAT(order, ElementsAre("start 0", "start 1", "finish 0", "finish 1"));
}

TEST(Machine, WhatEndsAtAnInstantEndsBeforeAnythingBeginsThere) {
  HwProgram program;
  program.AddCompute(Engine::kPe, Picoseconds(100), {});
  program.AddCompute(Engine::kPe, Picoseconds(100), {});
  program.AddCompute(Engine::kSp, Picoseconds(100), {});
  program.AddCompute(Engine::kSp, Picoseconds(100), {});
  std::vector<std::string> order;
  Scripted effects;
  effects.on_start = [&](InstanceId id, MachineMemory&) {
    order.push_back("s" + std::to_string(id.value));
  };
  effects.on_finish = [&](InstanceId id, MachineMemory&) {
    order.push_back("f" + std::to_string(id.value));
  };
  Machine::Instance().Run(program, SmallTarget(), SmallUse(), &effects);
  EXPECT_THAT(order, ElementsAre("s0", "s2", "f0", "f2", "s1", "s3", "f1", "f3"));
}

TEST(Machine, WhatAnEffectThrowsReachesTheCallerAndTheNextRunWorks) {
  const HwProgram program = Mixed(9);
  const RunResult whole = Play(program);
  Scripted effects;
  effects.on_start = [](InstanceId id, MachineMemory&) {
    if (id.value == 11) throw std::out_of_range("from an effect");
  };
  EXPECT_THROW(Machine::Instance().Run(program, SmallTarget(), SmallUse(), &effects),
               std::out_of_range);
  EXPECT_EQ(Play(program).times, whole.times);
}

TEST(Machine, AnUnknownSemaphoreIsAContractViolation) {
  HwProgram program;
  program.AddCompute(Engine::kPe, Picoseconds(10), {{SemaphoreWait{SemaphoreId(77), 1}}});
  EXPECT_THROW(Play(program), ContractViolation);
}

TEST(Machine, AnEmptyProgramTakesNoTime) {
  const RunResult result = Play(HwProgram());
  EXPECT_EQ(result.outcome, RunOutcome::kFinished);
  EXPECT_EQ(result.makespan, Picoseconds(0));
}

}  // namespace
}  // namespace spillway
