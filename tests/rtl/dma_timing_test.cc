// Does the RTL take the time that the machine's model charges? DescriptorTime is the rule under
// test, the RTL the witness.
#include "tests/rtl/dma_timing.h"

#include <gmock/gmock.h>

#include "tests/rtl/dma_queue_engine_traffic.h"

namespace spillway {
namespace {

constexpr RtlModule kDma = RtlModule::kDmaQueueEngine;
constexpr DescriptorKind kKinds[] = {DescriptorKind::kContiguous, DescriptorKind::kStrided,
                                     DescriptorKind::kTransposeFromDram,
                                     DescriptorKind::kTransposeOnChip};

std::vector<DmaDescriptor> DescriptorsOfManySizes() {
  std::vector<DmaDescriptor> descriptors;
  for (const std::uint32_t bytes :
       {0U,    1U,    2U,    31U,   32U,   33U,   64U,   127U,  256U,  511U,  512U,  1000U, 1024U,
        1536U, 2000U, 2047U, 2048U, 2049U, 2277U, 2278U, 2300U, 3071U, 4095U, 4096U, 9999U}) {
    descriptors.push_back({bytes, bytes * 3, bytes * 5, true});
  }
  return descriptors;
}

// Cycles that each descriptor takes in a queue that never runs dry.
std::vector<std::int64_t> CyclesOfDescriptors(const DmaTimes& times,
                                              const std::vector<DmaDescriptor>& descriptors,
                                              std::int64_t expected_total) {
  const auto events = std::make_shared<DmaEvents>();
  ExpectLockstep<DmaScript>(kDma, static_cast<std::uint64_t>(expected_total) + 50,
                            std::make_shared<Findings>(), events,
                            DmaPlan{.times = times, .descriptors = descriptors});
  std::vector<std::int64_t> cycles;
  if (events->starts.size() != descriptors.size() || events->idles.size() != 1) return cycles;
  for (std::size_t i = 0; i < events->starts.size(); ++i) {
    const std::uint64_t end =
        i + 1 < events->starts.size() ? events->starts[i + 1] : events->idles.front();
    cycles.push_back(static_cast<std::int64_t>(end - events->starts[i]));
  }
  return cycles;
}

struct Rule {
  const Target& target;
  DescriptorKind kind;
  std::int64_t hertz;

  DmaTimes WithoutIssueFloor() const {
    DmaTimes times = DmaTimesOf(target, hertz, kind);
    times.issue = 0;
    return times;
  }
  Picoseconds Time(const DmaDescriptor& descriptor) const {
    return DescriptorTime(target, Bytes(descriptor.bytes), kind);
  }
  std::int64_t Cycles(const DmaDescriptor& descriptor) const {
    return CyclesIn(Time(descriptor), hertz).value;
  }
  std::string Name(const DmaDescriptor& descriptor) const {
    return fmt::format("{}, kind {}, {} MHz, {} bytes", target.name, static_cast<int>(kind),
                       hertz / 1'000'000, descriptor.bytes);
  }
};

template <class Judge>
void ForEachDescriptor(const Rule& rule, const Judge& judge) {
  const std::vector<DmaDescriptor> descriptors = DescriptorsOfManySizes();
  std::int64_t total = 0;
  for (const DmaDescriptor& descriptor : descriptors) total += rule.Cycles(descriptor);
  const std::vector<std::int64_t> cycles =
      CyclesOfDescriptors(rule.WithoutIssueFloor(), descriptors, total);
  ASSERT_EQ(cycles.size(), descriptors.size());
  for (std::size_t i = 0; i < cycles.size(); ++i) judge(descriptors[i], cycles[i]);
}

TEST(DmaTiming, OneIncrementOfEachEngineMakesATransfersIncrements) {
  for (const Target& target : BuiltInTargets()) {
    DmaPlan plan{.times = DmaTimesOf(target, target.reference_hertz, DescriptorKind::kContiguous)};
    plan.descriptors = {{64, 0, 0x8000, false}, {64, 64, 0x8040, true}};
    const auto events = std::make_shared<DmaEvents>();
    ExpectLockstep<DmaScript>(kDma, 1000, std::make_shared<Findings>(), events, plan);
    EXPECT_EQ(static_cast<std::int64_t>(events->completions_since_reset) * target.dma_engines,
              target.dma_completion_increments)
        << target.name;
  }
}

TEST(DmaTiming, BackToBackDescriptorsTakeTheMachinesDescriptorTime) {
  // Clocks whose period is a whole number of picoseconds, so that rounding up to one and then to
  // the other is rounding up once.
  for (const std::int64_t hertz : {1'250'000'000LL, 2'000'000'000LL}) {
    for (const Target& target : BuiltInTargets()) {
      for (const DescriptorKind kind : kKinds) {
        const Rule rule{target, kind, hertz};
        ForEachDescriptor(rule, [&rule](const DmaDescriptor& descriptor, std::int64_t cycles) {
          EXPECT_EQ(cycles, rule.Cycles(descriptor)) << rule.Name(descriptor);
        });
      }
    }
  }
}

TEST(DmaTiming, OnTheTargetsClockADescriptorTakesItsTimeUpToTheLastPicosecond) {
  int descriptors = 0;
  int equal = 0;
  for (const Target& target : BuiltInTargets()) {
    for (const DescriptorKind kind : kKinds) {
      const Rule rule{target, kind, target.reference_hertz};
      ForEachDescriptor(rule, [&](const DmaDescriptor& descriptor, std::int64_t cycles) {
        // DescriptorTime rounds up to a picosecond; the RTL never rounds before the cycle.
        const Picoseconds time = rule.Time(descriptor);
        EXPECT_LE(cycles, CyclesIn(time, rule.hertz).value) << rule.Name(descriptor);
        EXPECT_GE(cycles, CyclesIn(time - Picoseconds(1), rule.hertz).value)
            << rule.Name(descriptor);
        ++descriptors;
        if (cycles == rule.Cycles(descriptor)) ++equal;
      });
    }
  }
  EXPECT_GE(equal * 100, descriptors * 99);
}

TEST(DmaTiming, TransfersOfOneDescriptorFollowAtTheTargetsIssueFloor) {
  for (const Target& target : BuiltInTargets()) {
    const Rule rule{target, DescriptorKind::kContiguous, target.reference_hertz};
    DmaPlan plan{.times = DmaTimesOf(target, rule.hertz, rule.kind)};
    plan.descriptors.assign(6, {64, 0, 0x8000, true});
    const auto events = std::make_shared<DmaEvents>();
    const std::int64_t each = std::max(CyclesIn(target.dma_issue_floor, rule.hertz).value,
                                       rule.Cycles(plan.descriptors.front()));
    ExpectLockstep<DmaScript>(kDma, static_cast<std::uint64_t>(6 * each + 50),
                              std::make_shared<Findings>(), events, plan);
    ASSERT_EQ(events->starts.size(), 6U) << target.name;
    for (std::size_t i = 1; i < 6; ++i) {
      EXPECT_EQ(static_cast<std::int64_t>(events->starts[i] - events->starts[i - 1]), each)
          << target.name;
    }
  }
}

}  // namespace
}  // namespace spillway
