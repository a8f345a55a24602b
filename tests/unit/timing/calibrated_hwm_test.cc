#include "model/hw/timing/calibrated_hwm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/hw/clock.h"
#include "model/hw/timing/priced_operations.h"

namespace spillway {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kFloat = DType::kFloat32;

Target Named(const char* name) { return FindTarget(name).value(); }

OperandShape Tile(std::int64_t elements, DType dtype = kFloat, Space space = Space::kSbuf) {
  return {.space = space, .dtype = dtype, .partitions = 128, .elements = elements};
}

InstructionShape Shape(std::string_view op, Engine engine, std::int64_t elements,
                       DType dtype = kFloat) {
  return {.op = op,
          .engine = engine,
          .inputs = {Tile(elements, dtype)},
          .outputs = {Tile(elements, dtype)}};
}

Cycles Nanoseconds(const Target& target, std::int64_t nanoseconds) {
  return CyclesIn(Picoseconds(1000) * nanoseconds, target.reference_hertz);
}

// isa_costs §7.2: about 1300 + 877 ns for the round trip, (60 + 512) / 0.96 ns for the read.
TEST(CalibratedHwm, ATileOfTwoKibibytesIsNearItsPublishedEstimate) {
  const Target trn2 = Named("trn2");
  const auto hwm = MakeCalibratedHwm(trn2);
  const AccessShape tile{PartitionCount(128), Bytes(2048)};
  const Cycles dram = hwm->Latency(Space::kDram, tile);
  EXPECT_GT(dram, Nanoseconds(trn2, 1300 + 835));
  EXPECT_LT(dram, Nanoseconds(trn2, 1300 + 920));
  EXPECT_EQ(hwm->Latency(Space::kSbuf, tile), Cycles(60 + 512)) << "of Vector, the reference";
  EXPECT_EQ(hwm->Latency(Space::kPsum, tile), Cycles(60 + 512));
  EXPECT_EQ(hwm->Latency(Space::kSbuf, {PartitionCount(1), Bytes(4)}), Cycles(60 + 64));
}

// nki-dma-overview: 4 rows of 8 KiB on one engine take 1416 ns, and start 1300 ns after.
TEST(CalibratedHwm, AnEngineMovesFourRowsOfEightKibibytesAsMeasured) {
  const Target trn2 = Named("trn2");
  const double cycles = static_cast<double>(
      MakeCalibratedHwm(trn2)->Latency(Space::kDram, {PartitionCount(4), Bytes(8192)}).value);
  EXPECT_NEAR(cycles, (1300 + 1416) * 0.96, 0.02 * (1300 + 1416) * 0.96);
}

TEST(CalibratedHwm, AnInstructionIsItsRowInPhases) {
  const auto latency =
      MakeCalibratedHwm(Named("trn2"))->Latency(Shape("tensor_copy", Engine::kDve, 512));
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->read_init, Cycles(60));
  EXPECT_EQ(latency->exec, Cycles(512));
  EXPECT_EQ(latency->write_drain, Cycles(100));
}

TEST(CalibratedHwm, ATransposedDmaCostsMoreThanACopy) {
  const auto hwm = MakeCalibratedHwm(Named("trn2"));
  const auto dma = [&](std::string_view op, bool contiguous) {
    InstructionShape shape = Shape(op, Engine::kDma, 4096);
    shape.inputs[0].space = Space::kDram;
    shape.inputs[0].contiguous = contiguous;
    return hwm->Latency(shape)->total();
  };
  EXPECT_LT(dma("dma_copy", true), dma("dma_transpose", true));
  EXPECT_LT(dma("dma_transpose", true), dma("dma_copy", false));
}

TEST(CalibratedHwm, AnOperationThatTheCostTableDoesNotNameIsAnError) {
  const auto hwm = MakeCalibratedHwm(Named("trn2"));
  for (const auto& [op, engine] : {std::pair{"frobnicate", Engine::kDve},
                                   {"frobnicate", Engine::kDma},
                                   {"", Engine::kPool},
                                   {"nc_matmul", Engine::kDve},
                                   {"tensor_copy", Engine::kSp},
                                   {"tensor_copy", Engine::kDma}}) {
    const auto latency = hwm->Latency(Shape(op, engine, 512));
    ASSERT_FALSE(latency) << op;
    EXPECT_EQ(latency.error().code, "unpriced-opcode");
    EXPECT_THAT(latency.error().message, HasSubstr(op));
  }
}

TEST(CalibratedHwm, HardwareDescriptorsNeedAGenerationThatMakesThem) {
  InstructionShape shape = Shape("dma_copy", Engine::kDma, 512);
  shape.descriptors = DescriptorGeneration::kHardware;
  EXPECT_TRUE(MakeCalibratedHwm(Named("trn2"))->Latency(shape));
  EXPECT_EQ(MakeCalibratedHwm(Named("trn1"))->Latency(shape).error().code,
            "no-descriptor-generator");
}

TEST(CalibratedHwm, EveryPricedOperationHasAPriceThatGrowsWithItsElements) {
  for (const Target& target : BuiltInTargets()) {
    const auto hwm = MakeCalibratedHwm(target);
    for (const PricedOperation& operation : PricedOperations(target)) {
      Cycles last(0);
      for (std::int64_t n = 1; n <= 65536; n = n * 5 / 4 + 1) {
        const auto latency = hwm->Latency(Shape(operation.op, operation.engine, n));
        ASSERT_TRUE(latency) << operation.op << " on " << EngineName(operation.engine);
        ASSERT_GE(latency->total(), last) << operation.op << " " << n;
        last = latency->total();
      }
      EXPECT_GT(last, Cycles(0)) << operation.op;
    }
  }
}

TEST(PricedOperations, FollowTheTableAndTheGeneration) {
  const auto trn1 = PricedOperations(Named("trn1"));
  const auto trn2 = PricedOperations(Named("trn2"));
  EXPECT_THAT(trn2, Contains(PricedOperation{"topk", Engine::kPool}));
  EXPECT_THAT(trn1, Not(Contains(PricedOperation{"topk", Engine::kPool})));
  EXPECT_THAT(trn2, Contains(PricedOperation{"nc_transpose", Engine::kPe}));
  EXPECT_THAT(trn2, Not(Contains(PricedOperation{"activation", Engine::kPe})));
}

TEST(CalibratedHwm, DramCostsMoreThanSbufAtEverySizeAndNothingIsFree) {
  for (const Target& target : BuiltInTargets()) {
    const auto hwm = MakeCalibratedHwm(target);
    Cycles last(0);
    for (const std::int64_t bytes : {0, 1, 64, 2048, 65536}) {
      const AccessShape shape{PartitionCount(128), Bytes(bytes)};
      EXPECT_GT(hwm->Latency(Space::kSbuf, shape), Cycles(0));
      EXPECT_GE(hwm->Latency(Space::kDram, shape), last);
      last = hwm->Latency(Space::kDram, shape);
      EXPECT_GT(last, hwm->Latency(Space::kSbuf, shape)) << target.name << " " << bytes;
    }
  }
}

}  // namespace
}  // namespace spillway
