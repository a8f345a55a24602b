// Streaming instructions and programs at other times.
#include <gtest/gtest.h>

#include "model/hw/timing/event_machine.h"
#include "sim/exec/adversarial_effects.h"
#include "tests/unit/exec/small_kernels.h"

namespace spillway {
namespace {

NamedData Play(const Kernel& kernel, const LoweredKernel& lowered, const HwProgram& program,
               const AdversarialOptions& options) {
  static EventMachine machine;
  const Inputs inputs = GenerateInputs(kernel, 7).value();
  AdversarialEffects effects(kernel, lowered, ValueMode::kTags, inputs, options);
  machine.Run(program, Trn2(), lowered.memory.use, &effects);
  return effects.TakeOutputs();
}

/// load a; copy b <- a; store b, with a and b at these bytes.
Kernel CopyBetween(std::int64_t a_byte, std::int64_t b_byte) {
  KernelBuilder b("copy", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {128, kColumns}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {128, kColumns}, Role::kOutput);
  const TensorId from = b.Sbuf("a", DType::kFloat32, {128, kColumns}, AtByte(a_byte));
  const TensorId to = b.Sbuf("b", DType::kFloat32, {128, kColumns}, AtByte(b_byte));
  b.Copy(b.Whole(from), b.Whole(x));
  b.Copy(b.Whole(to), b.Whole(from));
  b.Copy(b.Whole(y), b.Whole(to));
  return b.Build();
}

bool IsRight(const Kernel& kernel, bool streaming) {
  const LoweredKernel lowered = LowerKernel(kernel, FixedPlacement(kernel), Trn2()).value();
  return Play(kernel, lowered, lowered.program, {.bytes = {}, .streaming = streaming}).at("y") ==
         Reference(kernel, ValueMode::kTags).at("y");
}

TEST(Streaming, ADestinationThatOverlapsItsSourceAheadOfItGivesWrongData) {
  EXPECT_FALSE(IsRight(CopyBetween(0, 4), true));
  EXPECT_TRUE(IsRight(CopyBetween(0, 4), false)) << "sampled in one go, it looks right";
}

TEST(Streaming, ADestinationBehindOrExactlyOnItsSourceOrApartIsRight) {
  EXPECT_TRUE(IsRight(CopyBetween(4, 0), true));
  EXPECT_TRUE(IsRight(CopyBetween(0, 0), true));
  EXPECT_TRUE(IsRight(CopyBetween(0, 256), true));
}

TEST(Streaming, AReductionOntoItsSourceIsRightWhereItWritesWhatItHasRead) {
  KernelBuilder b("sum", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {128, kColumns}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {128, 1}, Role::kOutput);
  for (const std::int64_t byte : {std::int64_t{0}, kColumns * 4 - 4}) {
    KernelBuilder k = b;
    const TensorId from = k.Sbuf("a", DType::kFloat32, {128, kColumns}, AtByte(0));
    const TensorId to = k.Sbuf("r", DType::kFloat32, {128, 1}, AtByte(byte));
    k.Copy(k.Whole(from), k.Whole(x));
    k.Instruction("tensor_reduce").Out("dst", k.Whole(to)).In("data", k.Whole(from));
    k.Copy(k.Whole(y), k.Whole(to));
    EXPECT_TRUE(IsRight(k.Build(), true)) << byte;
  }
}

TEST(AdversarialPlans, KeepStreamsAndWaitsAndWhatTheMachinePromises) {
  const Kernel kernel = RunningSum(4, 2, true);
  const LoweredKernel lowered = LowerKernel(kernel, FixedPlacement(kernel), Trn2()).value();
  const HwProgram& program = lowered.program;
  const int directed = DirectedPlans(program);
  EXPECT_GT(directed, 4);
  for (int number = 0; number < directed + 3; ++number) {
    const AdversarialPlan plan = MakeAdversarialPlan(program, number, 9);
    ASSERT_EQ(plan.program.instances().size(), program.instances().size());
    EXPECT_EQ(plan.program.waits(), program.waits());
    EXPECT_EQ(plan.bytes, MakeAdversarialPlan(program, number, 9).bytes);
    for (std::size_t i = 0; i < program.instances().size(); ++i) {
      const HwInstance& before = program.instance(InstanceId(i));
      const HwInstance& after = plan.program.instance(InstanceId(i));
      EXPECT_EQ(after.stream, before.stream);
      EXPECT_EQ(after.time.latency == after.time.interval,
                before.time.latency == before.time.interval);
      const bool overlaps = before.time.latency > before.time.interval;
      if (overlaps) {
        EXPECT_NE(plan.bytes[i], ByteTiming::kAllAtStart);
      }
    }
  }
}

bool HoldsAtAllTimes(const Kernel& kernel, const LoweredKernel& lowered) {
  const NamedData expected = Reference(kernel, ValueMode::kTags);
  for (int number = 0; number < DirectedPlans(lowered.program) + 4; ++number) {
    const AdversarialPlan plan = MakeAdversarialPlan(lowered.program, number, 1);
    const NamedData outputs =
        Play(kernel, lowered, plan.program, {.bytes = plan.bytes, .streaming = false});
    if (outputs.at("y") != expected.at("y")) return false;
  }
  return true;
}

// Slots that are too few for the pipeline's skew; transfers in flight whose bytes are read or
// overwritten too early; results that are read while they are on their way.
TEST(OtherTimes, ShowEachWaitThatIsLeftOut) {
  const Kernel kernel = RunningSum(4, 2, true);
  const Placement placement = FixedPlacement(kernel);
  const LoweredKernel lowered = LowerKernel(kernel, placement, Trn2()).value();
  EXPECT_TRUE(HoldsAtAllTimes(kernel, lowered));
  for (std::size_t wait = 0; wait < lowered.counts.waits; ++wait) {
    LowerOptions options;
    options.dropped_waits = {wait};
    const LoweredKernel broken = LowerKernel(kernel, placement, Trn2(), options).value();
    EXPECT_FALSE(HoldsAtAllTimes(kernel, broken)) << wait;
  }
}

}  // namespace
}  // namespace spillway
