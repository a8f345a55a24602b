// What happens before the graph: ids, splits, definitions, uses and loads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/sbuf/find_first_definitions.h"
#include "model/alloc/sbuf/find_last_uses.h"
#include "model/alloc/sbuf/find_loads.h"
#include "model/alloc/sbuf/memloc_split.h"
#include "model/alloc/sbuf/renumber.h"
#include "tests/unit/sbuf/small_kernel.h"

namespace spillway {
namespace {

std::vector<std::string> Names(const Kernel& kernel) {
  std::vector<std::string> names;
  for (const Tensor& tensor : kernel.tensors) names.push_back(tensor.name);
  return names;
}

TEST(Renumber, DropsInternalTensorsThatNothingTouchesAndKeepsTheOrder) {
  SmallKernel k;
  k.Sbuf("unused", 8);
  const TensorId a = k.Sbuf("a", 8);
  k.b.Dram("home", DType::kUint8, {8});
  const TensorId c = k.Sbuf("c", 8);
  k.Write(c);
  k.Write(a);
  const Renumbered renumbered = Renumber(k.Build());
  EXPECT_THAT(Names(renumbered.kernel), ::testing::ElementsAre("x", "y", "a", "c"));
  EXPECT_EQ(renumbered.new_id[TensorId(2)], std::nullopt);
  EXPECT_EQ(renumbered.new_id[a], TensorId(2));
  EXPECT_EQ(renumbered.new_id[c], TensorId(3));
  EXPECT_EQ(BodyText(renumbered.kernel), R"(
memset dst=c[0+128, 0: 1x8]
memset dst=a[0+128, 0: 1x8]
)");
}

TEST(Renumber, KeepsWhatSuppliesOffsetsAndFollowsIt) {
  SmallKernel k;
  k.Sbuf("unused", 8);
  const TensorId offsets = k.Sbuf("offsets", 8);
  const TensorId t = k.Sbuf("t", 8);
  k.Write(k.b.Whole(t).Through("offsets"));
  const Renumbered renumbered = Renumber(k.Build());
  const Operand& dst = renumbered.kernel.instructions[InstructionId(0)].outputs[0].operands[0];
  EXPECT_EQ(dst.offsets, renumbered.new_id[offsets]);
  EXPECT_EQ(renumbered.kernel.tensors[*dst.offsets].name, "offsets");
}

TEST(SplitMemlocs, GivesEachLifeATensorOfItsOwn) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  for (int life = 0; life < 3; ++life) {
    k.Write(t);
    k.Read(t);
  }
  const Kernel split = SplitMemlocs(k.Linear());
  EXPECT_THAT(Names(split), ::testing::ElementsAre("x", "y", "t", "t_Split1", "t_Split2"));
  EXPECT_EQ(BodyText(split), R"(
memset dst=t[0+128, 0: 1x8]
dma_copy.dma dst=y[0: 1x1024] <- src=t[0+128, 0: 1x8]
memset dst=t_Split1[0+128, 0: 1x8]
dma_copy.dma dst=y[0: 1x1024] <- src=t_Split1[0+128, 0: 1x8]
memset dst=t_Split2[0+128, 0: 1x8]
dma_copy.dma dst=y[0: 1x1024] <- src=t_Split2[0+128, 0: 1x8]
)");
}

TEST(SplitMemlocs, TakesANameThatNothingHas) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Write(k.Sbuf("t_Split1", 8));
  for (int life = 0; life < 2; ++life) {
    k.Write(t);
    k.Read(t);
  }
  EXPECT_THAT(Names(SplitMemlocs(k.Linear())), ::testing::Contains("t_Split2"));
}

/// Whether the second write of `t` starts a life of its own, where `second` writes it.
template <class Second>
bool Splits(Second second) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Write(t);
  k.Read(t);
  second(k, t);
  k.Read(t);
  k.Read(t);
  return Names(SplitMemlocs(k.Linear())).size() > 3;
}

TEST(SplitMemlocs, AWriteInALoopThatRunsNoTimesCutsNothing) {
  EXPECT_FALSE(Splits([](SmallKernel& k, TensorId t) {
    k.Loop("never", 0);
    k.Write(t);
    k.End();
  }));
}

