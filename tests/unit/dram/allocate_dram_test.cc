#include "model/alloc/dram/allocate_dram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/alloc/check/placement_checker.h"
#include "tests/unit/check/test_kernel.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

DramAllocation Allocate(const TestKernel& k) {
  const Result<DramAllocation> allocation = AllocateDram(k.Linear(), FindTarget("trn2").value());
  EXPECT_TRUE(allocation) << allocation.error().ToString();
  return allocation ? *allocation : DramAllocation();
}

std::int64_t StartOf(const DramAllocation& allocation, TensorId tensor) {
  return allocation.placement.addresses[tensor].at(0).byte.value;
}

//   a ######          [0, 5000)
//   b    ######       [8192, ...) on the next page
//   c       ######    a's place again
TEST(AllocateDram, TakesTheLowestGapAmongTheHomesThatAreAlive) {
  TestKernel k;
  const TensorId a = k.Dram("a", 5000);
  const TensorId b = k.Dram("b", 100);
  const TensorId c = k.Dram("c", 8192);
  const TensorId d = k.Dram("d", 8193);
  k.Write(a);
  k.Write(b);
  k.Read(a);
  k.Write(c);
  k.Write(d);
  k.Read(b);
  k.Read(c);
  k.Read(d);
  const DramAllocation allocation = Allocate(k);
  EXPECT_EQ(StartOf(allocation, a), 0);
  EXPECT_EQ(StartOf(allocation, b), 8192);
  EXPECT_EQ(StartOf(allocation, c), 0);
  EXPECT_EQ(StartOf(allocation, d), 12288);
  EXPECT_EQ(allocation.stats.high_water_bytes, Bytes(12288 + 8193));
}

TEST(AllocateDram, AHomeThatIsReadAndOneThatIsWrittenAtOnePointLieApart) {
  TestKernel k;
  const TensorId a = k.Dram("a", 64);
  const TensorId b = k.Dram("b", 64);
  k.Write(a);
  k.Op({k.At(b)}, {k.At(a)});
  k.Read(b);
  const DramAllocation allocation = Allocate(k);
  EXPECT_NE(StartOf(allocation, a), StartOf(allocation, b));
}

TEST(AllocateDram, AHomeThatCrossesIterationsKeepsItsPlaceThroughTheLoop) {
  TestKernel k;
  const TensorId crossing = k.Dram("crossing", 64);
  const TensorId after = k.Dram("after", 64);
  k.Write(crossing);
  k.Open(3);
  k.Read(crossing);
  k.Write(after);
  k.Read(after);
  k.Close();
  const DramAllocation allocation = Allocate(k);
  EXPECT_NE(StartOf(allocation, crossing), StartOf(allocation, after));
}

TEST(AllocateDram, GivesNoAddressToWhatTheCallerOwnsOrNobodyTouches) {
  TestKernel k;
  const TensorId in = k.Dram("in", 64);
  const TensorId out = k.Dram("out", 64);
  const TensorId idle = k.Dram("idle", 64);
  k.tensor(in).role = Role::kInput;
  k.tensor(out).role = Role::kOutput;
  k.Op({k.At(out)}, {k.At(in)});
  const DramAllocation allocation = Allocate(k);
  for (const TensorId id : {in, out, idle})
    EXPECT_THAT(allocation.placement.addresses[id], IsEmpty());
  EXPECT_EQ(allocation.stats.high_water_bytes, Bytes(0));
}

//   fixed  [0, 6000)      from point 1 on
//   early  [8192, ...)    alive before it and with it
//   late   [0, ...)       alive after it
TEST(AllocateDram, LeavesFixedTensorsWhereTheyAreAndAvoidsThemWhileTheyLive) {
  TestKernel k;
  const TensorId early = k.Dram("early", 64);
  const TensorId fixed = k.Dram("fixed", 3000, {2});
  const TensorId late = k.Dram("late", 64);
  k.tensor(fixed).at = {Place(0, 0), Place(0, 3000)};
  k.Write(early);
  k.Write(fixed);
  k.Read(fixed);
  k.Read(early);
  k.Write(late);
  k.Read(late);
  const DramAllocation allocation = Allocate(k);
  EXPECT_EQ(allocation.placement.addresses[fixed], k.tensor(fixed).at);
  EXPECT_EQ(StartOf(allocation, early), 8192);
  EXPECT_EQ(StartOf(allocation, late), 0);
  const LinearKernel linear = k.Linear();
  for (const CheckResult& result :
       CheckPlacement(linear, allocation.placement, FindTarget("trn2").value(), {})) {
    EXPECT_TRUE(result.violations.empty()) << result.violations.front().text;
  }
}

