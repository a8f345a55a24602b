// Every rule of the event simulator by the smallest block that shows it.
#include "sim/estimate/perf_sim.h"

#include <gtest/gtest.h>

#include "model/hw/error.h"
#include "tests/unit/estimate/programs.h"

namespace spillway {
namespace {

constexpr BankId kBank0(0);
constexpr BankId kBank1(1);

TEST(TimeBlock, AnEmptyBlockCostsNothing) { EXPECT_EQ(Block().Cost(), 0); }

TEST(TimeBlock, AnInstructionWaitsForItsProducersEnds) {
  Block b;
  const PerfId a = b.Run(Timeline::kPe, 70);
  const PerfId c = b.Run(Timeline::kActivation, 90);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kDve, 10, {a, c})), 90);
}

TEST(TimeBlock, TimelinesRunBesideEachOther) {
  Block b;
  for (const Timeline timeline :
       {Timeline::kUnassigned, Timeline::kPool, Timeline::kActivation, Timeline::kPe,
        Timeline::kDma, Timeline::kDve, Timeline::kSp, Timeline::kCollective0,
        Timeline::kCollective1, Timeline::kCollective2, Timeline::kCollective3}) {
    EXPECT_EQ(b.StartOf(b.Run(timeline, 50)), 0);
    EXPECT_EQ(b.StartOf(b.Run(timeline, 1)), 50);
  }
}

TEST(TimeBlock, UpToTheThresholdNothingOverlaps) {
  Block b;
  b.Run(Timeline::kPe, 100);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kPe, 1)), 100);
}

TEST(TimeBlock, ALongInstructionLetsTheNextStartAHundredCyclesBeforeItsEnd) {
  Block b;
  b.Run(Timeline::kPe, 101);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kPe, 1)), 1);
}

TEST(TimeBlock, TheWindowIsForTheEngineNotForThoseThatNeedTheResult) {
  Block b;
  const PerfId a = b.Run(Timeline::kPe, 500);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kDve, 1, {a})), 500);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kPe, 1, {a})), 500);
}

TEST(TimeBlock, DmaOverlapsByThirteenHundredCyclesWhereItLastsThatLong) {
  Block b;
  b.Run(Timeline::kDma, 1500);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kDma, 1300)), 200);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kDma, 1299)), 200);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kDma, 1)), 1499) << "a shorter one overlaps nothing";
}

TEST(TimeBlock, CollectiveStreamsOverlapNothing) {
  Block b;
  b.Run(Timeline::kCollective2, 5000);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kCollective2, 1)), 5000);
}

TEST(TimeBlock, AWriterOfPsumWaitsForItsBanksAndForNoOther) {
  Block b;
  b.Run(Timeline::kPe, 250, {}, {kBank0});
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kDve, 1, {}, {kBank1})), 0);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kActivation, 1, {}, {kBank0, kBank1})), 150);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kPool, 1)), 0) << "who writes no PSUM waits for no bank";
}

TEST(TimeBlock, PoolAndDveWaitForEachOtherWhereTheyShareAPort) {
  Block pool_first;
  pool_first.Run(Timeline::kPool, 250);
  const PerfId dve = pool_first.Run(Timeline::kDve, 1);
  EXPECT_EQ(pool_first.StartOf(dve, SharedPortRules()), 150);
  EXPECT_EQ(pool_first.StartOf(dve), 0);
  Block dve_first;
  dve_first.Run(Timeline::kDve, 60);
  const PerfId pool = dve_first.Run(Timeline::kPool, 1);
  EXPECT_EQ(dve_first.StartOf(pool, SharedPortRules()), 60);
  EXPECT_EQ(dve_first.StartOf(pool), 0);
}

