// Spill sets, working sets, and the driver's three outcomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/sbuf/allocate_sbuf.h"
#include "model/alloc/sbuf/spill_set.h"
#include "model/alloc/sbuf/working_set.h"
#include "tests/unit/sbuf/drawn_nodes.h"
#include "tests/unit/sbuf/small_kernel.h"

namespace spillway {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string SpillSet(const DrawnNodes& drawn, const std::string& unplaced) {
  Selection selection;
  selection.placed.resize(drawn.nodes.size());
  for (const char c : unplaced) selection.unplaced.push_back(drawn[c]);
  std::string names;
  for (const TensorId t : ChooseSpillSet(drawn.nodes, drawn.costs, selection))
    names += drawn.kernel.tensors[t].name;
  return names;
}

TEST(SpillSet, HoldsTheSpillableTensorsThatFoundNoPlaceInOrder) {
  const DrawnNodes drawn = Draw(R"(
    a 1 full ###  1
    b 1 full ###  inf
    c 1 full ###  1
  )");
  EXPECT_EQ(SpillSet(drawn, "cba"), "ac");
}

TEST(SpillSet, TurnsToTheNeighborsWhereOnlyUnspillableTensorsFailed) {
  const DrawnNodes drawn = Draw(R"(
    a 1 full ###...  1
    b 1 full .###..  inf
    c 1 full ...###  1
    d 1 full ....##  1
    e 1 full .###..  inf
  )");
  EXPECT_EQ(SpillSet(drawn, "b"), "ac");
}

TEST(SpillSet, IsEmptyWhereNothingSpillableIsInTheWay) {
  const DrawnNodes drawn = Draw(R"(
    a 1 full ##....  1
    b 1 full ..##..  inf
  )");
  EXPECT_EQ(SpillSet(drawn, "b"), "");
}

TEST(WorkingSet, CountsEveryBlockOnceRoundedUp) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 9, 128, {.blocks = {2}});
  const TensorId a = k.Sbuf("a", 8);
  k.Combine(k.b.Whole(t).Block({0}), k.b.Whole(t).Block({0}).Elements(0, 2),
            k.b.Whole(t).Block({1}));
  k.Combine(a, a, a);
  const Kernel kernel = k.Build();
  EXPECT_EQ(WorkingSetOf(kernel, kernel.instructions[InstructionId(0)], Bytes(8)), Bytes(32));
  EXPECT_EQ(WorkingSetOf(kernel, kernel.instructions[InstructionId(1)], Bytes(8)), Bytes(8));
}

TEST(WorkingSet, NamesTheInstructionThatExceedsTheMemory) {
  SmallKernel k;
  const TensorId a = k.Sbuf("a", 40);
  const TensorId b = k.Sbuf("b", 40);
  k.Combine(a, b, b).Source("kernel.py:7");
  EXPECT_EQ(FindOversized(k.Linear(), Bytes(80), Bytes(8)), std::nullopt);
  const std::optional<Error> error = FindOversized(k.Linear(), Bytes(72), Bytes(8));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind, Kind::kInstructionWorkingSet);
  EXPECT_THAT(error->message,
              HasSubstr("instruction 0 (combine at kernel.py:7) needs 80 bytes per partition"));
  EXPECT_THAT(error->message, HasSubstr("the usable partition has 72, and spilling can't help"));
}

TEST(WorkingSet, LetsNarrowTensorsShareBytes) {
  SmallKernel k;
  const TensorId a = k.Sbuf("a", 40, 32);
  const TensorId b = k.Sbuf("b", 40, 32);
  k.Combine(a, b, b);
  EXPECT_EQ(FindOversized(k.Linear(), Bytes(40), Bytes(8)), std::nullopt);
}

TEST(WorkingSet, NamesATensorThatIsTooBigByItself) {
  SmallKernel k;
  k.Write(k.Sbuf("a", 100));
  const std::optional<Error> error = FindOversized(k.Linear(), Bytes(96), Bytes(8));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind, Kind::kCapacity);
  EXPECT_EQ(error->message, "a is too big for SB, requires 100 bytes with SB size 96");
}

