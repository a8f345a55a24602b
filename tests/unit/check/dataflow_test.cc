// Known-bad allocations, each with one planted fault, beside the right one: straight-line code.
#include "model/alloc/check/dataflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/check/spilled_kernel.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

//   program     function
//   t = …       t0 = …        at byte 0
//               save t0
//   u = …       u = …         at byte 0
//   … = t       reload t1     at byte 8
//               … = t1
struct Evicted : SpilledKernel {
  TensorId t = Program("t", 64, 8);
  TensorId u = Program("u", 64, 8);
  TensorId t0 = Sbuf("t0", 64, 8, Place(0, 0));
  TensorId u0 = Sbuf("u0", 64, 8, Place(0, 0));
  TensorId t1 = Sbuf("t1", 64, 8, Place(0, 8));
  TensorId home = Home("t_home", 512, 4096);
};

TEST(Dataflow, FollowsAValueThroughItsHome) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  k.Write(k.u, k.u0);
  k.Reload(k.t1, k.home);
  k.Read(k.t, k.t1);
  const CheckResult result = k.Check();
  EXPECT_EQ(result.name, "dataflow");
  EXPECT_EQ(result.checked, 1);
  EXPECT_THAT(result.violations, IsEmpty());
}

TEST(Dataflow, SpillCodeNeedsNoMarks) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home).spill = SpillRole::kNone;
  k.Write(k.u, k.u0);
  k.Reload(k.t1, k.home).attrs.clear();
  k.Read(k.t, k.t1);
  EXPECT_THAT(k.Causes(), IsEmpty());
}

TEST(Dataflow, AUseOfAnOverwrittenPlaceIsClobbered) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Write(k.u, k.u0);
  k.Read(k.t, k.t0);
  const std::vector<Violation> violations = k.Check().violations;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].kind, Kind::kWrongValue);
  EXPECT_THAT(violations[0].tensors, ElementsAre("t", "t0", "u"));
  EXPECT_EQ(violations[0].range, Range(0, 8));
  EXPECT_EQ(violations[0].time, Points(2, 3));
  EXPECT_EQ(violations[0].text,
            "clobbered: tensor_copy at point 2 (src) reads bytes [0, 8) of partitions [0, 64) of t "
            "in t0 (partition 0, sbuf byte 0), expected its value, found u, written by tensor_copy "
            "at point 1");
}

TEST(Dataflow, AReloadHoistedOverAClobberIsClobbered) {
  Evicted k;
  const TensorId early = k.Sbuf("early", 64, 8, Place(0, 4));
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  k.Reload(early, k.home);
  k.Write(k.u, k.u0);
  k.Read(k.t, early);
  EXPECT_THAT(k.Causes(), ElementsAre("clobbered"));
  EXPECT_EQ(k.Check().violations[0].range, Range(0, 4));
}

TEST(Dataflow, AReloadAfterItsUseComesTooLate) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  k.Write(k.u, k.u0);
  k.Read(k.t, k.t1);
  k.Reload(k.t1, k.home);
  EXPECT_THAT(k.Causes(), ElementsAre("uninitialized"));
}

TEST(Dataflow, AReloadWithoutASaveBringsNothing) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Reload(k.t1, k.home);
  k.Read(k.t, k.t1);
  EXPECT_THAT(k.Causes(), ElementsAre("lost save"));
}

TEST(Dataflow, ASaveBeforeTheDefinitionSavesNothing) {
  Evicted k;
  k.Save(k.t0, k.home);
  k.Write(k.t, k.t0);
  k.Reload(k.t1, k.home);
  k.Read(k.t, k.t1);
  EXPECT_THAT(k.Causes(), ElementsAre("lost save"));
}

TEST(Dataflow, APlaceThatNothingWritesIsUninitialized) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Read(k.t, k.t1);
  const std::vector<Violation> violations = k.Check().violations;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].kind, Kind::kUninitializedRead);
  EXPECT_THAT(violations[0].text, HasSubstr("uninitialized: "));
}

