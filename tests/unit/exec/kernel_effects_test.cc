// Bytes are read as they were when an instance started and land when it ends, whatever comes
// between. Starts and ends are called by hand, so that every order can be had.
#include "sim/exec/kernel_effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/unit/exec/small_kernels.h"

namespace spillway {
namespace {

struct Played {
  NamedData outputs;
  std::int64_t at_end = 0;
  std::int64_t forced = 0;
};

/// Steps: instance n starts as +(n + 1), ends as -(n + 1).
Played Play(const Kernel& kernel, ValueMode mode, const std::vector<int>& steps, bool eager) {
  const LoweredKernel lowered = LowerKernel(kernel, FixedPlacement(kernel), Trn2()).value();
  const Inputs inputs = GenerateInputs(kernel, 7).value();
  KernelEffects effects(kernel, lowered, mode, inputs, {.eager_copies = eager});
  MachineMemory memory;
  memory.Prepare(Trn2(), lowered.memory.use);
  effects.Load(memory);
  for (const int step : steps) {
    if (step > 0) {
      effects.Start(InstanceId(static_cast<std::uint32_t>(step - 1)), memory);
    } else {
      effects.Finish(InstanceId(static_cast<std::uint32_t>(-step - 1)), memory);
    }
  }
  effects.Unload(memory);
  return {effects.TakeOutputs(), effects.copies_at_end(), effects.copies_forced()};
}

/// Plays lazily and eagerly, in both modes; the outputs must be equal.
Played PlayBoth(const Kernel& kernel, const std::vector<int>& steps) {
  Played lazy;
  for (const ValueMode mode : {ValueMode::kTags, ValueMode::kNumeric}) {
    lazy = Play(kernel, mode, steps, false);
    const Played eager = Play(kernel, mode, steps, true);
    EXPECT_EQ(lazy.outputs, eager.outputs);
    EXPECT_EQ(eager.at_end + eager.forced, 0);
  }
  return lazy;
}

/// load a <- x (1), then store y <- a (2), then whatever `more` adds (3 …).
Kernel LoadAndStore(const std::function<void(KernelBuilder&, TensorId)>& more) {
  KernelBuilder b("k", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {128, kColumns}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {128, kColumns}, Role::kOutput);
  const TensorId a = b.Sbuf("a", DType::kFloat32, {128, 2 * kColumns}, AtByte(0));
  b.Copy(b.Whole(a).Elements(0, kColumns), b.Whole(x).Tile(0, 128, 0, kColumns));
  b.Copy(b.Whole(y).Tile(0, 128, 0, kColumns), b.Whole(a).Elements(0, kColumns));
  more(b, a);
  return b.Build();
}

NamedData InputAsOutput(const Kernel& kernel) {
  return {{"y", GenerateInputs(kernel, 7).value().at("x")}};
}

TEST(KernelEffects, ACopyThatNobodyDisturbsReadsAsItEnds) {
  const Kernel kernel = LoadAndStore([](KernelBuilder&, TensorId) {});
  const Played played = PlayBoth(kernel, {1, -1, 2, -2});
  EXPECT_EQ(played.outputs, InputAsOutput(kernel));
  EXPECT_EQ(played.at_end, 2);
  EXPECT_EQ(played.forced, 0);
}

TEST(KernelEffects, AWriterThatLandsInTheSourceComesTooLateForTheCopy) {
  const Kernel kernel = LoadAndStore([](KernelBuilder& b, TensorId a) {
    b.Instruction("memset")
        .Out("dst", b.Whole(a).Partitions(64, 1).Elements(3, 1))
        .Attr("value", 9);
  });
  const Played played = PlayBoth(kernel, {1, -1, 2, 3, -3, -2});
  EXPECT_EQ(played.outputs, InputAsOutput(kernel));
  EXPECT_EQ(played.forced, 1);
  // The same writer before the store starts does show.
  EXPECT_NE(PlayBoth(kernel, {1, -1, 3, -3, 2, -2}).outputs, InputAsOutput(kernel));
}

TEST(KernelEffects, AWriterBesideTheSourceForcesNothing) {
  const Kernel kernel = LoadAndStore([](KernelBuilder& b, TensorId a) {
    b.Instruction("memset").Out("dst", b.Whole(a).Elements(kColumns, kColumns)).Attr("value", 9);
  });
  const Played played = PlayBoth(kernel, {1, -1, 2, 3, -3, -2});
  EXPECT_EQ(played.outputs, InputAsOutput(kernel));
  EXPECT_EQ(played.forced, 0);
}

TEST(KernelEffects, AWriterThatMayReachAnyElementForcesTheCopy) {
  const Kernel kernel = LoadAndStore([](KernelBuilder& b, TensorId a) {
    b.Copy(b.Whole(a).Elements(kColumns, 1).Through("somewhere"),
           b.Whole(a).Elements(kColumns + 1, 1));
  });
  const Played played = Play(kernel, ValueMode::kTags, {1, -1, 2, 3, -3, -2}, false);
  EXPECT_EQ(played.outputs, InputAsOutput(kernel));
  EXPECT_EQ(played.forced, 1);
  EXPECT_NE(Play(kernel, ValueMode::kTags, {1, -1, 3, -3, 2, -2}, false).outputs,
            InputAsOutput(kernel));
}

// a -> b and b -> a at one time, then both to outputs.
TEST(KernelEffects, TwoCopiesUnderWaySwapTheirTensors) {
  KernelBuilder k("k", "trn2");
  const TensorId x = k.Dram("x", DType::kFloat32, {2, 8}, Role::kInput);
  const TensorId y = k.Dram("y", DType::kFloat32, {2, 8}, Role::kOutput);
  const TensorId a = k.Dram("a", DType::kFloat32, {8});
  const TensorId b = k.Sbuf("b", DType::kFloat32, {1, 8}, AtByte(0));
  k.Copy(k.Whole(a), k.Whole(x).Elements(0, 8));
  k.Copy(k.Whole(b), k.Whole(x).Elements(8, 8));
  k.Copy(k.Whole(b), k.Whole(a));
  k.Copy(k.Whole(a), k.Whole(b));
  k.Copy(k.Whole(y).Elements(0, 8), k.Whole(a));
  k.Copy(k.Whole(y).Elements(8, 8), k.Whole(b));
  const Kernel kernel = k.Build();
  const Played played = PlayBoth(kernel, {1, -1, 2, -2, 3, 4, -3, -4, 5, 6, -5, -6});
  EXPECT_EQ(played.forced, 1);
  const std::vector<std::byte> in = InputAsOutput(kernel).at("y").bytes;
  std::vector<std::byte> swapped(in.begin() + 32, in.end());
  swapped.insert(swapped.end(), in.begin(), in.begin() + 32);
  EXPECT_EQ(played.outputs.at("y").bytes, swapped);
}

//   |0 1 2 3 4 5 6 7|
//    `---------' -> `3 4 5 6 7`
TEST(KernelEffects, ACopyOntoAPartOfItselfReadsEverythingFirst) {
  for (const bool forwards : {true, false}) {
    KernelBuilder b("k", "trn2");
    const TensorId x = b.Dram("x", DType::kFloat32, {8}, Role::kInput);
    const TensorId y = b.Dram("y", DType::kFloat32, {8}, Role::kOutput);
    b.Copy(b.Whole(y), b.Whole(x));
    b.Copy(b.Whole(y).Elements(forwards ? 3 : 0, 5), b.Whole(y).Elements(forwards ? 0 : 3, 5));
    const Kernel kernel = b.Build();
    const Played played = PlayBoth(kernel, {1, -1, 2, -2});
    EXPECT_EQ(played.at_end, 1) << "the second is staged";
    std::vector<std::byte> want = InputAsOutput(kernel).at("y").bytes;
    const std::vector<std::byte> in = want;
    std::copy_n(in.begin() + (forwards ? 0 : 12), 20, want.begin() + (forwards ? 12 : 0));
    EXPECT_EQ(played.outputs.at("y").bytes, want);
    EXPECT_EQ(Reference(kernel, ValueMode::kTags).at("y").bytes, want);
  }
}

TEST(KernelEffects, ACopyThatIsCutOffLandsNowhere) {
  const Kernel kernel = LoadAndStore([](KernelBuilder& b, TensorId a) {
    b.Instruction("memset").Out("dst", b.Whole(a)).Attr("value", 9);
  });
  EXPECT_EQ(PlayBoth(kernel, {1, -1, 2, 3, -3}).outputs, PlayBoth(kernel, {1, -1}).outputs);
}

}  // namespace
}  // namespace spillway
