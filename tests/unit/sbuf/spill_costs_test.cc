#include "model/alloc/sbuf/spill_costs.h"

#include <gtest/gtest.h>

#include "model/alloc/sbuf/find_first_definitions.h"
#include "model/alloc/sbuf/find_last_uses.h"
#include "model/alloc/sbuf/find_loads.h"
#include "tests/unit/sbuf/small_kernel.h"

namespace spillway {
namespace {

SpillCost CostOf(const SmallKernel& k, TensorId t) {
  const LinearKernel linear = k.Linear();
  return FindCosts(linear, FindLastUses(linear), FindLoads(linear, FindFirstDefinitions(linear)),
                   RoundNumbers())[t];
}

// A read of 20 bytes costs 120 cycles, a write 3.
TEST(SpillCost, AUsePaysDramAndADefinitionSbuf) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 20);
  k.Write(t);
  k.Read(t);
  k.Read(t);
  EXPECT_DOUBLE_EQ(CostOf(k, t).cycles(), 3 + 2 * 120);
}

TEST(SpillCost, CountsAccessesAsOftenAsTheirLoopsRun) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 20);
  k.Write(t);
  k.Loop("i", 3);
  k.b.OpenLoop("j", 10, 0, -5);
  k.Read(t);
  k.End();
  k.End();
  EXPECT_DOUBLE_EQ(CostOf(k, t).cycles(), 3 + 3 * 2 * 120);
}

TEST(SpillCost, CountsTheBytesThatAreMovedWithoutRepetitions) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 20);
  k.Write(t);
  k.Read(k.b.Whole(t).Elements(0, 10));
  k.Read(k.b.Whole(t).Pattern(0, {{0, 7}, {1, 10}}));
  EXPECT_DOUBLE_EQ(CostOf(k, t).cycles(), 3 + 110 + 110);
}

TEST(SpillCost, OfALoadHasNoSave) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 20);
  k.Load(t);
  k.Read(t);
  EXPECT_DOUBLE_EQ(CostOf(k, t).cycles(), 120);
}

TEST(SpillCost, DoesNotCountTheDmasOfAnEarlierSpill) {
  SmallKernel k;
  const TensorId home = k.b.Dram("home", DType::kUint8, {2560});
  const TensorId t = k.Sbuf("t", 20);
  k.b.Copy(k.b.Whole(t), k.b.Whole(home)).Spill(SpillRole::kReload);
  k.Read(t);
  k.Read(t);
  EXPECT_DOUBLE_EQ(CostOf(k, t).cycles(), 2 * 120);
}

TEST(SpillCost, IsNoNumberForWhatSpillingCannotHelp) {
  SmallKernel k;
  const TensorId fixed = k.Sbuf("fixed", 20, 128, {.at = {{Partition(0), ByteOffset(0)}}});
  const TensorId dead = k.Sbuf("dead", 20);
  const TensorId indirect = k.Sbuf("indirect", 20);
  const TensorId input = k.Sbuf("input", 20, 128, {.role = Role::kInput});
  const TensorId output = k.Sbuf("output", 20, 128, {.role = Role::kOutput});
  const TensorId home = k.b.Dram("home", DType::kUint8, {2560});
  const TensorId copy = k.Sbuf("copy", 20);
  const TensorId once = k.Sbuf("once", 20);
  k.Combine(once, once, once);
  for (const TensorId t : {fixed, dead, indirect, output}) k.Write(t);
  k.Read(k.b.Whole(indirect).Through("x"));
  for (const TensorId t : {fixed, input, output, input}) k.Read(t);
  k.b.Copy(k.b.Whole(copy), k.b.Whole(home)).Spill(SpillRole::kReload);
  k.Read(copy);
  EXPECT_EQ(CostOf(k, fixed).why(), WhyUnspillable::kPrecoloured);
  EXPECT_EQ(CostOf(k, dead).why(), WhyUnspillable::kNeverUsed);
  EXPECT_EQ(CostOf(k, once).why(), WhyUnspillable::kOneInstruction);
  EXPECT_EQ(CostOf(k, indirect).why(), WhyUnspillable::kIndirect);
  EXPECT_EQ(CostOf(k, input).why(), WhyUnspillable::kKernelInput);
  EXPECT_EQ(CostOf(k, output).why(), WhyUnspillable::kNotACandidate);
  EXPECT_EQ(CostOf(k, k.x).why(), WhyUnspillable::kNotACandidate);
  EXPECT_EQ(CostOf(k, copy).why(), WhyUnspillable::kOneInstruction);
  EXPECT_THROW(CostOf(k, dead).cycles(), ContractViolation);
}

// Dead, but alive between its writes: copies of one write each relieve the pressure.
TEST(SpillCost, OfATensorThatSeveralInstructionsWriteAndNoneReadsIsANumber) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 20);
  k.Loop("i", 2);
  k.Write(t);
  k.Write(t);
  k.End();
  EXPECT_DOUBLE_EQ(CostOf(k, t).cycles(), 2 * 2 * 3);
}

TEST(SpillCost, OfATensorThatSuppliesOffsetsIsNoNumber) {
  SmallKernel k;
  const TensorId offsets = k.Sbuf("offsets", 20);
  const TensorId t = k.Sbuf("t", 20);
  k.Write(offsets);
  k.Write(k.b.Whole(t).Through("offsets"));
  EXPECT_EQ(CostOf(k, offsets).why(), WhyUnspillable::kIndirect);
}

// t[i] and t[j] are one block where i equals j. Rows of 6 bytes don't hold whole elements of 4, so
// both copies would be saved as whole blocks, and the second save would undo the first.
TEST(SpillCost, OfATensorOfWhichOneInstructionSavesTwoBlocksThatMayBeOneIsNoNumber) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 6, 128, {.blocks = {2}});
  k.Loop("i", 2);
  k.Loop("j", 2);
  const auto element = [&](const char* loop) {
    return k.b.Whole(t).Block({k.Index(loop)}).As(DType::kFloat32).Pattern(0, {{1, 1}});
  };
  k.b.Instruction("pair").Out("first", element("i")).Out("second", element("j"));
  k.Read(k.b.Whole(t).Block({k.Index("i")}));
  k.End();
  k.End();
  EXPECT_EQ(CostOf(k, t).why(), WhyUnspillable::kAliasedBlocks);
}

}  // namespace
}  // namespace spillway
