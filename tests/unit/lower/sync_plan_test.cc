#include "sim/lower/sync_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr StreamId kPe = StreamId::Compute(Engine::kPe);
constexpr StreamId kAct = StreamId::Compute(Engine::kAct);
constexpr StreamId kDve = StreamId::Compute(Engine::kDve);

/// `from[i]`: what instance i depends on, latest first.
Dependences Into(const std::vector<std::vector<std::uint32_t>>& from) {
  Dependences dependences;
  dependences.first.push_back(0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (const std::uint32_t f : from[i]) {
      dependences.edges.push_back(
          {f, static_cast<std::uint32_t>(i), Hazard::kReadAfterWrite, false});
    }
    dependences.first.push_back(static_cast<std::uint32_t>(dependences.edges.size()));
  }
  return dependences;
}

std::vector<std::uint32_t> WaitsOfLast(const std::vector<StreamId>& streams,
                                       const std::vector<std::vector<std::uint32_t>>& from) {
  const SyncPlan plan = PlanSync(Into(from), streams);
  const auto waits = plan.WaitsOf(streams.size() - 1);
  return {waits.begin(), waits.end()};
}

TEST(SyncPlan, AnEnginesOwnOrderNeedsNoWait) {
  EXPECT_THAT(WaitsOfLast({kPe, kPe}, {{}, {0}}), IsEmpty());
  EXPECT_THAT(WaitsOfLast({kPe, kAct}, {{}, {0}}), ElementsAre(0));
}

TEST(SyncPlan, APipelinedEnginesOrderSaysNothingAboutReadsOfItsResults) {
  EXPECT_THAT(WaitsOfLast({kDve, kDve}, {{}, {0}}), ElementsAre(0));
  EXPECT_THAT(WaitsOfLast({kAct, kAct, kAct}, {{}, {0}, {1, 0}}), ElementsAre(1))
      << "results come out in order";
  Dependences overwritten = Into({{}, {0}});
  overwritten.edges[0].hazard = Hazard::kWriteAfterRead;
  EXPECT_THAT(PlanSync(overwritten, std::vector{kDve, kDve}).WaitsOf(1), IsEmpty());
  overwritten.edges[0].hazard = Hazard::kWriteAfterWrite;
  EXPECT_THAT(PlanSync(overwritten, std::vector{kDve, kDve}).WaitsOf(1), IsEmpty());
}

TEST(SyncPlan, APipelinedEngineKnowsWhatItsEarlierInstancesWaitedFor) {
  EXPECT_THAT(WaitsOfLast({StreamId::Queue(0), kDve, kDve}, {{}, {0}, {0}}), IsEmpty());
  EXPECT_THAT(WaitsOfLast({kPe, kDve, kDve}, {{}, {0}, {0}}), IsEmpty());
  // but not that they have ended
  EXPECT_THAT(WaitsOfLast({kDve, kDve, kPe, kDve}, {{}, {}, {}, {1}}), ElementsAre(1));
}

TEST(SyncPlan, AQueuesOrderSaysNothingAboutEnds) {
  EXPECT_THAT(WaitsOfLast({StreamId::Queue(1), StreamId::Queue(1)}, {{}, {0}}), ElementsAre(0));
}

TEST(SyncPlan, TheLatestOfAnEngineStandsForItsEarlierOnes) {
  EXPECT_THAT(WaitsOfLast({kPe, kPe, kPe, kAct}, {{}, {}, {}, {2, 1, 0}}), ElementsAre(2));
}

TEST(SyncPlan, AWaitImpliesWhatItsProducerWaitedFor) {
  // pe 0 -> act 1 -> dve 2, and pe 0 -> dve 2.
  EXPECT_THAT(WaitsOfLast({kPe, kAct, kDve}, {{}, {0}, {1, 0}}), ElementsAre(1));
  // the same with a load at the beginning
  EXPECT_THAT(WaitsOfLast({StreamId::Queue(0), kAct, kDve}, {{}, {0}, {1, 0}}), ElementsAre(1));
}

TEST(SyncPlan, AnEarlierWaitOfTheStreamIsRemembered) {
  EXPECT_THAT(WaitsOfLast({StreamId::Queue(0), kPe, kPe}, {{}, {0}, {0}}), IsEmpty());
  EXPECT_THAT(WaitsOfLast({kAct, StreamId::Queue(0), StreamId::Queue(0)}, {{}, {0}, {0}}),
              IsEmpty())
      << "a queue triggers in order";
}

// What has surely ended when each instance starts, from the waits and the streams alone. An
// instance that is waited for ends after all earlier ones of its engine.
std::vector<std::set<std::uint32_t>> KnownEnds(
    const std::vector<StreamId>& streams, const std::vector<std::vector<std::uint32_t>>& waits) {
  std::vector<std::set<std::uint32_t>> known(streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    for (std::size_t previous = i; previous-- > 0;) {
      if (streams[previous] != streams[i]) continue;
      known[i].insert(known[previous].begin(), known[previous].end());
      const bool pipelined = streams[i] == kAct || streams[i] == kDve;
      if (!streams[i].is_queue() && !pipelined) {
        known[i].insert(static_cast<std::uint32_t>(previous));
      }
      break;
    }
    for (const std::uint32_t wait : waits[i]) {
      known[i].insert(wait);
      known[i].insert(known[wait].begin(), known[wait].end());
      for (std::uint32_t earlier = 0; earlier < wait; ++earlier) {
        if (streams[wait].is_queue() || streams[earlier] != streams[wait]) continue;
        known[i].insert(earlier);
        known[i].insert(known[earlier].begin(), known[earlier].end());
      }
    }
  }
  return known;
}

TEST(SyncPlan, WhatItKeepsEnforcesEverythingAndNoEngineWaitIsSpare) {
  std::size_t dropped = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const std::size_t n = 40;
    std::vector<StreamId> streams;
    std::vector<std::vector<std::uint32_t>> from(n);
    for (std::size_t i = 0; i < n; ++i) {
      streams.push_back({static_cast<int>(random() % 8)});  // five engines, three queues
      for (std::size_t f = i; f-- > 0;) {
        if (random() % 8 == 0) from[i].push_back(static_cast<std::uint32_t>(f));
      }
    }
    const SyncPlan plan = PlanSync(Into(from), streams);
    dropped += plan.by_other_waits;
    std::vector<std::vector<std::uint32_t>> waits;
    for (std::size_t i = 0; i < n; ++i)
      waits.emplace_back(plan.WaitsOf(i).begin(), plan.WaitsOf(i).end());
    const auto known = KnownEnds(streams, waits);
    for (std::size_t i = 0; i < n; ++i) {
      for (const std::uint32_t f : from[i])
        ASSERT_TRUE(known[i].contains(f)) << seed << ": " << f << " -> " << i;
      for (const std::uint32_t wait : plan.WaitsOf(i)) {
        if (streams[wait].is_queue()) continue;
        auto without = waits;
        std::erase(without[i], wait);
        ASSERT_FALSE(KnownEnds(streams, without)[i].contains(wait))
            << seed << ": " << wait << " -> " << i;
      }
    }
  }
  EXPECT_GT(dropped, 1000U);
}

}  // namespace
}  // namespace spillway