//   t = …, saved; t is updated in place, not saved again; reload
TEST(Dataflow, NoSaveAfterAnUpdateLeavesTheHomeStale) {
  for (const bool saves : {true, false}) {
    Evicted k;
    k.Write(k.t, k.t0);
    k.Save(k.t0, k.home);
    k.Write(k.t, k.t0);
    if (saves) k.Save(k.t0, k.home);
    k.Reload(k.t1, k.home);
    k.Read(k.t, k.t1);
    if (saves) {
      EXPECT_THAT(k.Causes(), IsEmpty());
    } else {
      EXPECT_THAT(k.Causes(), ElementsAre("stale reload"));
    }
  }
}

TEST(Dataflow, ADefinitionMakesEveryOtherCopyStale) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  k.Reload(k.t1, k.home);
  k.Read(k.t, k.t1);
  k.Write(k.t, k.t0);
  k.Read(k.t, k.t1);
  EXPECT_THAT(k.Causes(), ElementsAre("stale reload"));
}

TEST(Dataflow, OnlyTheUpdatedByteIsStale) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  k.Write(k.t, k.t0, {.offset = 7, .count = 1});
  k.Reload(k.t1, k.home);
  k.Read(k.t, k.t1, {.offset = 0, .count = 7});
  k.Read(k.t, k.t1);
  const std::vector<Violation> violations = k.Check().violations;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].range, Range(7, 8));
  EXPECT_EQ(violations[0].time, Points(5, 6));
}

TEST(Dataflow, ASaveOfThePartThatWasUpdatedIsEnough) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  k.Write(k.t, k.t0, {.offset = 3, .count = 2, .partition = 32, .partitions = 16});
  k.Save(k.t0, k.home, {.offset = 3, .count = 2, .partition = 32, .partitions = 16});
  k.Reload(k.t1, k.home);
  k.Read(k.t, k.t1);
  EXPECT_THAT(k.Causes(), IsEmpty());
}

TEST(Dataflow, AReloadOfOneQuadrantLeavesTheOtherWithoutItsValue) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  k.Reload(k.t1, k.home, {.partition = 0, .partitions = 32});
  k.Read(k.t, k.t1, {.partition = 0, .partitions = 32});
  k.Read(k.t, k.t1);
  const std::vector<Violation> violations = k.Check().violations;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_THAT(violations[0].text, HasSubstr("bytes [0, 8) of partitions [32, 64)"));
}

TEST(Dataflow, AReloadWithoutItsLastByteIsFound) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  k.Reload(k.t1, k.home, {.offset = 0, .count = 7});
  k.Read(k.t, k.t1);
  ASSERT_EQ(k.Check().violations.size(), 1u);
  EXPECT_EQ(k.Check().violations[0].range, Range(7, 8));
}

TEST(Dataflow, AReloadOfTheWrongPartBringsOtherBytes) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  k.function.Op({k.function.At(k.t1, {.offset = 0, .count = 4})},
                {k.AtHome(k.home, k.t1, {.offset = 4, .count = 4})}, "dma_copy");
  k.Read(k.t, k.t1, {.offset = 0, .count = 4});
  EXPECT_THAT(k.Causes(), ElementsAre("wrong bytes"));
}

TEST(Dataflow, AReloadWithTheWrongStrideBringsOtherBytes) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  Operand columns = k.AtHome(k.home, k.t1, {});
  columns.free_dims = {{1, 64}, {64, 8}};
  k.function.Op({k.function.At(k.t1)}, {columns}, "dma_copy");
  k.Read(k.t, k.t1);
  EXPECT_THAT(k.Causes(), ElementsAre("wrong bytes"));
}

TEST(Dataflow, AHomeMayHaveAnyLayoutThatSaveAndReloadAgreeOn) {
  Evicted k;
  k.Write(k.t, k.t0);
  Operand columns = k.AtHome(k.home, k.t0, {});
  columns.free_dims = {{1, 64}, {64, 8}};
  k.function.Op({columns}, {k.function.At(k.t0)}, "dma_copy");
  k.Write(k.u, k.u0);
  k.function.Op({k.function.At(k.t1)}, {columns}, "dma_copy");
  k.Read(k.t, k.t1);
  EXPECT_THAT(k.Causes(), IsEmpty());
}