TEST(SplitMemlocs, CutsWhereAllLaterReadsAreCovered) {
  EXPECT_TRUE(Splits([](SmallKernel& k, TensorId t) { k.Write(t); }));
  EXPECT_TRUE(Splits([](SmallKernel& k, TensorId t) {
    k.Write(k.b.Whole(t).Elements(0, 4));
    k.Write(k.b.Whole(t).Elements(4, 4));
  }));
  EXPECT_TRUE(Splits([](SmallKernel& k, TensorId t) {
    k.Loop("i", 4);
    k.Write(k.b.Whole(t).Elements(k.Index("i") * 2, 2));
    k.End();
  }));
}

TEST(SplitMemlocs, DoesNotCutWhereTheOldValueMayLiveOn) {
  // A part of the tensor.
  EXPECT_FALSE(Splits([](SmallKernel& k, TensorId t) { k.Write(k.b.Whole(t).Elements(0, 4)); }));
  EXPECT_FALSE(
      Splits([](SmallKernel& k, TensorId t) { k.Write(k.b.Whole(t).Partitions(0, 127)); }));
  // Reads what it replaces.
  EXPECT_FALSE(Splits([](SmallKernel& k, TensorId t) { k.Combine(t, t, t); }));
  EXPECT_FALSE(Splits([](SmallKernel& k, TensorId t) { k.Write(t).Attr("accumulate", true); }));
  // A predicate that may not hold, a loop that may not run, a loop that misses an element.
  EXPECT_FALSE(Splits([](SmallKernel& k, TensorId t) {
    k.Loop("i", 2);
    k.Write(t).When(Equals(k.Index("i"), 1));
    k.End();
  }));
  EXPECT_FALSE(Splits([](SmallKernel& k, TensorId t) {
    k.b.OpenLoop("i", 0, 3, 1, LoopKind::kDynamic);
    k.Write(t);
    k.End();
  }));
  EXPECT_FALSE(Splits([](SmallKernel& k, TensorId t) {
    k.Loop("i", 3);
    k.Write(k.b.Whole(t).Elements(k.Index("i") * 2, 2));
    k.End();
  }));
  // Offsets that come at run time.
  EXPECT_FALSE(Splits([](SmallKernel& k, TensorId t) { k.Write(k.b.Whole(t).Through("x")); }));
}

TEST(SplitMemlocs, LeavesHandPlacedTensorsWhole) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 128, {.at = {{Partition(0), ByteOffset(0)}}});
  for (int life = 0; life < 2; ++life) {
    k.Write(t);
    k.Read(t);
  }
  EXPECT_EQ(SplitMemlocs(k.Linear()).tensors.size(), 3u);
}

TEST(SplitMemlocs, LeavesAValueThatCrossesIterationsWhole) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Loop("i", 2);
  k.Read(t);  // what the previous iteration left
  k.Write(t);
  k.Read(t);
  k.Write(t);
  k.End();
  EXPECT_EQ(SplitMemlocs(k.Linear()).tensors.size(), 3u);
}

// Every other one of 519 elements is more pieces than are followed one by one. Their hull must not
// pass for the whole tensor.
TEST(SplitMemlocs, ACombOfManyTeethIsNoWholeWrite) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 519);
  for (int life = 0; life < 2; ++life) {
    k.Write(k.b.Whole(t).Pattern(0, {{2, 260}}));
    k.Read(t);
  }
  EXPECT_EQ(SplitMemlocs(k.Linear()).tensors.size(), 3u);
}

TEST(Definitions, AreTheFirstWriteAndTheLastRead) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  const TensorId dead = k.Sbuf("dead", 8);
  k.Write(dead);   // 0
  k.Loop("i", 2);  // 1
  k.Write(t);      // 2
  k.Read(t);       // 3
  k.End();         // 4
  k.Write(t);      // 5
  k.Read(t);       // 6
  k.Write(t);      // 7
  const LinearKernel linear = k.Linear();
  EXPECT_EQ(FindFirstDefinitions(linear)[t], PointId(2));
  EXPECT_EQ(FindLastUses(linear)[t], PointId(6));
  EXPECT_EQ(FindFirstDefinitions(linear)[dead], PointId(0));
  EXPECT_EQ(FindLastUses(linear)[dead], std::nullopt);
  EXPECT_EQ(FindFirstDefinitions(linear)[k.x], std::nullopt);
}

