#include "sim/estimate/perf_rules.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

PerfRules RulesAt(const char* target) { return RulesOf(FindTarget(target).value()); }

TEST(PerfRules, WindowsAreNanosecondsInCyclesOfTheReferenceClock) {
  Target target = FindTarget("trn2").value();
  target.reference_hertz.value = 1'000'000'000;
  const PerfRules rules = RulesOf(target);
  EXPECT_EQ(rules.overlaps_above, Cycles(100));
  EXPECT_EQ(rules.compute_window, Cycles(100));
  EXPECT_EQ(rules.dma_window, Cycles(1300));
  target.reference_hertz.value = 2'000'000'000;
  EXPECT_EQ(RulesOf(target).compute_window, Cycles(200));
  EXPECT_EQ(RulesOf(target).dma_window, Cycles(2600));
}

TEST(PerfRules, PoolAndDveShareAPortBeforeLevelThirty) {
  EXPECT_TRUE(RulesAt("inf1").shared_port);
  EXPECT_TRUE(RulesAt("trn1").shared_port);
  EXPECT_FALSE(RulesAt("trn2").shared_port);
  EXPECT_FALSE(RulesAt("trn3").shared_port);
}

TEST(PerfRules, TwoOfThirteenQueuesAreLimited) {
  const PerfRules rules = RulesAt("trn2");
  ASSERT_EQ(rules.queue_depth.size(), 13u);
  for (std::size_t queue = 0; queue < rules.queue_depth.size(); ++queue)
    EXPECT_EQ(rules.queue_depth[queue], queue == 10 ? 4 : queue == 12 ? 1 : 0) << queue;
}

}  // namespace
}  // namespace spillway
