#include "model/alloc/psum/allocate_psum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/check/placement_checker.h"
#include "model/alloc/psum/spill_plan.h"
#include "tests/unit/check/test_kernel.h"
#include "tests/unit/psum/tag_machine.h"

namespace spillway {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Target Trn2() { return FindTarget("trn2").value(); }

Result<PsumAllocation> Allocate(const TestKernel& k, std::int64_t banks, bool reallocate = false) {
  const Target target = Trn2();
  return AllocatePsum(k.kernel(), target, *MakeClosedFormHwm(target),
                      {.banks = BankCount(banks), .reallocate = reallocate});
}

std::int64_t BankOf(const PsumAllocation& allocation, TensorId tensor) {
  return allocation.placement.addresses[tensor].at(0).byte.value / 2048;
}

// Everything that must hold of an allocation: its placement is legal and the program reads the
// same.
void ExpectSound(const TestKernel& k, const PsumAllocation& allocation, std::int64_t banks) {
  const LinearKernel original = k.Linear();
  const LinearKernel linear = Linearize(allocation.kernel);
  for (const CheckResult& result :
       CheckPlacement(linear, allocation.placement, Trn2(),
                      {.sbuf_bytes = {}, .psum_banks = BankCount(banks)})) {
    for (const Violation& violation : result.violations) {
      if (violation.space == Space::kPsum) ADD_FAILURE() << violation.text;
    }
  }
  TagMachine placed(linear, &allocation.placement);
  EXPECT_EQ(placed.Run(), TagMachine(original).Run());
  EXPECT_EQ(placed.broken_accumulations(), 0);
}

//   a ####        bank 0
//   b   ####      bank 1
//   c      ####   bank 0 again
TEST(AllocatePsum, ReusesABankOnceItsTensorIsDead) {
  TestKernel k;
  const TensorId a = k.Psum("a", 128, 2048);
  const TensorId b = k.Psum("b", 128, 2048);
  const TensorId c = k.Psum("c", 128, 2048);
  k.Write(a);
  k.Write(b);
  k.Read(a);
  k.Write(c);
  k.Read(b);
  k.Read(c);
  const Result<PsumAllocation> allocation = Allocate(k, 2);
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  EXPECT_NE(BankOf(*allocation, a), BankOf(*allocation, b));
  EXPECT_EQ(BankOf(*allocation, a), BankOf(*allocation, c));
  EXPECT_TRUE(allocation->stats.spilled.empty());
  EXPECT_EQ(allocation->stats.peak_banks, BankCount(2));
  EXPECT_THAT(allocation->stats.messages, ElementsAre("100.0% PSUM demand before spilling"));
  ExpectSound(k, *allocation, 2);
}

// Attention with time-shared banks once took "12 of 8 banks".
TEST(AllocatePsum, ABankThatItsAuthorGaveTwiceCountsOnce) {
  TestKernel k;
  const TensorId a = k.Psum("a", 128, 2048);
  const TensorId b = k.Psum("b", 128, 2048);
  for (const TensorId id : {a, b}) k.tensor(id).at = {{Partition(0), ByteOffset(0)}};
  k.Write(a);
  k.Write(b);
  k.Read(a);
  k.Read(b);
  const Result<PsumAllocation> allocation = Allocate(k, 2);
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  EXPECT_EQ(allocation->stats.peak_banks, BankCount(1));
}

TEST(AllocatePsum, GivesALargeTileConsecutiveBanks) {
  TestKernel k;
  const TensorId small = k.Psum("small", 128, 4);
  const TensorId large = k.Psum("large", 128, 2049);
  k.Write(small);
  k.Write(large);
  k.Read(small);
  k.Read(large);
  const Result<PsumAllocation> allocation = Allocate(k, 3);
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  EXPECT_EQ(allocation->stats.peak_banks, BankCount(3));
  ExpectSound(k, *allocation, 3);
}

TEST(AllocatePsum, GivesEveryBlockItsOwnBank) {
  TestKernel k;
  const TensorId t = k.Psum("t", 128, 512, {3});
  k.Write(t, {.block = {2}});
  k.Read(t, {.block = {2}});
  const Result<PsumAllocation> allocation = Allocate(k, 8);
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  EXPECT_THAT(allocation->placement.addresses[t],
              ElementsAre(Place(0, 0), Place(0, 2048), Place(0, 4096)));
}

TEST(AllocatePsum, RefusesATensorThatNeedsMoreBanksThanThereAre) {
  TestKernel k;
  k.Write(k.Psum("huge", 128, 2048, {5}));
  const Result<PsumAllocation> allocation = Allocate(k, 4);
  ASSERT_FALSE(allocation);
  EXPECT_EQ(allocation.error().kind, Kind::kCapacity);
  EXPECT_EQ(allocation.error().message,
            "huge is too big for PSUM, requires 5 banks with PSUM size 4");
}

TEST(AllocatePsum, RefusesATensorTallerThanPsum) {
  TestKernel k;
  k.Write(k.Psum("tall", 128, 4));
  const Target target = FindTarget("inf1").value();
  const Result<PsumAllocation> allocation =
      AllocatePsum(k.kernel(), target, *MakeClosedFormHwm(target), {});
  ASSERT_FALSE(allocation);
  EXPECT_EQ(allocation.error().kind, Kind::kPartitionRange);
}

TEST(AllocatePsum, LeavesFixedTensorsWhereTheyAreAndAvoidsTheirBanks) {
  TestKernel k;
  const TensorId fixed = k.Psum("fixed", 128, 512);
  k.tensor(fixed).at = {Place(0, 512)};
  const TensorId free = k.Psum("free", 128, 512);
  k.Write(fixed);
  k.Write(free);
  k.Read(fixed);
  k.Read(free);
  const Result<PsumAllocation> allocation = Allocate(k, 2);
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  EXPECT_THAT(allocation->placement.addresses[fixed], ElementsAre(Place(0, 512)));
  EXPECT_EQ(BankOf(*allocation, free), 1);
  const Result<PsumAllocation> again = Allocate(k, 2, true);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->placement.addresses[fixed].at(0).byte.value % 2048, 0);
  EXPECT_TRUE(again->kernel.tensors[fixed].at.empty());
}

