// From placed kernels to blocks: what depends on what, which banks, how often.
#include "sim/estimate/estimate.h"

#include <gtest/gtest.h>

#include "model/alloc/ir/kernel_builder.h"
#include "tests/unit/estimate/fixed_prices.h"

namespace spillway {
namespace {

// With a reference clock of 1 GHz the windows are 100 and 1,300 cycles.
Target Gigahertz(const char* name = "trn2") {
  Target target = FindTarget(name).value();
  target.reference_hertz.value = 1'000'000'000;
  return target;
}

const FixedPrices& Prices() {
  static const FixedPrices prices(
      {{"dma_copy", 2300}, {"tensor_copy", 50}, {"tensor_scalar", 250}, {"nc_matmul", 420}});
  return prices;
}

Estimate EstimateOf(const Kernel& kernel, const Target& target = Gigahertz()) {
  const Result<Estimate> estimate = EstimateTime(kernel, FixedPlacement(kernel), target, Prices());
  if (!estimate) throw ContractViolation(estimate.error().ToString());
  return *estimate;
}
std::int64_t CyclesOf(const Kernel& kernel) { return EstimateOf(kernel).cycles.value; }

// Tiles of 128 x 64 floats on chip, each where it is asked for.
class Tiles {
 public:
  Tiles() : b("k", "trn2") { x_ = b.Dram("x", DType::kFloat32, {128, 64}, Role::kInput); }

  TensorId Sbuf(std::string name, std::int64_t byte) {
    return b.Sbuf(std::move(name), DType::kFloat32, {128, 64},
                  {.at = {{Partition(0), ByteOffset(byte)}}});
  }
  TensorId Psum(std::string name, std::int64_t bank) {
    return b.Psum(std::move(name), DType::kFloat32, {128, 64},
                  {.at = {{Partition(0), ByteOffset(bank * 2048)}}});
  }
  InstructionBuilder Load(TensorId tile) { return b.Copy(b.Whole(tile), b.Whole(x_)); }
  /// 50 cycles.
  InstructionBuilder Copy(TensorId dst, TensorId src, Engine engine = Engine::kDve) {
    return b.Copy(b.Whole(dst), b.Whole(src)).On(engine);
  }
  /// 250 cycles.
  InstructionBuilder Scale(TensorId dst, TensorId src, Engine engine = Engine::kDve) {
    return b.Instruction("tensor_scalar")
        .Out("dst", b.Whole(dst))
        .In("data", b.Whole(src))
        .On(engine);
  }

  KernelBuilder b;

