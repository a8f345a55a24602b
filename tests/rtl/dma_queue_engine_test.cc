#include <gmock/gmock.h>

#include "tests/rtl/dma_queue_engine_traffic.h"

namespace spillway {
namespace {

constexpr RtlModule kDma = RtlModule::kDmaQueueEngine;

struct DmaRun {
  LockstepResult result;
  DmaEvents events;
};

DmaRun ExpectTraffic(const DmaMix& mix, std::uint64_t cycles) {
  SCOPED_TRACE(fmt::format("seed {}", mix.seed));
  const auto findings = std::make_shared<Findings>();
  const auto events = std::make_shared<DmaEvents>();
  DmaRun run;
  run.result = ExpectLockstep<RandomDmaTraffic>(kDma, cycles, findings, events, mix);
  EXPECT_GT(findings->checked, cycles);
  run.events = *events;
  return run;
}

DmaEvents ExpectPlan(const DmaPlan& plan, std::uint64_t cycles) {
  const auto events = std::make_shared<DmaEvents>();
  ExpectLockstep<DmaScript>(kDma, cycles, std::make_shared<Findings>(), events, plan);
  return *events;
}

constexpr DmaTimes kQuick{.credit = 8, .byte = 1, .fixed = 16, .floor = 48};

TEST(DmaQueueEngine, RandomTrafficAgreesWithTheTwin) {
  std::uint64_t transactions = 0;
  std::uint64_t descriptors = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const DmaRun run = ExpectTraffic({.seed = seed, .take = 100 - seed * 5}, 20000);
    transactions += run.result.transactions;
    descriptors += run.events.starts.size();
  }
  EXPECT_GT(transactions, 40000U);
  EXPECT_GT(descriptors, 2000U);
}

TEST(DmaQueueEngine, RandomTrafficWithWideTimesAgreesWithTheTwin) {
  std::uint64_t completions = 0;
  for (std::uint64_t seed = 11; seed <= 18; ++seed) {
    DmaMix mix{.seed = seed, .wide_times = true};
    mix.take = seed % 2 == 0 ? 95 : 50;
    completions += ExpectTraffic(mix, 20000).events.completions_since_reset;
  }
  EXPECT_GT(completions, 1000U);
}

TEST(DmaQueueEngine, ResetsAndBadTailsAtAnyTimeAgreeWithTheTwin) {
  for (std::uint64_t seed = 21; seed <= 28; ++seed) {
    DmaMix mix{.seed = seed, .wide_times = seed % 2 == 0};
    mix.bad_in_10000 = 60;
    mix.resets_in_10000 = 40;
    ExpectTraffic(mix, 20000);
  }
}

TEST(DmaQueueEngine, AFullRingWrapsAroundInOrder) {
  DmaPlan plan{.times = kQuick, .announce_late = true};
  constexpr std::uint32_t kCount = 5 * kDmaRing;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    plan.descriptors.push_back({40 + i, 1000 * i, 0x8000 + 700 * i, true});
  }
  const DmaEvents events = ExpectPlan(plan, 1500);
  EXPECT_EQ(events.descriptors_since_reset, kCount);
  EXPECT_EQ(events.completions_since_reset, kCount);
  EXPECT_FALSE(events.fault_doorbell);
}

TEST(DmaQueueEngine, DescriptorsOfNoAndOfOddLengthComplete) {
  DmaPlan plan{.times = kQuick, .take_writes = 30};
  for (const std::uint32_t bytes : {0U, 0U, 1U, 31U, 0U, 32U, 33U, 63U, 65U, 0U}) {
    plan.descriptors.push_back({bytes, 0xFFF0, 0xFFE8, true});
  }
  EXPECT_EQ(ExpectPlan(plan, 600).completions_since_reset, plan.descriptors.size());
}

TEST(DmaQueueEngine, ADescriptorThatCostsNothingTakesOneCycle) {
  DmaPlan plan{.times = {.credit = 1}, .announce_late = true};
  plan.descriptors.assign(kDmaRing, {0, 0, 0, true});
  const DmaEvents events = ExpectPlan(plan, 60);
  ASSERT_EQ(events.starts.size(), kDmaRing);
  EXPECT_EQ(events.starts.back() - events.starts.front(), kDmaRing - 1);
  EXPECT_EQ(events.completions_since_reset, kDmaRing);
}