//   page 0: block 0, block 1 ... of 600 bytes, every 1024
TEST(AllocateDram, SmallBlocksFollowEachOtherWithoutStraddlingAPage) {
  TestKernel k;
  const TensorId small = k.Dram("small", 600, {5});
  const TensorId large = k.Dram("large", 5000, {2});
  k.Write(small, {.block = {4}});
  k.Write(large, {.block = {1}});
  k.Read(small, {.block = {4}});
  k.Read(large, {.block = {1}});
  const DramAllocation allocation = Allocate(k);
  EXPECT_THAT(
      allocation.placement.addresses[small],
      ElementsAre(Place(0, 0), Place(0, 1024), Place(0, 2048), Place(0, 3072), Place(0, 4096)));
  EXPECT_THAT(allocation.placement.addresses[large], ElementsAre(Place(0, 8192), Place(0, 16384)));
}

TEST(AllocateDram, CountsTheBytesOfHomesThatSpillCodeSavesTo) {
  TestKernel k;
  const TensorId home = k.Dram("home", 5000);
  const TensorId scratch = k.Dram("scratch", 300);
  k.Write(home).spill = SpillRole::kSave;
  k.Write(scratch);
  k.Read(home).spill = SpillRole::kReload;
  k.Read(scratch);
  const DramStats stats = Allocate(k).stats;
  EXPECT_EQ(stats.homes, 1);
  EXPECT_EQ(stats.spill_bytes, Bytes(5000));
  EXPECT_EQ(stats.aligned_spill_bytes, Bytes(8192));
  EXPECT_EQ(stats.high_water_bytes, Bytes(8492));
}

TEST(AllocateDram, RefusesWhatDoesNotFitTheCore) {
  const Target target = FindTarget("trn2").value();
  const std::int64_t all = target.dram_bytes.value.value;
  TestKernel fits;
  const TensorId whole = fits.Dram("whole", all);
  fits.Write(whole);
  EXPECT_TRUE(AllocateDram(fits.Linear(), target));
  TestKernel k;
  const TensorId large = k.Dram("large", all);
  const TensorId more = k.Dram("more", 1);
  k.Write(large);
  k.Write(more);
  k.Read(large);
  const Result<DramAllocation> allocation = AllocateDram(k.Linear(), target);
  ASSERT_FALSE(allocation);
  EXPECT_EQ(allocation.error().kind, Kind::kCapacity);
  EXPECT_THAT(allocation.error().message, HasSubstr("more"));
  EXPECT_THAT(allocation.error().message, HasSubstr(std::to_string(all)));
}

RC_GTEST_PROP(AllocateDramProperty, PlacesHomesLegallyInNoMoreThanTheSumOfTheirPages, ()) {
  TestKernel k;
  const auto count = *rc::gen::inRange<std::size_t>(1, 12);
  constexpr std::size_t kLength = 20;
  std::vector<std::vector<std::pair<TensorId, bool>>> events(kLength);
  Bytes sum;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bytes = *rc::gen::element<std::int64_t>(1, 600, 2048, 2049, 4095, 4096, 4097, 10000);
    const auto blocks = *rc::gen::inRange<std::int64_t>(1, 4);
    const TensorId id = k.Dram("h" + std::to_string(i), bytes, {blocks});
    sum += RoundUp(LayoutOf(k.tensor(id)).extent, Bytes(4096));
    const auto first = *rc::gen::inRange<std::size_t>(0, kLength);
    const auto last = *rc::gen::inRange<std::size_t>(first, kLength);
    events[first].push_back({id, true});
    if (last != first) events[last].push_back({id, false});
  }
  for (const auto& at_point : events) {
    std::vector<Operand> outputs, inputs;
    for (const auto& [id, is_write] : at_point) (is_write ? outputs : inputs).push_back(k.At(id));
    k.Op(std::move(outputs), std::move(inputs));
  }
  const LinearKernel linear = k.Linear();
  const Target target = FindTarget("trn2").value();
  const auto allocation = AllocateDram(linear, target);
  RC_ASSERT(allocation.has_value());
  RC_ASSERT(allocation->stats.high_water_bytes <= sum);
  for (const CheckResult& result : CheckPlacement(linear, allocation->placement, target, {})) {
    if (!result.violations.empty()) RC_FAIL(result.violations.front().text);
  }
}

TEST(DramLayout, CountsMoreBytesThan32BitsHold) {
  Tensor home;
  home.space = Space::kDram;
  home.dtype = DType::kUint8;
  home.shape = {std::int64_t{1} << 30};
  home.blocks = {5};
  EXPECT_EQ(LayoutOf(home).extent, Bytes(std::int64_t{5} << 30));
}

}  // namespace
}  // namespace spillway