TEST(Dataflow, HomesThatShareOneByteLoseIt) {
  for (const std::int64_t second : {512, 511}) {
    Evicted k;
    const TensorId other_home = k.Home("u_home", 512, 4096 + second);
    k.Write(k.t, k.t0);
    k.Save(k.t0, k.home);
    k.Write(k.u, k.u0);
    k.Save(k.u0, other_home);
    k.Reload(k.t1, k.home);
    k.Read(k.t, k.t1);
    if (second == 512) {
      EXPECT_THAT(k.Causes(), IsEmpty());
      continue;
    }
    const std::vector<Violation> violations = k.Check().violations;
    ASSERT_EQ(violations.size(), 1u);
    EXPECT_EQ(violations[0].range, Range(7, 8));
    EXPECT_THAT(violations[0].text, HasSubstr("partitions [63, 64)"));
  }
}

TEST(Dataflow, AReloadFromAnotherTensorsHomeBringsItsBytes) {
  Evicted k;
  const TensorId other_home = k.Home("u_home", 512, 8192);
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  k.Write(k.u, k.u0);
  k.Save(k.u0, other_home);
  k.Reload(k.t1, other_home);
  k.Read(k.t, k.t1);
  EXPECT_THAT(k.Causes(), ElementsAre("wrong bytes"));
  EXPECT_THAT(k.Check().violations[0].text, HasSubstr("bytes of u"));
}

TEST(Dataflow, AHalfBandNeighbourInAnotherQuadrantClobbersNothing) {
  for (const std::int64_t start : {64, 32}) {
    Evicted k;
    const TensorId beside = k.Sbuf("beside", 32, 8, Place(start, 0));
    const TensorId v = k.Program("v", 32, 8);
    k.Write(k.t, k.t0);
    k.Write(v, beside);
    k.Read(k.t, k.t0);
    if (start == 64) {
      EXPECT_THAT(k.Causes(), IsEmpty());
    } else {
      ASSERT_THAT(k.Causes(), ElementsAre("clobbered"));
      EXPECT_THAT(k.Check().violations[0].text, HasSubstr("partitions [32, 64)"));
    }
  }
}

TEST(Dataflow, APartialWriteIsNoWholeDefinition) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Save(k.t0, k.home);
  k.Write(k.t, k.t1, {.offset = 0, .count = 4});
  k.Read(k.t, k.t1);
  const std::vector<Violation> violations = k.Check().violations;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].range, Range(4, 8));
}

TEST(Dataflow, AnAccumulationReadsWhatItAddsTo) {
  for (const bool reloads : {true, false}) {
    Evicted k;
    k.Write(k.t, k.t0);
    k.Save(k.t0, k.home);
    k.Write(k.u, k.u0);
    if (reloads) k.Reload(k.t1, k.home);
    k.program.Accumulate(k.t);
    k.function.Accumulate(k.t1);
    EXPECT_EQ(k.Causes().size(), reloads ? 0u : 1u);
  }
}

TEST(Dataflow, ADeadDefinitionStillDestroysWhatItIsPlacedOn) {
  Evicted k;
  const TensorId dead = k.Program("dead", 1, 1);
  const TensorId dead0 = k.Sbuf("dead0", 1, 1, Place(63, 7));
  k.Write(k.t, k.t0);
  k.Write(dead, dead0);
  k.Read(k.t, k.t0);
  ASSERT_THAT(k.Causes(), ElementsAre("clobbered"));
  EXPECT_EQ(k.Check().violations[0].range, Range(7, 8));
}

TEST(Dataflow, BytesThatTheProgramNeverDefinedMayBeAnything) {
  Evicted k;
  k.Write(k.t, k.t0, {.offset = 0, .count = 4});
  k.Save(k.t0, k.home);
  k.Write(k.u, k.u0);
  k.Reload(k.t1, k.home, {.offset = 0, .count = 4});
  k.Read(k.t, k.t1);
  EXPECT_THAT(k.Causes(), IsEmpty());
}