 private:
  TensorId x_;
};

TEST(EstimateTime, AKernelWithoutInstructionsTakesNothingAndHasNoSlack) {
  const Estimate estimate = EstimateOf(Tiles().b.Build());
  EXPECT_EQ(estimate.cycles, Cycles(0));
  EXPECT_EQ(estimate.slack(), 1.0);
}

TEST(EstimateTime, DependentInstructionsFollowOneAnother) {
  Tiles t;
  const TensorId a = t.Sbuf("a", 0);
  const TensorId c = t.Sbuf("c", 256);
  t.Load(a);
  t.Scale(c, a);
  EXPECT_EQ(CyclesOf(t.b.Build()), 2300 + 250);
}

TEST(EstimateTime, LoadsOverlapByTheFixedPartOfADma) {
  Tiles t;
  t.Load(t.Sbuf("a", 0));
  t.Load(t.Sbuf("c", 256));
  EXPECT_EQ(CyclesOf(t.b.Build()), 1000 + 2300);
}

TEST(EstimateTime, WritersOfOneBankWaitForEachOtherThoughTheyShareNoByte) {
  Tiles t;
  const TensorId a = t.Sbuf("a", 0);
  const TensorId p = t.Psum("p", 0);
  const TensorId q =
      t.b.Psum("q", DType::kFloat32, {128, 64}, {.at = {{Partition(0), ByteOffset(1024)}}});
  t.Scale(p, a, Engine::kAct);
  t.Scale(q, a, Engine::kDve);
  EXPECT_EQ(CyclesOf(t.b.Build()), 150 + 250);
}

TEST(EstimateTime, OnlyTheBankOfTheBlockThatIsWrittenIsTaken) {
  for (const std::int64_t block : {0, 1}) {
    Tiles t;
    const TensorId a = t.Sbuf("a", 0);
    const TensorId p = t.Psum("p", 0);
    const TensorId q =
        t.b.Psum("q", DType::kFloat32, {128, 64},
                 {.blocks = {2},
                  .at = {{Partition(0), ByteOffset(1024)}, {Partition(0), ByteOffset(2048)}}});
    t.Scale(p, a, Engine::kAct);
    t.b.Instruction("tensor_scalar")
        .Out("dst", t.b.Whole(q).Block({block}))
        .In("data", t.b.Whole(a));
    EXPECT_EQ(CyclesOf(t.b.Build()), block == 0 ? 150 + 250 : 250);
  }
}

TEST(EstimateTime, PoolAndDveShareTheirPortOnTheGenerationsThatHaveOne) {
  Tiles t;
  const TensorId a = t.Sbuf("a", 0);
  t.Scale(t.Sbuf("c", 256), a, Engine::kPool);
  t.Scale(t.Sbuf("d", 512), a, Engine::kDve);
  const Kernel kernel = t.b.Build();
  EXPECT_EQ(EstimateOf(kernel, Gigahertz("trn1")).cycles, Cycles(150 + 250));
  EXPECT_EQ(EstimateOf(kernel, Gigahertz("trn2")).cycles, Cycles(250));
}

//  bytes    0      256    512
//  a        |------|
//  over         |------|         the load of `over` waits for who still reads `a`
TEST(EstimateTime, TheSlackIsWhatSharedBytesCost) {
  Tiles t;
  const TensorId a = t.Sbuf("a", 0);
  const TensorId over = t.Sbuf("over", 128);
  t.Load(a);
  t.Scale(t.Sbuf("c", 1024), a);
  t.Load(over);
  t.Scale(t.Sbuf("d", 2048), over);
  const Estimate estimate = EstimateOf(t.b.Build());
  EXPECT_EQ(estimate.cycles, Cycles(2300 + 250 + 2300 + 250));
  EXPECT_EQ(estimate.without_anti_dependences, Cycles(1000 + 2300 + 250));
  EXPECT_DOUBLE_EQ(estimate.slack(), 5100.0 / 3550.0);
}

TEST(EstimateTime, ATensorThatIsWrittenAgainWaitsForItsReadersInBothRuns) {
  Tiles t;
  const TensorId a = t.Sbuf("a", 0);
  t.Load(a);
  t.Scale(t.Sbuf("c", 1024), a);
  t.Load(a);
  const Estimate estimate = EstimateOf(t.b.Build());
  EXPECT_EQ(estimate.cycles, Cycles(2300 + 250 + 2300));
  EXPECT_EQ(estimate.without_anti_dependences, estimate.cycles);
  EXPECT_EQ(estimate.slack(), 1.0);
}

TEST(EstimateTime, ABodyIsTimedOnceAndCountsAsOftenAsItsLoopRuns) {
  Tiles t;
  const TensorId a = t.Sbuf("a", 0);
  t.Load(a);
  t.b.OpenLoop("i", 0, 10, 2);
  t.Scale(a, a);
  t.Copy(a, a);
  t.b.CloseLoop();
  t.Load(a);
  EXPECT_EQ(CyclesOf(t.b.Build()), 2300 + 5 * (250 + 50) + 2300);
}

TEST(EstimateTime, NestedLoopsMultiply) {
  Tiles t;
  const TensorId a = t.Sbuf("a", 0);
  t.b.OpenLoop("i", 0, 3);
  t.Copy(a, a);
  t.b.OpenLoop("j", 0, 4);
  t.Scale(a, a);
  t.b.CloseLoop();
  t.b.CloseLoop();
  EXPECT_EQ(CyclesOf(t.b.Build()), 3 * (50 + 4 * 250));
}

TEST(EstimateTime, NothingOverlapsAcrossABoundaryOfALoop) {
  Tiles t;
  const TensorId a = t.Sbuf("a", 0);
  t.Load(a);
  t.b.OpenLoop("i", 0, 3);
  t.Load(t.Sbuf("c", 1024));
  t.b.CloseLoop();
  t.Load(t.Sbuf("d", 2048));
  EXPECT_EQ(CyclesOf(t.b.Build()), 2300 * 5);
}

TEST(EstimateTime, ADynamicLoopCountsToItsBoundAndAnEmptyOneNotAtAll) {
  Tiles t;
  const TensorId a = t.Sbuf("a", 0);
  t.b.OpenLoop("i", 0, 7, 1, LoopKind::kDynamic);
  t.Copy(a, a);
  t.b.CloseLoop();
  t.b.OpenLoop("none", 0, 0);
  t.b.Instruction("nobody_prices_this").Out("dst", t.b.Whole(a));
  t.b.CloseLoop();
  EXPECT_EQ(CyclesOf(t.b.Build()), 7 * 50);
}

TEST(EstimateTime, PredicatesAreThoseOfTheMiddleIteration) {
  Tiles t;
  const TensorId a = t.Sbuf("a", 0);
  t.b.OpenLoop("i", 0, 5);
  const AffineExpr i = t.b.Index("i");
  t.Scale(a, a).When(Equals(i, 0));
  t.Copy(a, a).When(AtLeast(i, 1));
  t.Scale(a, a).When(Equals(i, 4));
  t.b.CloseLoop();
  EXPECT_EQ(CyclesOf(t.b.Build()), 5 * 50);
}

TEST(EstimateTime, AnOperationWithoutAPriceIsTheOraclesError) {
  Tiles t;
  const TensorId a = t.Sbuf("a", 0);
  t.Load(a);
  t.b.Instruction("iota").Out("dst", t.b.Whole(a));
  const Kernel kernel = t.b.Build();
  const auto estimate = EstimateTime(kernel, FixedPlacement(kernel), Gigahertz(), Prices());
  ASSERT_FALSE(estimate.has_value());
  EXPECT_EQ(estimate.error().code, "unpriced-opcode");
  EXPECT_NE(estimate.error().message.find("iota"), std::string::npos);
}

TEST(EstimateTime, LoopsBeyondWhatCanBeCountedAreAnError) {
  Tiles t;
  const TensorId a = t.Sbuf("a", 0);
  const std::int64_t many = std::int64_t{1} << 40;
  t.b.OpenLoop("i", 0, many);
  t.b.OpenLoop("j", 0, many);
  t.Copy(a, a);
  t.b.CloseLoop();
  t.b.CloseLoop();
  const Kernel kernel = t.b.Build();
  const auto estimate = EstimateTime(kernel, FixedPlacement(kernel), Gigahertz(), Prices());
  ASSERT_FALSE(estimate.has_value());
  EXPECT_EQ(estimate.error().code, "estimate-too-long");
}

TEST(EstimateTime, AKernelWithoutPlacesIsAnError) {
  KernelBuilder b("k", "trn2");
  const TensorId a = b.Sbuf("a", DType::kFloat32, {128, 64});
  b.Copy(b.Whole(a), b.Whole(a));
  const Kernel kernel = b.Build();
  const auto estimate = EstimateTime(kernel, FixedPlacement(kernel), Gigahertz(), Prices());
  ASSERT_FALSE(estimate.has_value());
  EXPECT_EQ(estimate.error().code, "not-placed");
}

}  // namespace
}  // namespace spillway