Target Trn2() { return *FindTarget("trn2"); }

Result<SbufAllocation> Allocate(const SmallKernel& k, std::int64_t bytes,
                                SbufOptions options = {}) {
  options.capacity = Bytes(bytes);
  return AllocateSbuf(k.Build(), Trn2(), RoundNumbers(), options);
}

/// Three tensors of 32 bytes, one within another's life:
///   a ######
///   b .####.
///   c ..##..
SmallKernel ThreeAtOnce() {
  SmallKernel k;
  std::vector<TensorId> t;
  for (const char* name : {"a", "b", "c"}) t.push_back(k.Sbuf(name, 32));
  for (const TensorId tensor : t) k.Write(tensor);
  for (const std::size_t i : {2, 1, 0}) k.Read(t[i]);
  return k;
}

TEST(AllocateSbuf, PlacesEverythingInOneRoundWhereThereIsRoom) {
  const Result<SbufAllocation> done = Allocate(ThreeAtOnce(), 96);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->outcome, SbufOutcome::kFixpoint);
  EXPECT_EQ(done->stats.iterations, 1);
  EXPECT_THAT(done->stats.spilled, IsEmpty());
  EXPECT_EQ(done->stats.peak_live_bytes, Bytes(96));
  EXPECT_EQ(done->stats.high_water_bytes, Bytes(96));
  EXPECT_DOUBLE_EQ(done->stats.demand_percent, 100);
  EXPECT_EQ(done->stats.quadrant_bytes[3], Bytes(96));
  EXPECT_THAT(done->stats.messages, ElementsAre("no more spills"));
}

TEST(AllocateSbuf, SpillsUntilEverythingHasAPlaceAndSaysWhatThatCosts) {
  std::vector<std::string> progress;
  SbufOptions options;
  options.progress = [&](const std::string& line) { progress.push_back(line); };
  const Result<SbufAllocation> done = Allocate(ThreeAtOnce(), 64, options);
  ASSERT_TRUE(done.has_value());
  ASSERT_EQ(done->stats.spilled.size(), 1u);
  EXPECT_EQ(done->stats.saves, 1);
  EXPECT_EQ(done->stats.reloads, 1);
  EXPECT_EQ(done->stats.iterations, 2);
  // One reload of 32 bytes (132) and one save (1 + 3).
  EXPECT_DOUBLE_EQ(done->stats.predicted_cycles, 136);
  EXPECT_DOUBLE_EQ(done->stats.spilled[0].predicted_cycles, 136);
  EXPECT_THAT(done->stats.messages, Contains("spilling from SB cost about 136 cycles"));
  EXPECT_THAT(done->stats.messages, Contains("number of tensors spilled from SB = 1"));
  EXPECT_THAT(done->stats.messages, Contains("no more spills"));
  EXPECT_THAT(progress, ElementsAre("SB iteration 1: 3 nodes, 1 without a place",
                                    HasSubstr("SB iteration 2: ")));
}

TEST(AllocateSbuf, SpillsTheCheapestTensor) {
  SmallKernel k;
  const TensorId cheap = k.Sbuf("cheap", 32);
  const TensorId dear = k.Sbuf("dear", 32);
  const TensorId other = k.Sbuf("other", 32);
  for (const TensorId t : {cheap, dear, other}) k.Write(t);
  k.Loop("i", 10);
  for (const TensorId t : {dear, other}) k.Read(t);
  k.End();
  k.Read(cheap);
  const Result<SbufAllocation> done = Allocate(k, 64);
  ASSERT_TRUE(done.has_value());
  ASSERT_EQ(done->stats.spilled.size(), 1u);
  EXPECT_EQ(done->stats.spilled[0].name, "cheap");
}

