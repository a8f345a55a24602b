// Instruction and descriptor costs against the published figures.
#include <gtest/gtest.h>

#include <set>

#include "model/hw/timing/dma_cost.h"
#include "model/hw/timing/engine_clock.h"
#include "model/hw/timing/instruction_cost.h"

namespace spillway {
namespace {

Target Named(const char* name) { return FindTarget(name).value(); }

OperandShape Shape(Space space, DType dtype, std::int64_t elements,
                   std::string_view name = "data") {
  return {.name = name, .space = space, .dtype = dtype, .partitions = 128, .elements = elements};
}

InstructionCost Cost(std::string_view op, Engine engine, std::vector<OperandShape> inputs,
                     OperandShape output, const char* target = "trn2") {
  return CostOf({op, engine, std::move(inputs), {output}, false}, Named(target));
}

constexpr auto kSbuf = Space::kSbuf;
constexpr auto kPsum = Space::kPsum;
constexpr auto kFloat = DType::kFloat32;
constexpr auto kBf16 = DType::kBfloat16;

Cycles Matmul(DType dtype, std::int64_t stationary, std::int64_t moving, const char* target) {
  return Cost(
             "nc_matmul", Engine::kPe,
             {Shape(kSbuf, dtype, stationary, "stationary"), Shape(kSbuf, dtype, moving, "moving")},
             Shape(kPsum, kFloat, moving), target)
      .interval;
}

TEST(InstructionCost, AProductCostsItsMovingColumns) {
  EXPECT_EQ(Matmul(kBf16, 128, 512, "trn2"), Cycles(523)) << "published: 522 in steady state";
  EXPECT_EQ(Matmul(kBf16, 128, 16, "trn2"), Cycles(66)) << "64 at 98% of a column a cycle";
  EXPECT_EQ(Matmul(kBf16, 32, 16, "trn2"), Cycles(33));
  EXPECT_EQ(Matmul(kFloat, 128, 512, "trn2"), Cycles(2090)) << "four passes";
}

TEST(InstructionCost, ACopyFromPsumIsNearTheMeasuredOne) {
  // 128 x 512 float32, PSUM to SBUF, on trn2: 645 to 660 cycles measured, alone.
  const InstructionCost cost =
      Cost("tensor_copy", Engine::kDve, {Shape(kPsum, kFloat, 512)}, Shape(kSbuf, kFloat, 512));
  EXPECT_EQ(cost.read_init, Cycles(60));
  EXPECT_EQ(cost.exec, Cycles(512));
  EXPECT_EQ(cost.write_drain, Cycles(100));
  EXPECT_EQ(cost.time.latency, Picoseconds(700'000));
  EXPECT_EQ(cost.interval, Cycles(512)) << "the next copy hides the overheads";
}

TEST(InstructionCost, VectorIsFasterOnSixteenBitsFromTheThirdGenerationOn) {
  const auto copy = [](DType dtype, const char* target) {
    return Cost("tensor_copy", Engine::kDve, {Shape(kSbuf, dtype, 1024)}, Shape(kSbuf, dtype, 1024),
                target)
        .interval;
  };
  EXPECT_EQ(copy(kBf16, "trn2"), Cycles(256));
  EXPECT_EQ(copy(kFloat, "trn2"), Cycles(1024));
  EXPECT_EQ(copy(kBf16, "trn1"), Cycles(1024));
}

TEST(InstructionCost, TwoTensorsFromSbufCostTwice) {
  const auto add = [](Space second) {
    return Cost("tensor_tensor", Engine::kDve,
                {Shape(kSbuf, kFloat, 500), Shape(second, kFloat, 500)}, Shape(kSbuf, kFloat, 500))
        .interval;
  };
  EXPECT_EQ(add(kSbuf), Cycles(1000));
  EXPECT_EQ(add(kPsum), Cycles(500));
}

TEST(InstructionCost, AWideStrideHalvesTheRateOfTheSecondGeneration) {
  const auto copy = [](const char* target) {
    OperandShape from = Shape(kSbuf, kFloat, 512);
    from.contiguous = false;
    from.wide_stride = true;
    return Cost("tensor_copy", Engine::kDve, {from}, Shape(kSbuf, kFloat, 512), target).interval;
  };
  EXPECT_EQ(copy("trn1"), Cycles(1024));
  EXPECT_EQ(copy("trn2"), Cycles(512));
}

TEST(InstructionCost, AWideStrideSlowsProductsOfTheSecondGenerationToo) {
  const auto product = [](bool wide, const char* target) {
    OperandShape moving = Shape(kSbuf, kBf16, 512, "moving");
    moving.wide_stride = wide;
    return Cost("nc_matmul", Engine::kPe, {Shape(kSbuf, kBf16, 128, "stationary"), moving},
                Shape(kPsum, kFloat, 512), target)
        .interval;
  };
  EXPECT_EQ(product(true, "trn1"), Cycles(1045)) << "1024 at 98%";
  EXPECT_EQ(product(true, "trn2"), product(false, "trn2"));
}

TEST(InstructionCost, OperationsOfNewerGenerationsAreUnknownToOlderOnes) {
  const auto known = [](const char* op, const char* target) {
    return Cost(op, Engine::kDve, {Shape(kSbuf, kBf16, 512)}, Shape(kSbuf, kBf16, 512), target)
        .known;
  };
  EXPECT_TRUE(known("range_select", "trn2"));
  EXPECT_FALSE(known("range_select", "trn1"));
  EXPECT_TRUE(known("nc_matmul_mx", "trn3"));
  EXPECT_FALSE(known("nc_matmul_mx", "trn2"));
}

TEST(InstructionCost, PublishedCostsAreTrustedMostWhereTheyWereMeasured) {
  const InstructionCostRow& documented =
      *Cost("activation", Engine::kAct, {}, Shape(kSbuf, kFloat, 1)).row;
  ASSERT_EQ(documented.confidence, Confidence::kDocumented);
  EXPECT_EQ(ConfidenceOf(documented, Named("trn1")), Confidence::kDocumented);
  EXPECT_EQ(ConfidenceOf(documented, Named("trn2")), Confidence::kDerived);
  EXPECT_EQ(ConfidenceOf(documented, Named("inf1")), Confidence::kAssumed);
}

TEST(InstructionCost, ATinyInstructionTakesTheMinimumIntervalAndTheOverheadsAsLatency) {
  const InstructionCost cost =
      Cost("activation", Engine::kAct, {Shape(kSbuf, kFloat, 1)}, Shape(kSbuf, kFloat, 1));
  EXPECT_EQ(cost.interval, Cycles(64));
  EXPECT_EQ(cost.total(), Cycles(60 + 64 + 100));
  EXPECT_EQ(cost.time.latency, Picoseconds(186'667)) << "at 1.2 GHz";
}

TEST(InstructionCost, ADependentChainOfTinyInstructionsHasTheMeasuredInterval) {
  // One-element Scalar instructions, each on the one before, on trn1: 189 ns measured.
  const Target target = Named("trn1");
  const InstructionCost cost =
      Cost("activation", Engine::kAct, {Shape(kSbuf, kFloat, 1)}, Shape(kSbuf, kFloat, 1), "trn1");
  const Picoseconds interval = cost.time.latency + target.semaphore_latency.value;
  EXPECT_NEAR(static_cast<double>(interval.value), 189e3, 0.02 * 189e3);
}

TEST(InstructionCost, GpsimdPaysItsStartEveryTime) {
  const InstructionCost iota = Cost("iota", Engine::kPool, {}, Shape(kSbuf, kFloat, 512));
  EXPECT_EQ(iota.interval, Cycles(512 + 150));
  EXPECT_EQ(iota.total(), iota.interval);
  EXPECT_EQ(
      Cost("tensor_copy", Engine::kPool, {Shape(kSbuf, kFloat, 512)}, Shape(kSbuf, kFloat, 512))
          .interval,
      Cycles(512 + 150));
}

TEST(InstructionCost, AnUnknownOperationIsPricedByElementsAndSaysSo) {
  const InstructionCost cost = Cost("frobnicate", Engine::kDve, {}, Shape(kSbuf, kFloat, 300));
  EXPECT_EQ(cost.interval, Cycles(300));
  EXPECT_FALSE(cost.known);
  EXPECT_EQ(cost.row->confidence, Confidence::kAssumed);
  EXPECT_TRUE(Cost("memset", Engine::kDve, {}, Shape(kSbuf, kFloat, 300)).known);
}

TEST(InstructionCost, EveryRowCanApplyAndHasASource) {
  // A row behind one that always applies to the same operation and engine would never be reached.
  std::set<std::pair<std::string_view, int>> closed;
  for (const InstructionCostRow& row : InstructionCostRows()) {
    EXPECT_FALSE(row.source.empty()) << row.op;
    EXPECT_FALSE(closed.contains({row.op, -1})) << row.op << " behind its last row";
    const int engine = row.engine ? static_cast<int>(*row.engine) : -1;
    EXPECT_FALSE(closed.contains({row.op, engine})) << row.op;
    if (row.condition == CostCondition::kAlways && row.from_level == 0)
      closed.insert({row.op, engine});
  }
  EXPECT_TRUE(closed.contains({"", -1})) << "the last resort";
}

// isa_costs §3.4: a copy of 128 rows, read off the published curve.
TEST(DmaCost, TheCurveIsWithinFivePerCentOfThePublishedOne) {
  const Target target = Named("trn2");
  const std::pair<std::int64_t, double> kCurve[] = {
      {32, 819},   {64, 818},   {128, 855},   {256, 855},   {512, 855},
      {1024, 841}, {2048, 876}, {4096, 1474}, {8192, 2898}, {32768, 11398}};
  for (const auto& [bytes, nanoseconds] : kCurve) {
    const Picoseconds each = DescriptorTime(target, Bytes(bytes), DescriptorKind::kContiguous);
    const double ours = static_cast<double>((each * DescriptorsPerEngine(target)).value) / 1000;
    EXPECT_NEAR(ours, nanoseconds, 0.05 * nanoseconds) << bytes << " bytes";
  }
}

TEST(DmaCost, AnEngineIsFreeForOtherQueuesBeforeAShortDescriptorsQueueIs) {
  const Target target = Named("trn2");
  const auto kind = DescriptorKind::kContiguous;
  EXPECT_EQ(DescriptorTime(target, Bytes(256), kind), Picoseconds(105'000));
  EXPECT_EQ(DescriptorEngineTime(target, Bytes(256), kind), Picoseconds(75'000));
  EXPECT_EQ(DescriptorTime(target, Bytes(8192), kind),
            DescriptorEngineTime(target, Bytes(8192), kind));
}

TEST(DmaCost, StridedAndTransposedDescriptorsCostMore) {
  const Target target = Named("trn2");
  const auto time = [&](DescriptorKind kind) { return DescriptorTime(target, Bytes(16384), kind); };
  EXPECT_GT(time(DescriptorKind::kTransposeFromDram), time(DescriptorKind::kContiguous));
  EXPECT_GT(time(DescriptorKind::kStrided), time(DescriptorKind::kTransposeFromDram));
  EXPECT_GT(time(DescriptorKind::kTransposeOnChip), time(DescriptorKind::kStrided));
}

TEST(DmaCost, ALargeDescriptorDoesNotOverflow) {
  const Picoseconds time =
      DescriptorTime(Named("trn2"), Bytes(std::int64_t{1} << 36), DescriptorKind::kStrided);
  EXPECT_GT(time, Picoseconds(4'000'000'000'000));
}

TEST(EngineClock, EveryEngineHasItsOwn) {
  const Target target = Named("trn2");
  EXPECT_EQ(HertzOf(target, Engine::kPe), 2'400'000'000);
  EXPECT_EQ(HertzOf(target, Engine::kDve), 960'000'000);
  EXPECT_EQ(HertzOf(target, Engine::kDma), target.reference_hertz.value);
}

}  // namespace
}  // namespace spillway
