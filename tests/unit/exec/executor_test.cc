#include "sim/exec/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/exec/compare_data.h"
#include "tests/unit/exec/small_kernels.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::int64_t Mismatches(const Kernel& kernel, ValueMode mode, const ExecuteOptions& options = {}) {
  const SimReport report = Simulate(kernel, mode, options).value();
  return CompareData(kernel, report.outputs, Reference(kernel, mode)).mismatched_bytes;
}

TEST(Executor, APlacedKernelGivesTheReferencesBytes) {
  for (const ValueMode mode : {ValueMode::kNumeric, ValueMode::kTags}) {
    for (const bool shared : {false, true}) {
      const Kernel kernel = RunningSum(6, 3, shared);
      EXPECT_EQ(Mismatches(kernel, mode), 0);
      EXPECT_EQ(CompareData(kernel, Simulate(kernel, mode)->outputs, Reference(kernel, mode))
                    .compared_bytes,
                6 * 128 * kColumns * 4);
    }
  }
}

TEST(Executor, EveryWaitThatItKeepsIsNeeded) {
  const Kernel kernel = RunningSum(6, 2, true);
  const std::size_t waits = Simulate(kernel, ValueMode::kTags)->lowered.counts.waits;
  ASSERT_GT(waits, 8U);
  std::size_t caught = 0;
  for (std::size_t wait = 0; wait < waits; ++wait) {
    ExecuteOptions options;
    options.lower.dropped_waits = {wait};
    if (Mismatches(kernel, ValueMode::kTags, options) > 0) ++caught;
  }
  // A wait whose producer happens to be early enough can be missed; most can't.
  EXPECT_GE(caught * 2, waits) << caught << " of " << waits;
}