TEST(AllocatePsum, SpillsNoFixedTensor) {
  TestKernel k;
  const TensorId fixed = k.Psum("fixed", 128, 512);
  k.tensor(fixed).at = {Place(0, 0)};
  const TensorId free = k.Psum("free", 128, 512);
  k.Write(fixed);
  k.Write(free);
  k.Read(free);
  k.Read(fixed);
  const Result<PsumAllocation> allocation = Allocate(k, 1);
  ASSERT_FALSE(allocation);
  EXPECT_THAT(allocation.error().message,
              AllOf(HasSubstr("couldn't allocate every tensor in PSUM and spilling can't help"),
                    HasSubstr("its place is fixed")));
}

//   cold ##########################      waits in SBUF
//   hot      ##### ##### #####
TEST(AllocatePsum, SpillsTheTensorThatWaitsLongest) {
  TestKernel k;
  const TensorId cold = k.Psum("cold", 128, 64);
  std::vector<TensorId> hot;
  for (int i = 0; i < 3; ++i) hot.push_back(k.Psum("hot" + std::to_string(i), 128, 64));
  k.Write(cold);
  for (const TensorId t : hot) {
    k.Write(t);
    k.Read(t);
    k.Read(t);
  }
  k.Read(cold);
  const Result<PsumAllocation> allocation = Allocate(k, 1);
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  ASSERT_EQ(allocation->stats.spilled.size(), 1u);
  EXPECT_EQ(allocation->stats.spilled[0].name, "cold");
  EXPECT_GT(allocation->stats.spilled[0].predicted_cycles, 0);
  EXPECT_EQ(allocation->stats.saves, 1);
  EXPECT_EQ(allocation->stats.reloads, 1);
  EXPECT_EQ(allocation->stats.iterations, 2);
  EXPECT_DOUBLE_EQ(allocation->stats.demand_percent, 200);
  std::vector<std::string> added;
  for (std::size_t i = 4; i < allocation->kernel.tensors.size(); ++i) {
    added.push_back(allocation->kernel.tensors[TensorId(i)].name);
  }
  EXPECT_THAT(added, ElementsAre("cold_SpillTensorCopy1", "cold_ReloadTensorCopy1"));
  EXPECT_EQ(allocation->kernel.tensors[TensorId(4)].space, Space::kSbuf);
  EXPECT_EQ(allocation->kernel.tensors[TensorId(5)].space, Space::kPsum);
  ExpectSound(k, *allocation, 1);
}

