// What a spill inserts, as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/sbuf/spill_operands.h"
#include "tests/unit/sbuf/spilled_kernel.h"

namespace spillway {
namespace {

TEST(InsertSpillCode, SavesAfterTheDefinitionAndReloadsBeforeTheUse) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Write(t);
  k.Loop("i", 2);
  k.Read(t);
  k.End();
  EXPECT_EQ(SpilledBody(k.Build(), {"t"}), R"(
memset dst=t_ReloadStore1[0+128, 0: 1x8]
dma_copy.dma dst=t_SpillSave1[0: 8x128 1x8] <- src=t_ReloadStore1[0+128, 0: 1x8] {spill: save}
for i in 0..2 step 1 affine
  dma_copy.dma dst=t_ReloadStore2[0+128, 0: 1x8] <- src=t_SpillSave1[0: 8x128 1x8] {spill: reload}
  dma_copy.dma dst=y[0: 1x1024] <- src=t_ReloadStore2[0+128, 0: 1x8]
end i
)");
}

TEST(InsertSpillCode, SavesEveryUpdate) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  const TensorId a = k.Sbuf("a", 8);
  k.Write(t);
  k.Loop("i", 2);
  k.Combine(t, t, a);
  k.End();
  k.Read(t);
  EXPECT_EQ(SpilledBody(k.Build(), {"t"}), R"(
memset dst=t_ReloadStore1[0+128, 0: 1x8]
dma_copy.dma dst=t_SpillSave1[0: 8x128 1x8] <- src=t_ReloadStore1[0+128, 0: 1x8] {spill: save}
for i in 0..2 step 1 affine
  dma_copy.dma dst=t_ReloadStore2[0+128, 0: 1x8] <- src=t_SpillSave1[0: 8x128 1x8] {spill: reload}
  combine dst=t_ReloadStore2[0+128, 0: 1x8] <- data0=t_ReloadStore2[0+128, 0: 1x8], data1=a[0+128, 0: 1x8]
  dma_copy.dma dst=t_SpillSave1[0: 8x128 1x8] <- src=t_ReloadStore2[0+128, 0: 1x8] {spill: save}
end i
dma_copy.dma dst=t_ReloadStore3[0+128, 0: 1x8] <- src=t_SpillSave1[0: 8x128 1x8] {spill: reload}
dma_copy.dma dst=y[0: 1x1024] <- src=t_ReloadStore3[0+128, 0: 1x8]
)");
}

TEST(InsertSpillCode, RemovesAReloadOfBytesThatAreStillResident) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Load(k.Sbuf("a", 8));
  k.Loop("i", 2);
  k.Read(t);
  k.Read(k.b.Whole(t).Elements(2, 2));
  k.End();
  const Result<SpilledFunction> spilled = Spill(k.Build(), {"t"});
  EXPECT_EQ(spilled->counters.reloads_removed, 1);
  EXPECT_EQ(spilled->counters.reload_copies, 1);
}

TEST(InsertSpillCode, ReloadsWhatAResidentPartDoesNotHold) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Read(k.b.Whole(t).Elements(2, 2));
  k.Read(t);
  EXPECT_EQ(SpilledBody(k.Build(), {"t"}), R"(
dma_copy.dma dst=t_ReloadStore1[0+128, 2: 1x2] <- src=t_SpillSave1[2: 8x128 1x2] {spill: reload}
dma_copy.dma dst=y[0: 1x256] <- src=t_ReloadStore1[0+128, 2: 1x2]
dma_copy.dma dst=t_ReloadStore1[0+128, 0: 1x8] <- src=t_SpillSave1[0: 8x128 1x8] {spill: reload}
dma_copy.dma dst=y[0: 1x1024] <- src=t_ReloadStore1[0+128, 0: 1x8]
)");
}

TEST(InsertSpillCode, NeedsNoHomeWhereEveryUseFindsItsBytesResident) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Write(t);
  k.Read(t);
  EXPECT_EQ(SpilledBody(k.Build(), {"t"}), R"(
memset dst=t_ReloadStore1[0+128, 0: 1x8]
dma_copy.dma dst=y[0: 1x1024] <- src=t_ReloadStore1[0+128, 0: 1x8]
)");
}