TEST(AllocateSbuf, KeepsHandPlacedTensorsWhereTheyAre) {
  SmallKernel k;
  const TensorId fixed = k.Sbuf("fixed", 32, 128, {.at = {{Partition(0), ByteOffset(32)}}});
  const TensorId a = k.Sbuf("a", 32);
  const TensorId b = k.Sbuf("b", 32);
  for (const TensorId t : {fixed, a, b}) k.Write(t);
  for (const TensorId t : {fixed, a, b}) k.Read(t);
  const Result<SbufAllocation> done = Allocate(k, 96);
  ASSERT_TRUE(done.has_value());
  const auto byte = [&](const char* name) {
    return done->placement.addresses[Named(done->kernel, name)][0].byte.value;
  };
  EXPECT_EQ(byte("fixed"), 32);
  EXPECT_EQ(byte("a") + byte("b"), 64);
  EXPECT_EQ(std::abs(byte("a") - byte("b")), 64);
}

TEST(AllocateSbuf, FailsWhereWhatHasNoPlaceCannotBeSpilled) {
  SmallKernel k;
  const TensorId fixed = k.Sbuf("fixed", 8, 128, {.at = {{Partition(0), ByteOffset(32)}}});
  const TensorId big = k.Sbuf("big", 40);
  k.Write(fixed);
  k.Write(big);
  k.Read(fixed);
  const Result<SbufAllocation> failed = Allocate(k, 64);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().kind, Kind::kCapacity);
  EXPECT_EQ(failed.error().code, "spilling-cant-help");
  EXPECT_THAT(failed.error().message,
              HasSubstr("couldn't allocate every tensor in SB and spilling can't help"));
  EXPECT_THAT(failed.error().message, HasSubstr("big (40 bytes per partition"));
}

TEST(AllocateSbuf, FailsAtTheSpillCap) {
  SbufOptions options;
  options.spill_cap = 1;
  const Result<SbufAllocation> failed = Allocate(ThreeAtOnce(), 64, options);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().kind, Kind::kSpillCap);
}

TEST(AllocateSbuf, GivesUpWhenItTakesTooLong) {
  SbufOptions options;
  options.watchdog_seconds = 0;
  const Result<SbufAllocation> failed = Allocate(ThreeAtOnce(), 64, options);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().kind, Kind::kLimit);
  EXPECT_EQ(failed.error().code, "watchdog");
}

TEST(AllocateSbuf, RefusesAnInstructionThatExceedsTheMemory) {
  const Result<SbufAllocation> failed = Allocate(ThreeAtOnce(), 24);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().kind, Kind::kCapacity);
}

TEST(AllocateSbuf, GivesBlocksThatNeverMeetOnePlace) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 32, 128, {.blocks = {4}});
  k.Loop("i", 4);
  k.Write(k.b.Whole(t).Block({k.Index("i")}));
  k.Read(k.b.Whole(t).Block({k.Index("i")}));
  k.End();
  const Result<SbufAllocation> done = Allocate(k, 32);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->placement.addresses[Named(done->kernel, "t")],
            std::vector<Address>(4, Address{Partition(0), ByteOffset(0)}));
}

TEST(AllocateSbuf, DropsTensorsThatNothingTouchesAndLeavesOthersWithoutAddress) {
  SmallKernel k;
  k.Sbuf("unused", 32);
  k.Write(k.Sbuf("t", 32));
  const Result<SbufAllocation> done = Allocate(k, 64);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->kernel.tensors.size(), 3u);
  EXPECT_THAT(done->placement.addresses[Named(done->kernel, "x")], IsEmpty());
  EXPECT_EQ(done->placement.addresses[Named(done->kernel, "t")].size(), 1u);
}

TEST(AllocateSbuf, AKernelWithoutSbufTensorsNeedsNothing) {
  SmallKernel k;
  k.b.Copy(k.b.Whole(k.y), k.b.Whole(k.x));
  EXPECT_TRUE(Allocate(k, 0).has_value());
}

}  // namespace
}  // namespace spillway