TEST(TimeBlock, ActivationWaitsForWritesToPsumOfPoolAndDveWhereTheyShareAPort) {
  for (const Timeline writer : {Timeline::kPool, Timeline::kDve}) {
    Block b;
    b.Run(writer, 250, {}, {kBank0});
    b.Run(writer, 400);  // reaches no PSUM, so Activation doesn't care
    const PerfId activation = b.Run(Timeline::kActivation, 1);
    EXPECT_EQ(b.StartOf(activation, SharedPortRules()), 150);
    EXPECT_EQ(b.StartOf(activation), 0);
    EXPECT_EQ(b.StartOf(b.Run(Timeline::kPe, 1), SharedPortRules()), 0);
  }
}

TEST(TimeBlock, ATriggerContributesItsIssueAndItsTransferTheCompletion) {
  Block b;
  const PerfId busy = b.Run(Timeline::kPe, 30);
  const PerfId trigger = b.Trigger(0, {busy}, 7);
  const PerfId transfer = b.Transfer(trigger, 2000);
  EXPECT_EQ(b.StartOf(transfer), 30);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kDve, 1, {trigger})), 30);
  EXPECT_EQ(b.StartOf(b.Run(Timeline::kActivation, 1, {transfer})), 2030);
}

// Durations of 2,000 leave 700 cycles between the dispatches of transfers: 0, 700, 1,400, …
std::vector<std::int64_t> IssuesOf(int queue) {
  Block b;
  std::vector<PerfId> triggers;
  for (int i = 0; i < 7; ++i) {
    triggers.push_back(b.Trigger(queue));
    b.Transfer(triggers.back(), 2000);
  }
  std::vector<std::int64_t> issues;
  for (const PerfId trigger : triggers) issues.push_back(b.StartOf(trigger));
  return issues;
}