TEST(AllocatePsum, SpillCodeIsATensorCopyOnVectorMarkedAsWhatItIs) {
  TestKernel k;
  const TensorId cold = k.Psum("cold", 128, 64);
  const TensorId hot = k.Psum("hot", 128, 64);
  k.Write(cold, {.offset = 8, .count = 16, .partition = 32, .partitions = 32});
  k.Write(hot);
  k.Read(hot);
  k.Read(hot);
  k.Read(cold, {.offset = 12, .count = 4, .partition = 32, .partitions = 16});
  const Result<PsumAllocation> allocation = Allocate(k, 1);
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  std::vector<Instruction> copies;
  for (const Instruction& instruction : allocation->kernel.instructions) {
    if (instruction.spill != SpillRole::kNone) copies.push_back(instruction);
  }
  ASSERT_EQ(copies.size(), 2u);
  for (const Instruction& copy : copies) {
    EXPECT_EQ(copy.op, "tensor_copy");
    EXPECT_EQ(copy.engine, Engine::kDve);
    EXPECT_EQ(StringAttr(copy.attrs, "spill"), copy.spill == SpillRole::kSave ? "save" : "reload");
  }
  // Only what is written is saved, only what is read comes back, at the same place.
  EXPECT_EQ(copies[0].outputs[0].operands[0].free_dims, (std::vector<FreeDim>{{1, 16}}));
  EXPECT_EQ(copies[1].outputs[0].operands[0].free_dims, (std::vector<FreeDim>{{1, 4}}));
  EXPECT_EQ(copies[1].outputs[0].operands[0].partition_count, 16);
  ExpectSound(k, *allocation, 1);
}

TEST(AllocatePsum, KeepsAnAccumulationGroupInOnePiece) {
  TestKernel k;
  const TensorId sum = k.Psum("sum", 128, 64);
  const TensorId other = k.Psum("other", 128, 64);
  k.Write(sum);
  k.Write(other);
  k.Accumulate(sum);
  k.Read(other);
  k.Accumulate(sum);
  k.Read(sum);
  const Result<PsumAllocation> one = Allocate(k, 1);
  ASSERT_FALSE(one);
  EXPECT_THAT(one.error().message, HasSubstr("spilling can't help"));
  const Result<PsumAllocation> two = Allocate(k, 2);
  ASSERT_TRUE(two);
  ExpectSound(k, *two, 2);
}

TEST(AllocatePsum, SpillsAFinishedAccumulationUntilItIsRead) {
  TestKernel k;
  const TensorId sum = k.Psum("sum", 128, 64);
  const TensorId other = k.Psum("other", 128, 64);
  k.Write(sum);
  k.Accumulate(sum);
  k.Accumulate(sum);
  k.Write(other);
  k.Read(other);
  k.Read(other);
  k.Read(sum);
  const Result<PsumAllocation> allocation = Allocate(k, 1);
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  ASSERT_EQ(allocation->stats.spilled.size(), 1u);
  EXPECT_EQ(allocation->stats.spilled[0].name, "sum");
  EXPECT_EQ(allocation->stats.saves, 1);
  ExpectSound(k, *allocation, 1);
}

//   loop k: sum = (k == 0) ? a : sum + a     one group, saved once behind the loop
TEST(AllocatePsum, SavesAnAccumulationOverALoopBehindTheLoop) {
  TestKernel k;
  const TensorId sum = k.Psum("sum", 128, 64);
  const TensorId other = k.Psum("other", 128, 64);
  const LoopId loop = k.Open(3);
  k.Write(sum).when = {{Times(loop, 1), Comparison::kEqual}};
  k.Accumulate(sum).when = {{Times(loop, 1), Comparison::kGreater}};
  k.Close();
  k.Write(other);
  k.Read(other);
  k.Read(other);
  k.Read(sum);
  const Result<PsumAllocation> allocation = Allocate(k, 1);
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  EXPECT_EQ(allocation->stats.spilled.at(0).name, "sum");
  EXPECT_EQ(allocation->stats.saves, 1);
  const LinearKernel linear = Linearize(allocation->kernel);
  const PointId behind(linear.loop_points[loop].terminator.value + 1);
  EXPECT_EQ(linear.instruction(behind).spill, SpillRole::kSave);
  EXPECT_TRUE(linear.instruction(behind).when.empty());
  ExpectSound(k, *allocation, 1);
}