TEST(InsertSpillCode, InheritsThePredicateOfTheInstruction) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Write(t);
  k.Loop("i", 2);
  k.Write(t).When(Equals(k.Index("i"), 1));
  k.Loop("j", 2);
  k.Read(t).When(Differs(k.Index("j"), 1));
  k.End();
  k.End();
  const std::string body = SpilledBody(k.Build(), {"t"});
  EXPECT_THAT(body, ::testing::HasSubstr(
                        "src=t_ReloadStore2[0+128, 0: 1x8] {spill: save} when -1 + i == 0"));
  EXPECT_THAT(body, ::testing::HasSubstr(
                        "src=t_SpillSave1[0: 8x128 1x8] {spill: reload} when -1 + j != 0"));
}

TEST(InsertSpillCode, AGuardedReloadDoesNotServeAnUnguardedUse) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Loop("i", 2);
  k.Read(t).When(Equals(k.Index("i"), 1));
  k.Read(t);
  k.End();
  EXPECT_EQ(Spill(k.Build(), {"t"})->counters.reloads_removed, 0);
}

TEST(InsertSpillCode, RepeatsALoadInsteadOfSavingIt) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Load(t);
  k.Loop("i", 2);
  k.Read(k.b.Whole(t).Elements(0, 4));
  k.Read(t);
  k.End();
  const Result<SpilledFunction> spilled = Spill(k.Build(), {"t"});
  // The whole load comes back at the first use and serves both.
  EXPECT_EQ(BodyText(spilled->kernel), R"(
for i in 0..2 step 1 affine
  dma_copy.dma dst=t_ReloadStore1[0+128, 0: 1x8] <- src=x[0: 1x1024] {spill: reload}
  dma_copy.dma dst=y[0: 1x512] <- src=t_ReloadStore1[0+128, 0: 1x4]
  dma_copy.dma dst=y[0: 1x1024] <- src=t_ReloadStore1[0+128, 0: 1x8]
end i
)");
  EXPECT_EQ(spilled->counters.homes, 0);
}

TEST(InsertSpillCode, AHomeKeepsBlocksAndACopyIsOneOfThem) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 128, {.blocks = {2}});
  k.Loop("i", 2);
  k.Write(k.b.Whole(t).Block({k.Index("i")}));
  k.End();
  k.Read(k.b.Whole(t).Block({1}));
  const Result<SpilledFunction> spilled = Spill(k.Build(), {"t"});
  const Tensor& home = spilled->kernel.tensors[Named(spilled->kernel, "t_SpillSave1")];
  EXPECT_EQ(home.blocks, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(home.space, Space::kDram);
  EXPECT_TRUE(spilled->kernel.tensors[Named(spilled->kernel, "t_ReloadStore1")].blocks.empty());
  EXPECT_EQ(BodyText(spilled->kernel), R"(
for i in 0..2 step 1 affine
  memset dst=t_ReloadStore1[0+128, 0: 1x8]
  dma_copy.dma dst=t_SpillSave1{i}[0: 8x128 1x8] <- src=t_ReloadStore1[0+128, 0: 1x8] {spill: save}
end i
dma_copy.dma dst=t_ReloadStore2[0+128, 0: 1x8] <- src=t_SpillSave1{1}[0: 8x128 1x8] {spill: reload}
dma_copy.dma dst=y[0: 1x1024] <- src=t_ReloadStore2[0+128, 0: 1x8]
)");
}

// The second round: the copy's own DMAs go, its uses get copies of their own, home and block stay.
TEST(InsertSpillCode, SplitsACopyOfAnEarlierRoundIntoOnePerUse) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 128, {.blocks = {2}});
  k.Loop("i", 2);
  k.Write(k.b.Whole(t).Block({k.Index("i")}));
  k.End();
  k.Read(k.b.Whole(t).Block({1}));
  k.Read(k.b.Whole(t).Block({1}));
  const Result<SpilledFunction> first = Spill(k.Build(), {"t"});
  const Result<SpilledFunction> second = Spill(
      first->kernel, {"t_ReloadStore2"}, {.homes = first->homes, .counters = first->counters});
  EXPECT_EQ(BodyText(second->kernel), R"(
for i in 0..2 step 1 affine
  memset dst=t_ReloadStore1[0+128, 0: 1x8]
  dma_copy.dma dst=t_SpillSave1{i}[0: 8x128 1x8] <- src=t_ReloadStore1[0+128, 0: 1x8] {spill: save}
end i
dma_copy.dma dst=t_ReloadStore2_ReloadStore3[0+128, 0: 1x8] <- src=t_SpillSave1{1}[0: 8x128 1x8] {spill: reload}
dma_copy.dma dst=y[0: 1x1024] <- src=t_ReloadStore2_ReloadStore3[0+128, 0: 1x8]
dma_copy.dma dst=t_ReloadStore2_ReloadStore4[0+128, 0: 1x8] <- src=t_SpillSave1{1}[0: 8x128 1x8] {spill: reload}
dma_copy.dma dst=y[0: 1x1024] <- src=t_ReloadStore2_ReloadStore4[0+128, 0: 1x8]
)");
}