TEST(TimeBlock, AFullQueueMakesTheTriggerWaitForTheDispatchOfItsHead) {
  EXPECT_EQ(IssuesOf(0), (std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(IssuesOf(10), (std::vector<std::int64_t>{0, 0, 0, 0, 0, 700, 1400}));
  EXPECT_EQ(IssuesOf(12), (std::vector<std::int64_t>{0, 0, 700, 1400, 2100, 2800, 3500}));
}

TEST(TimeBlock, QueuesFillOnTheirOwn) {
  Block b;
  b.Transfer(b.Trigger(12), 2000);
  b.Transfer(b.Trigger(10), 2000);
  EXPECT_EQ(b.StartOf(b.Trigger(0)), 0);
  EXPECT_EQ(b.StartOf(b.Trigger(10)), 0);
}

TEST(TimeBlock, ATriggerWhoseQueueNeverEmptiesBeforeItIsAContractViolation) {
  Block b;
  b.Trigger(12);
  b.Trigger(12);
  EXPECT_THROW(b.Cost(), ContractViolation);
}

TEST(TimeBlock, AFullBarrierStartsAtTheLatestDispatchOfTheFiveEnginesAndHoldsThemBack) {
  for (const Timeline engine :
       {Timeline::kActivation, Timeline::kDve, Timeline::kPe, Timeline::kPool, Timeline::kSp}) {
    Block b;
    b.Run(engine, 350);
    b.Run(Timeline::kDma, 5000);
    b.Run(Timeline::kCollective0, 6000);
    EXPECT_EQ(b.StartOf(b.Run(Timeline::kFullBarrier, 0)), 250);
    for (const Timeline held :
         {Timeline::kActivation, Timeline::kDve, Timeline::kPe, Timeline::kPool, Timeline::kSp})
      EXPECT_EQ(b.StartOf(b.Run(held, 0)), 250);
    EXPECT_EQ(b.StartOf(b.Run(Timeline::kUnassigned, 0)), 0);
  }
}

TEST(TimeBlock, TheCostIsTheLatestEndOverAllTimelines) {
  Block b;
  b.Run(Timeline::kPe, 300);
  b.Run(Timeline::kCollective3, 900);
  b.Run(Timeline::kDve, 500);
  const PerfTimes times = TimeBlock(b.program, PlainRules());
  EXPECT_EQ(times.cost, Cycles(900));
  EXPECT_EQ(times.timeline_end[3], Cycles(300));
  EXPECT_EQ(times.timeline_end[5], Cycles(500));
  EXPECT_EQ(times.timeline_end[11], Cycles(900));
}

TEST(TimeBlock, AShortInstructionInTheShadowOfALongOneDoesNotMoveItsEnd) {
  Block b;
  b.Run(Timeline::kPe, 500);
  b.Run(Timeline::kPe, 10);
  EXPECT_EQ(b.Cost(), 500);
}

TEST(TimeBlock, WithoutAntiDependencesOnlyTheOthersCount) {
  Block b;
  const PerfId reader = b.Run(Timeline::kPe, 300);
  const PerfId writer = b.RunAfterAnti(Timeline::kDve, 200, reader);
  b.Run(Timeline::kActivation, 50, {writer});
  EXPECT_EQ(b.Cost(AntiDependences::kKept), 550);
  EXPECT_EQ(b.Cost(AntiDependences::kLeftOut), 300);
}

//  load a   DMA  [0, 2300)     queue 0
//  load b   DMA  [1000, 3300)  after a's dispatch + 2300 - 1300
//  product  PE   [3300, 3720)  into bank 0
//  copy     DVE  [3720, 3950)
//  product  PE   [3620, 4040)  into bank 1: 100 before the first's end
//  copy     DVE  [4040, 4270)  after the product; DVE itself is free from 3850
//  store    DMA  [3950, 6250)  of the first copy, triggered by its end
TEST(TimeBlock, ScheduleOfTwoProductsAsWorkedOutByHand) {
  Block b;
  const PerfId load_a = b.Transfer(b.Trigger(0), 2300);
  const PerfId load_b = b.Transfer(b.Trigger(0), 2300);
  const PerfId product_0 = b.Run(Timeline::kPe, 420, {load_a, load_b}, {kBank0});
  const PerfId copy_0 = b.Run(Timeline::kDve, 230, {product_0});
  const PerfId product_1 = b.Run(Timeline::kPe, 420, {load_a, load_b}, {kBank1});
  const PerfId copy_1 = b.Run(Timeline::kDve, 230, {product_1});
  const PerfId store = b.Transfer(b.Trigger(1, {copy_0}), 2300);
  const PerfTimes times = TimeBlock(b.program, PlainRules());
  const auto span = [&](PerfId id) {
    return std::pair(times.start[id.value].value, times.end[id.value].value);
  };
  using Span = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(span(load_a), (Span{0, 2300}));
  EXPECT_EQ(span(load_b), (Span{1000, 3300}));
  EXPECT_EQ(span(product_0), (Span{3300, 3720}));
  EXPECT_EQ(span(copy_0), (Span{3720, 3950}));
  EXPECT_EQ(span(product_1), (Span{3620, 4040}));
  EXPECT_EQ(span(copy_1), (Span{4040, 4270}));
  EXPECT_EQ(span(store), (Span{3950, 6250}));
  EXPECT_EQ(times.cost, Cycles(6250));
}

TEST(PerfProgram, WhatMakesNoProgramIsAContractViolation) {
  PerfProgram program;
  const std::vector<Producer> later = {{PerfId(0), false}};
  EXPECT_THROW(program.Add({}, later), ContractViolation);
  PerfInstruction negative;
  negative.duration = Cycles(-1);
  EXPECT_THROW(program.Add(negative), ContractViolation);
  PerfInstruction trigger;
  trigger.dma = DmaPart::kTrigger;
  trigger.queue = 13;
  EXPECT_THROW(program.Add(trigger), ContractViolation);
  trigger.queue = 12;
  PerfInstruction transfer;
  transfer.dma = DmaPart::kTransfer;
  transfer.trigger = program.Add({});
  EXPECT_THROW(program.Add(transfer), ContractViolation) << "not a trigger";
  transfer.trigger = program.Add(trigger);
  program.Add(transfer);
  EXPECT_THROW(program.Add(transfer), ContractViolation) << "a second transfer";
}

}  // namespace
}  // namespace spillway