TEST(DmaQueueEngine, TimesThatFillTheirPinsDontOverflow) {
  constexpr std::uint64_t kMost = 0xFFFFFFFF;
  DmaPlan plan{.times = {.credit = 0x200000, .byte = 0xFFFF, .fixed = kMost, .floor = kMost}};
  plan.descriptors = {{0xFFFE, 0, 0x8000, false}, {0, 0, 0, false}, {1, 2, 3, true}};
  const std::vector<std::uint64_t> starts = ExpectPlan(plan, 10'000).starts;
  ASSERT_EQ(starts.size(), 3U);
  EXPECT_EQ(starts[1] - starts[0], (kMost + 0xFFFEULL * 0xFFFF + 0x1FFFFF) / 0x200000);
  EXPECT_EQ(starts[2] - starts[1], (kMost + 0x1FFFFF) / 0x200000);
}

TEST(DmaQueueEngine, TheSemaphoreCountsTransfersNotDescriptors) {
  DmaPlan plan{.times = kQuick};
  for (std::uint32_t i = 0; i < 12; ++i) plan.descriptors.push_back({64, 64 * i, 0, i % 4 == 3});
  EXPECT_EQ(ExpectPlan(plan, 400).completions_since_reset, 3U);
}

TEST(DmaQueueEngine, ATransferStartsNoEarlierThanTheIssueFloorAfterTheOneBefore) {
  DmaPlan plan{.times = kQuick};
  plan.times.issue = 100;
  // Two descriptors of 10 cycles, which isn't held up, then one of 130, which the next needn't wait
  // for any longer than it takes.
  plan.descriptors = {{64, 0, 0, false}, {64, 0, 0, true}, {1024, 0, 0, true}, {8, 0, 0, true}};
  const std::vector<std::uint64_t> starts = ExpectPlan(plan, 400).starts;
  ASSERT_EQ(starts.size(), 4U);
  EXPECT_EQ(starts[1] - starts[0], 10U);
  EXPECT_EQ(starts[2] - starts[0], 100U);
  EXPECT_EQ(starts[3] - starts[2], 130U);
}

TEST(DmaQueueEngine, MemoryStallsAddToThePayloadAndNotToTheFloor) {
  DmaPlan plan{.times = {.credit = 8, .byte = 1, .fixed = 20, .floor = 500}, .take_reads = 40};
  for (std::uint32_t i = 0; i < 60; ++i) plan.descriptors.push_back({i * 16, 0, 0x8000, true});
  const DmaEvents events = ExpectPlan(plan, 60 * 300);
  ASSERT_EQ(events.starts.size(), plan.descriptors.size());
  std::uint64_t held_up = 0;
  std::uint64_t hidden = 0;
  for (std::size_t i = 0; i + 1 < events.starts.size(); ++i) {
    const std::uint64_t floor = (plan.times.floor + 7) / 8;
    const std::uint64_t payload = (plan.times.fixed + plan.descriptors[i].bytes + 7) / 8;
    const std::uint64_t with_stalls = payload + events.stalls[i];
    EXPECT_EQ(events.starts[i + 1] - events.starts[i], std::max(floor, with_stalls)) << i;
    if (events.stalls[i] > 0) ++(with_stalls > floor ? held_up : hidden);
  }
  EXPECT_GT(held_up, 10U);
  EXPECT_GT(hidden, 10U);
}

TEST(DmaQueueEngine, ATailThatOverrunsTheRingIsRefused) {
  DmaPlan plan{.times = kQuick, .tails = {kDmaRing + 1}};
  plan.descriptors.assign(kDmaRing, {64, 0, 0, true});
  const DmaEvents events = ExpectPlan(plan, 200);
  EXPECT_TRUE(events.fault_doorbell);
  EXPECT_EQ(events.descriptors_since_reset, 0U);
}

TEST(DmaQueueEngine, ATailThatGoesBackwardsIsRefused) {
  DmaPlan plan{.times = kQuick, .tails = {5, 3}};
  plan.descriptors.assign(6, {64, 0, 0, true});
  const DmaEvents events = ExpectPlan(plan, 200);
  EXPECT_TRUE(events.fault_doorbell);
  EXPECT_EQ(events.descriptors_since_reset, 5U) << "the tail before is still good";
}

TEST(DmaQueueEngine, ADescriptorThatNobodyWroteStopsTheQueue) {
  DmaPlan plan{.times = kQuick, .tails = {5}};
  plan.descriptors.assign(3, {64, 0, 0, true});
  const DmaEvents events = ExpectPlan(plan, 200);
  EXPECT_TRUE(events.fault_poison);
  EXPECT_EQ(events.completions_since_reset, 3U);
}

TEST(DmaQueueEngine, AResetInTheMiddlePoisonsTheRing) {
  // The reset hits the second of six; the slots are full, but what they held is gone.
  DmaPlan plan{.times = kQuick, .reset_at = 20, .tail_after_reset = 4};
  plan.descriptors.assign(6, {64, 0, 0x8000, true});
  const DmaEvents events = ExpectPlan(plan, 200);
  EXPECT_EQ(events.starts.size(), 2U);
  EXPECT_TRUE(events.fault_poison);
  EXPECT_EQ(events.descriptors_since_reset, 0U);
  EXPECT_EQ(events.completions_since_reset, 0U);
}

}  // namespace
}  // namespace spillway