//   loop k, loop n: sum[n] += …      behind the loops, n has no value to save by
TEST(AllocatePsum, DoesNotSpillAnAccumulationWhosePlaceMovesWithItsLoops) {
  TestKernel k;
  const TensorId sum = k.Psum("sum", 128, 64);
  const TensorId other = k.Psum("other", 128, 64);
  const LoopId outer = k.Open(2);
  const LoopId inner = k.Open(4);
  const Part part = {.offset = Times(inner, 16), .count = 16};
  k.Write(sum, part).when = {{Times(outer, 1), Comparison::kEqual}};
  k.Accumulate(sum, part).when = {{Times(outer, 1), Comparison::kGreater}};
  k.Close();
  k.Close();
  k.Write(other);
  k.Read(sum);
  k.Read(other);
  const psum::SpillPlan plan = psum::PlanSpill(k.Linear(), sum);
  EXPECT_EQ(plan.why, psum::WhyUnspillable::kAccumulator);
}

TEST(AllocatePsum, CopiesInheritThePredicatesOfTheirInstructions) {
  TestKernel k;
  const TensorId cold = k.Psum("cold", 128, 64);
  const TensorId hot = k.Psum("hot", 128, 64);
  const LoopId i = k.Open(4);
  const std::vector<Predicate> odd = {AtLeastZero(Times(i, 1, -2))};
  k.Write(cold);
  k.Write(cold).when = odd;
  k.Write(hot);
  k.Read(hot);
  k.Read(hot);
  k.Read(cold).when = odd;
  k.Close();
  const Result<PsumAllocation> allocation = Allocate(k, 1);
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  EXPECT_EQ(allocation->stats.spilled.at(0).name, "cold");
  int predicated = 0;
  for (const Instruction& instruction : allocation->kernel.instructions) {
    predicated += instruction.spill != SpillRole::kNone && instruction.when == odd ? 1 : 0;
  }
  EXPECT_EQ(predicated, 2);
  ExpectSound(k, *allocation, 1);
}

TEST(AllocatePsum, AnInstructionThatUpdatesInPlaceUsesOneCopy) {
  TestKernel k;
  const TensorId t = k.Psum("t", 128, 64);
  const TensorId hot = k.Psum("hot", 128, 64);
  k.Write(t);
  k.Write(hot);
  k.Read(hot);
  k.Read(hot);
  k.Op({k.At(t)}, {k.At(t)});
  k.Write(hot);
  k.Read(hot);
  k.Read(t);
  const Result<PsumAllocation> allocation = Allocate(k, 1);
  ASSERT_TRUE(allocation) << allocation.error().ToString();
  int in_place = 0;
  for (const Instruction& instruction : allocation->kernel.instructions) {
    if (instruction.spill != SpillRole::kNone || instruction.inputs.empty() ||
        instruction.outputs.empty())
      continue;
    ++in_place;
    EXPECT_EQ(instruction.inputs[0].operands[0].tensor, instruction.outputs[0].operands[0].tensor);
  }
  EXPECT_EQ(in_place, 1);
  ExpectSound(k, *allocation, 1);
}

TEST(AllocatePsum, StopsAtTheSpillCap) {
  TestKernel k;
  const TensorId cold = k.Psum("cold", 128, 64);
  const TensorId hot = k.Psum("hot", 128, 64);
  k.Write(cold);
  k.Write(hot);
  k.Read(hot);
  k.Read(cold);
  const Target target = Trn2();
  const Result<PsumAllocation> allocation =
      AllocatePsum(k.kernel(), target, *MakeClosedFormHwm(target),
                   {.banks = BankCount(1), .reallocate = false, .spill_cap = 0});
  ASSERT_FALSE(allocation);
  EXPECT_EQ(allocation.error().kind, Kind::kSpillCap);
  EXPECT_THAT(allocation.error().message, HasSubstr("too many spills required"));
}

TEST(AllocatePsum, AKernelWithoutPsumNeedsNothing) {
  TestKernel k;
  k.Write(k.Sbuf("t", 128, 64));
  const Result<PsumAllocation> allocation = Allocate(k, 8);
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->stats.peak_banks, BankCount(0));
  EXPECT_TRUE(allocation->stats.messages.empty());
}

}  // namespace
}  // namespace spillway