TEST(InsertSpillCode, ACopyWithoutAHomeGetsOneWhenItIsSplit) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Write(t);
  k.Read(t);
  Result<SpilledFunction> first = Spill(k.Build(), {"t"});
  // The home had no reader and was dropped with its saves.
  for (auto& [copy, home] : first->homes) home.dram.reset();
  const Result<SpilledFunction> second = Spill(
      first->kernel, {"t_ReloadStore1"}, {.homes = first->homes, .counters = first->counters});
  EXPECT_EQ(BodyText(second->kernel), R"(
memset dst=t_ReloadStore1_ReloadStore2[0+128, 0: 1x8]
dma_copy.dma dst=t_ReloadStore1_SpillSave2[0: 8x128 1x8] <- src=t_ReloadStore1_ReloadStore2[0+128, 0: 1x8] {spill: save}
dma_copy.dma dst=t_ReloadStore1_ReloadStore3[0+128, 0: 1x8] <- src=t_ReloadStore1_SpillSave2[0: 8x128 1x8] {spill: reload}
dma_copy.dma dst=y[0: 1x1024] <- src=t_ReloadStore1_ReloadStore3[0+128, 0: 1x8]
)");
}

// What another copy of the same home still reloads must be saved by the copy that is split.
TEST(InsertSpillCode, KeepsTheSavesThatCopiesOfAnEarlierRoundReloadFrom) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Write(t);
  k.Loop("i", 2);
  k.Read(t);
  k.End();
  const Result<SpilledFunction> first = Spill(k.Build(), {"t"});
  const Result<SpilledFunction> second = Spill(
      first->kernel, {"t_ReloadStore1"}, {.homes = first->homes, .counters = first->counters});
  EXPECT_THAT(
      BodyText(second->kernel),
      ::testing::HasSubstr("dst=t_SpillSave1[0: 8x128 1x8] <- src=t_ReloadStore1_ReloadStore3"));
}

TEST(InsertSpillCode, StopsAtTheCapOfReloadCopies) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Write(t);
  k.Loop("i", 2);
  k.Read(t);
  k.End();
  EXPECT_TRUE(Spill(k.Build(), {"t"}, {.cap = 2}).has_value());
  const Result<SpilledFunction> refused = Spill(k.Build(), {"t"}, {.cap = 1});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, Kind::kSpillCap);
  EXPECT_THAT(
      refused.error().message,
      ::testing::StartsWith("Warning: too many spills required, turning optimizations off"));
}

// A save of a moving band at an offset has no affine place at home, so the whole block stands in;
// what the band leaves alone must be current before it is saved again.
TEST(InsertSpillCode, APlaceWithTwoModuliTakesTheWholeBlockAndReloadsItBeforeTheWrite) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Write(t);
  k.Loop("i", 4);
  k.Write(k.b.Whole(t).Partitions((k.Index("i") * 32) % 64, 32).Elements(4, 4));
  k.End();
  k.Read(t);
  EXPECT_THAT(
      SpilledBody(k.Build(), {"t"}),
      ::testing::HasSubstr(
          R"(  dma_copy.dma dst=t_ReloadStore2[0+128, 0: 1x8] <- src=t_SpillSave1[0: 1x1024] {spill: reload}
  memset dst=t_ReloadStore2[32*i mod 64+32, 4: 1x4]
  dma_copy.dma dst=t_SpillSave1[0: 1x1024] <- src=t_ReloadStore2[0+128, 0: 1x8] {spill: save}
)"));
}