TEST(Executor, DroppingAnAntiDependenceLetsALoadClobberItsSlot) {
  // Semaphores so slow that the second load, had it not to wait for the first add, would land
  // between the first load's end and the add's start.
  Target target = Trn2();
  target.semaphore_latency.value = Picoseconds(900'000);
  const Kernel kernel = RunningSum(3, 1, true);
  const SimReport report = Simulate(kernel, ValueMode::kNumeric, {}, target).value();
  // Instances: memset, then (load, add, store) three times. The wait of the second load is for the
  // first add, which reads the slot.
  std::size_t number = 0;
  for (std::uint32_t i = 0; i < 4; ++i)
    number += report.lowered.program.WaitsOf(InstanceId(i)).size();
  ASSERT_THAT(report.lowered.program.WaitsOf(InstanceId(4)), SizeIs(1));
  ExecuteOptions options;
  options.lower.dropped_waits = {number};
  const SimReport broken = Simulate(kernel, ValueMode::kNumeric, options, target).value();
  EXPECT_LT(broken.run.times[4].finish, report.run.times[4].finish) << "it no longer waits";
  const NamedData reference = Reference(kernel, ValueMode::kNumeric);
  EXPECT_EQ(CompareData(kernel, report.outputs, reference).mismatched_bytes, 0);
  EXPECT_GT(CompareData(kernel, broken.outputs, reference).mismatched_bytes, 0);
}

TEST(Executor, TwoRunsAreEqual) {
  const Kernel kernel = RunningSum(5, 2, false);
  const SimReport a = Simulate(kernel, ValueMode::kNumeric).value();
  const SimReport b = Simulate(kernel, ValueMode::kNumeric).value();
  EXPECT_EQ(a.outputs, b.outputs);
  EXPECT_EQ(a.run.times, b.run.times);
}

TEST(Executor, ValuesDoNotChangeTimes) {
  const Kernel kernel = RunningSum(5, 2, true);
  const SimReport none = Simulate(kernel, ValueMode::kNone).value();
  EXPECT_EQ(none.run.times, Simulate(kernel, ValueMode::kNumeric)->run.times);
  EXPECT_EQ(none.run.times, Simulate(kernel, ValueMode::kTags)->run.times);
  EXPECT_THAT(none.outputs, IsEmpty());
}

TEST(Executor, MoreSlotsAreNeverSlower) {
  const auto cycles = [](int slots, bool shared) {
    return Simulate(RunningSum(12, slots, shared), ValueMode::kNone)->cycles;
  };
  EXPECT_LT(cycles(4, false), cycles(1, false)) << "loads run ahead";
  EXPECT_GT(cycles(4, true), cycles(4, false)) << "sharing bytes costs time";
}

// value -> home -> value: the second reader gets it from DRAM.
Kernel Spilled() {
  KernelBuilder b("spilled", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {128, kColumns}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {128, kColumns}, Role::kOutput);
  const TensorId home = b.Dram("home", DType::kFloat32, {128, kColumns});
  const TensorId value = b.Sbuf("value", DType::kFloat32, {128, kColumns}, AtByte(0));
  const TensorId other = b.Sbuf("other", DType::kFloat32, {128, kColumns}, AtByte(0));
  const TensorId again = b.Sbuf("again", DType::kFloat32, {128, kColumns}, AtByte(256));
  b.Copy(b.Whole(value), b.Whole(x).Tile(0, 128, 0, kColumns));
  b.Copy(b.Whole(home).Tile(0, 128, 0, kColumns), b.Whole(value)).Spill(SpillRole::kSave);
  b.Instruction("memset").Out("dst", b.Whole(other)).Attr("value", 3.0);
  b.Copy(b.Whole(again), b.Whole(home).Tile(0, 128, 0, kColumns)).Spill(SpillRole::kReload);
  b.Instruction("tensor_tensor")
      .Out("dst", b.Whole(again))
      .In("data1", b.Whole(again))
      .In("data2", b.Whole(other))
      .Attr("op", "add");
  b.Copy(b.Whole(y).Tile(0, 128, 0, kColumns), b.Whole(again));
  return b.Build();
}

TEST(Executor, SpillsAreCountedAndTimed) {
  const Kernel kernel = Spilled();
  Placement placement = FixedPlacement(kernel);
  placement.addresses[TensorId(2)] = {{Partition(0), ByteOffset(512)}};
  const Inputs inputs = GenerateInputs(kernel, 7).value();
  const SimReport report = Execute(kernel, placement, Trn2(), ValueMode::kNumeric, inputs).value();
  EXPECT_EQ(report.spill.saves, 1);
  EXPECT_EQ(report.spill.reloads, 1);
  EXPECT_EQ(report.spill.saved_bytes, Bytes(128 * 256));
  EXPECT_EQ(report.spill.reloaded_bytes, Bytes(128 * 256));
  EXPECT_EQ(report.dma_bytes, Bytes(4 * 128 * 256));
  EXPECT_EQ(
      CompareData(kernel, report.outputs, Reference(kernel, ValueMode::kNumeric)).mismatched_bytes,
      0);
  // The reload waits for the save: two round trips of 1300 ns and 8 descriptors of 105 ns, in
  // cycles of 0.96 GHz, and no more.
  EXPECT_GE(report.spill.cycles, Cycles(2 * 2140 * 96 / 100));
  EXPECT_LT(report.spill.cycles, Cycles(2 * 2140 * 96 / 100 + 3));
}

TEST(Executor, ADeadlockNamesInstructionsAndTensors) {
  // Nothing that the lowering emits deadlocks; a watchdog that is too short shows the same report.
  const Kernel kernel = RunningSum(4, 1, true);
  ExecuteOptions options;
  options.watchdog = Picoseconds(3'000'000);
  const SimReport report = Simulate(kernel, ValueMode::kTags, options).value();
  ASSERT_FALSE(report.violations.empty());
  EXPECT_EQ(report.violations[0].kind, Kind::kDeadlock);
  EXPECT_THAT(report.violations[0].text, HasSubstr("tensor_tensor #5"));
  EXPECT_THAT(report.violations[0].tensors, ::testing::ElementsAre("sum"));
  EXPECT_THAT(Simulate(kernel, ValueMode::kTags)->violations, IsEmpty());
}

TEST(Executor, MissingInputsAndPlacesAreErrors) {
  Kernel kernel = RunningSum(2, 1, false);
  EXPECT_EQ(Execute(kernel, FixedPlacement(kernel), Trn2(), ValueMode::kTags, {}).error().code,
            "missing-input");
  Inputs inputs = GenerateInputs(kernel, 7).value();
  inputs["x"].bytes.pop_back();
  EXPECT_EQ(Execute(kernel, FixedPlacement(kernel), Trn2(), ValueMode::kTags, inputs).error().code,
            "input-size");
  kernel.tensors[TensorId(2)].at.clear();
  EXPECT_EQ(Simulate(kernel, ValueMode::kTags).error().code, "not-placed");
}

TEST(Executor, LoopsRunWithTheirIndices) {
  KernelBuilder b("loop", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {5 * 128, kColumns}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {5 * 128, kColumns}, Role::kOutput);
  const TensorId slots = b.Sbuf(
      "slots", DType::kFloat32, {128, kColumns},
      {.blocks = {2}, .at = {{Partition(0), ByteOffset(0)}, {Partition(0), ByteOffset(256)}}});
  b.OpenLoop("i", 0, 5);
  const AffineExpr i = b.Index("i");
  b.Copy(b.Whole(slots).Block({i % 2}), b.Whole(x).Tile(i * 128, 128, 0, kColumns));
  b.Copy(b.Whole(y).Tile(i * 128, 128, 0, kColumns), b.Whole(slots).Block({i % 2}))
      .When(AtLeast(i, 1));
  b.CloseLoop();
  const Kernel kernel = b.Build();
  EXPECT_EQ(Mismatches(kernel, ValueMode::kNumeric), 0) << "rows that nobody writes start equal";
  const SimReport report = Simulate(kernel, ValueMode::kNumeric).value();
  EXPECT_THAT(report.lowered.sequence.instances, SizeIs(9));
}

}  // namespace
}  // namespace spillway