TEST(Dataflow, ACopyToAnotherTypeBringsOtherBytes) {
  Evicted k;
  k.Write(k.t, k.t0);
  Operand as_int8 = k.function.At(k.t0);
  as_int8.as = DType::kInt8;
  k.function.Op({k.AtHome(k.home, k.t0, {})}, {as_int8}, "dma_copy");
  k.Reload(k.t1, k.home);
  k.Read(k.t, k.t1);
  EXPECT_THAT(k.Causes(), ElementsAre("lost save"));
}

TEST(Dataflow, EveryUseIsReportedOnce) {
  Evicted k;
  k.Write(k.t, k.t0);
  k.Write(k.u, k.u0);
  k.Read(k.t, k.t0);
  k.Read(k.t, k.t0);
  EXPECT_THAT(k.Causes(), ElementsAre("clobbered", "clobbered"));
}

TEST(Dataflow, AnOperandWithoutAPlaceIsNoReadOfAnything) {
  Evicted k;
  k.placement.addresses[k.t0].clear();
  k.Write(k.t, k.t0);
  EXPECT_THAT(k.Causes(), ElementsAre("unplaced"));
}

// PSUM spills to SBUF by copies, and from there to DRAM.
TEST(Dataflow, FollowsAValueFromPsumThroughSbufToDram) {
  for (const bool saves_all : {true, false}) {
    SpilledKernel k;
    const TensorId t = k.program.Psum("t", 64, 8);
    const TensorId t0 = k.Psum("t0", 64, 8, Place(0, 0));
    const TensorId in_sbuf = k.Sbuf("in_sbuf", 64, 8, Place(64, 16));
    const TensorId home = k.Home("home", 512, 0);
    const TensorId t1 = k.Psum("t1", 64, 8, Place(64, 2048));
    k.Write(t, t0);
    k.function.Op({k.function.At(in_sbuf)}, {k.function.At(t0)}, "tensor_copy");
    k.Save(in_sbuf, home, {.offset = 0, .count = saves_all ? 8 : 7});
    k.Reload(in_sbuf, home);
    k.function.Op({k.function.At(t1)}, {k.function.At(in_sbuf)}, "tensor_copy");
    k.Read(t, t1);
    EXPECT_EQ(k.Causes().size(), saves_all ? 0u : 1u);
  }
}

// On-chip tensors of the caller's hold their values before the first step and after the last.
TEST(Dataflow, TheCallerFindsItsOnChipOutputWhereItExpectsIt) {
  for (const bool clobbers : {false, true}) {
    Evicted k;
    const TensorId out = k.Program("out", 64, 8);
    k.program.tensor(out).role = Role::kOutput;
    const TensorId out0 = k.Sbuf("out", 64, 8, Place(0, 0));
    k.function.tensor(out0).role = Role::kOutput;
    k.Write(out, out0);
    if (clobbers) k.Write(k.u, k.u0);
    if (clobbers) {
      ASSERT_THAT(k.Causes(), ElementsAre("clobbered"));
      EXPECT_THAT(k.Check().violations[0].text, HasSubstr("the caller reads"));
    } else {
      EXPECT_THAT(k.Causes(), IsEmpty());
    }
  }
}

TEST(Dataflow, AnOnChipInputHoldsItsValueUntilSomethingLiesOnIt) {
  for (const std::int64_t byte : {8, 7}) {
    Evicted k;
    const TensorId in = k.Program("in", 64, 8);
    k.program.tensor(in).role = Role::kInput;
    const TensorId in0 = k.Sbuf("in", 64, 8, Place(0, 0));
    k.function.tensor(in0).role = Role::kInput;
    const TensorId beside = k.Sbuf("beside", 64, 8, Place(0, byte));
    k.Write(k.u, beside);
    k.Read(in, in0);
    EXPECT_EQ(k.Causes().size(), byte == 8 ? 0u : 1u);
  }
}

}  // namespace
}  // namespace spillway