struct Ends {
  std::string copy;
  std::string home;
  bool whole_block = false;
};

/// Both ends for an operand of t: [128, 8], types of two bytes.
template <class Choose>
Ends EndsOf(Choose choose) {
  KernelBuilder b("ends", "trn2");
  const TensorId t = b.Sbuf("t", DType::kBfloat16, {128, 8});
  const TensorId copy = b.Sbuf("copy", DType::kBfloat16, {128, 8});
  const TensorId home = b.Dram("home", DType::kBfloat16, {128, 8});
  b.OpenLoop("i", 0, 2);
  const Operand operand = choose(b, b.Whole(t));
  b.CloseLoop();
  const Kernel kernel = b.Build();
  const SpillOperands ends = SpillOperandsOf(kernel.tensors[t], operand, copy, home, {});
  return {PrintOperand(kernel, ends.copy), PrintOperand(kernel, ends.home), ends.whole_block};
}

TEST(SpillOperands, FollowPartitionsAndStrides) {
  const Ends ends = EndsOf([](KernelBuilder&, OperandBuilder whole) {
    return whole.Partitions(32, 64).Pattern(1, {{4, 2}, {2, 2}});
  });
  EXPECT_EQ(ends.copy, "copy[32+64, 1: 4x2 2x2]");
  // Partition 32 starts at element 32 * 8.
  EXPECT_EQ(ends.home, "home[257: 8x64 4x2 2x2]");
  EXPECT_FALSE(ends.whole_block);
}

TEST(SpillOperands, MoveRepetitionsOnce) {
  const Ends ends = EndsOf([](KernelBuilder&, OperandBuilder whole) {
    return whole.Pattern(3, {{0, 5}, {1, 4}});
  });
  EXPECT_EQ(ends.copy, "copy[0+128, 3: 1x4]");
  EXPECT_EQ(ends.home, "home[3: 8x128 1x4]");
}

TEST(SpillOperands, ARepeatedScalarIsOneElement) {
  const Ends ends = EndsOf([](KernelBuilder&, OperandBuilder whole) {
    return whole.Pattern(3, {{0, 5}});
  });
  EXPECT_EQ(ends.copy, "copy[0+128, 3: 1x1]");
}

TEST(SpillOperands, CountInTheTypeThatTheOperandIsReadAs) {
  const Ends bytes = EndsOf([](KernelBuilder&, OperandBuilder whole) {
    return whole.Partitions(1, 2).Elements(2, 3).As(DType::kUint8);
  });
  EXPECT_EQ(bytes.copy, "copy[1+2, 2: 1x3] as uint8");
  EXPECT_EQ(bytes.home, "home[18: 16x2 1x3] as uint8");
  const Ends words = EndsOf([](KernelBuilder&, OperandBuilder whole) {
    return whole.Partitions(1, 2).Elements(0, 4).As(DType::kInt32);
  });
  EXPECT_EQ(words.home, "home[4: 4x2 1x4] as int32");
}

TEST(SpillOperands, FollowPlacesThatMoveWithALoop) {
  const Ends ends = EndsOf([](KernelBuilder& b, OperandBuilder whole) {
    return whole.Partitions(b.Index("i") * 32, 32).Elements(b.Index("i") * 2, 2);
  });
  EXPECT_EQ(ends.home, "home[258*i: 8x32 1x2]");
  const Ends turning = EndsOf([](KernelBuilder& b, OperandBuilder whole) {
    return whole.Partitions((b.Index("i") * 32) % 64, 32);
  });
  EXPECT_EQ(turning.home, "home[256*i mod 512: 8x32 1x8]");
}

TEST(SpillOperands, TakeTheWholeBlockWhereTwoModuliMeet) {
  const Ends ends = EndsOf([](KernelBuilder& b, OperandBuilder whole) {
    return whole.Partitions((b.Index("i") * 32) % 64, 32).Elements(b.Index("i") % 2, 1);
  });
  EXPECT_TRUE(ends.whole_block);
  EXPECT_EQ(ends.copy, "copy[0+128, 0: 1x8]");
  EXPECT_EQ(ends.home, "home[0: 1x1024]");
}

}  // namespace
}  // namespace spillway