/// Whether `t` counts as a load where `define` writes it.
template <class Define>
bool IsLoad(Define define) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  define(k, t);
  const LinearKernel linear = k.Linear();
  return FindLoads(linear, FindFirstDefinitions(linear))[t];
}

TEST(FindLoads, TakesWholeCopiesOfInputs) {
  EXPECT_TRUE(IsLoad([](SmallKernel& k, TensorId t) {
    k.Load(t);
    k.Read(t);
    k.Loop("i", 2);
    k.Read(t);
    k.End();
  }));
  EXPECT_TRUE(IsLoad([](SmallKernel& k, TensorId t) {
    k.Loop("i", 2);
    k.b.Copy(k.b.Whole(t), k.b.Whole(k.x).Elements(k.Index("i") * 1024, 1024));
    k.Read(t);
    k.End();
  }));
}

TEST(FindLoads, RefusesWhatAReloadCouldNotRepeat) {
  // Written again, or something else than a copy.
  EXPECT_FALSE(IsLoad([](SmallKernel& k, TensorId t) {
    k.Load(t);
    k.Write(t);
  }));
  EXPECT_FALSE(IsLoad([](SmallKernel& k, TensorId t) { k.Write(t); }));
  // A part, a predicate, another type, a source that something may write.
  EXPECT_FALSE(IsLoad([](SmallKernel& k, TensorId t) {
    k.b.Copy(k.b.Whole(t).Elements(0, 4), k.b.Whole(k.x).Elements(0, 512));
  }));
  EXPECT_FALSE(IsLoad([](SmallKernel& k, TensorId t) {
    k.b.Copy(k.b.Whole(t).Partitions(0, 64), k.b.Whole(k.x).Elements(0, 512));
  }));
  EXPECT_FALSE(IsLoad([](SmallKernel& k, TensorId t) {
    k.Loop("i", 2);
    k.Load(t).When(Equals(k.Index("i"), 0));
    k.Read(t);
    k.End();
  }));
  EXPECT_FALSE(IsLoad([](SmallKernel& k, TensorId t) {
    k.b.Copy(k.b.Whole(t), k.b.Whole(k.x).Elements(0, 1024).As(DType::kInt8));
  }));
  EXPECT_FALSE(IsLoad([](SmallKernel& k, TensorId t) {
    k.b.Copy(k.b.Whole(t), k.b.Whole(k.b.Dram("z", DType::kUint8, {1024})));
  }));
  EXPECT_FALSE(IsLoad([](SmallKernel& k, TensorId t) {
    k.b.Copy(k.b.Whole(t), k.b.Whole(k.x).Elements(0, 1024).Through("k"));
  }));
  // A use that stands where the load's loop has no value.
  EXPECT_FALSE(IsLoad([](SmallKernel& k, TensorId t) {
    k.Loop("i", 2);
    k.b.Copy(k.b.Whole(t), k.b.Whole(k.x).Elements(k.Index("i") * 1024, 1024));
    k.End();
    k.Read(t);
  }));
  EXPECT_FALSE(IsLoad([](SmallKernel& k, TensorId t) {
    k.Loop("i", 2);
    k.b.Copy(k.b.Whole(t), k.b.Whole(k.x).Elements(k.Index("i") * 1024, 1024));
    k.End();
    k.Loop("j", 2);
    k.Read(t);
    k.End();
  }));
  // A use before it: the value of the previous iteration.
  EXPECT_FALSE(IsLoad([](SmallKernel& k, TensorId t) {
    k.Loop("i", 2);
    k.Read(t);
    k.Load(t);
    k.End();
  }));
}

}  // namespace
}  // namespace spillway
