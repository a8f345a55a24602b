// The measured oracle against the machine that it measures.
#include "model/hw/systemc/measured_hwm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/hw/reference_latency.h"
#include "model/hw/systemc/probe_machine.h"
#include "model/hw/timing/calibrated_hwm.h"
#include "model/hw/timing/dma_transfer.h"
#include "model/hw/timing/priced_operations.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;

constexpr auto kFloat = DType::kFloat32;

Target Named(const char* name) { return FindTarget(name).value(); }

// Without a file: what these tests see was measured by themselves.
std::unique_ptr<Hwm> Measure(const Target& target) { return MakeMeasuredHwm(target, "").value(); }

OperandShape Tile(std::int64_t elements, DType dtype = kFloat, Space space = Space::kSbuf) {
  return {.name = "data", .space = space, .dtype = dtype, .partitions = 128, .elements = elements};
}

// Draws that are the same on every machine.
class Draws {
 public:
  std::int64_t Below(std::int64_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(bound));
  }
  bool Coin() { return Below(2) == 0; }
  // As many small sizes as large ones.
  std::int64_t Size(std::int64_t last) {
    const std::int64_t octave = std::int64_t{2} << Below(17);
    return 1 + Below(std::min(octave, last));
  }

 private:
  std::uint64_t state_ = 20261129;
};

OperandShape DrawnOperand(Draws& draws, std::string_view name, std::int64_t last) {
  OperandShape operand = Tile(draws.Size(last), draws.Coin() ? kFloat : DType::kBfloat16,
                              draws.Coin() ? Space::kSbuf : Space::kPsum);
  operand.name = name;
  operand.partitions = 1 + draws.Below(128);
  operand.contiguous = draws.Coin();
  operand.wide_stride = draws.Below(4) == 0;
  return operand;
}

InstructionShape DrawnShape(Draws& draws, const PricedOperation& operation) {
  InstructionShape shape{
      .op = operation.op, .engine = operation.engine, .inputs = {}, .outputs = {}};
  if (operation.engine == Engine::kPe && operation.op != "nc_transpose") {
    shape.inputs = {DrawnOperand(draws, "stationary", 128), DrawnOperand(draws, "moving", 512)};
  } else {
    const std::int64_t last = operation.engine == Engine::kPe ? 128 : 65536;
    for (std::int64_t i = draws.Below(3); i >= 0; --i)
      shape.inputs.push_back(DrawnOperand(draws, "data", last));
  }
  shape.outputs = {DrawnOperand(draws, "dst", shape.inputs.back().elements)};
  shape.writes_zero = draws.Coin();
  return shape;
}

void ExpectWithinTwoPerCent(Cycles answered, Cycles probed, const std::string& what) {
  const auto truth = static_cast<double>(probed.value);
  EXPECT_NEAR(static_cast<double>(answered.value), truth, std::max(1.0, 0.02 * truth)) << what;
}

class OnEachTarget : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Targets, OnEachTarget, testing::Values("inf1", "trn1", "trn2", "trn3"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(OnEachTarget, AnInstructionIsWithinTwoPerCentOfItsOwnProbe) {
  const Target target = Named(GetParam());
  const auto hwm = Measure(target);
  Draws draws;
  for (const PricedOperation& operation : PricedOperations(target)) {
    for (int i = 0; i < 60; ++i) {
      const InstructionShape shape = DrawnShape(draws, operation);
      const auto answered = hwm->Latency(shape);
      ASSERT_TRUE(answered) << answered.error().ToString();
      const Cycles probed =
          ReferenceCycles(ProbeInstruction(shape, target).total(), target.reference_hertz);
      ExpectWithinTwoPerCent(
          answered->total(), probed,
          std::string(operation.op) + " on " + std::string(EngineName(operation.engine)));
    }
  }
}

TEST_P(OnEachTarget, ATransferIsWithinTwoPerCentOfItsOwnProbe) {
  const Target target = Named(GetParam());
  const auto hwm = Measure(target);
  Draws draws;
  for (int i = 0; i < 400; ++i) {
    OperandShape tile = Tile(draws.Size(65536), DType::kUint8);
    tile.partitions = 1 + draws.Below(128);
    OperandShape other = Tile(tile.elements * tile.partitions, DType::kUint8,
                              draws.Coin() ? Space::kDram : Space::kSbuf);
    other.contiguous = draws.Coin();
    const InstructionShape shape{.op = draws.Coin() ? "dma_copy" : "dma_transpose",
                                 .engine = Engine::kDma,
                                 .inputs = {other},
                                 .outputs = {tile}};
    const DmaShape dma = DmaShapeOf(shape);
    const Cycles probed = ReferenceCycles(
        ProbeDma(dma.rows, dma.row_bytes(), KindOf(dma), target).total(), target.reference_hertz);
    ExpectWithinTwoPerCent(hwm->Latency(shape)->total(), probed, std::string(shape.op));
  }
}

// Between DRAM tensors a transfer is packets, more than there are partitions.
TEST_P(OnEachTarget, ALongTransferIsWithinTwoPerCentOfItsOwnProbe) {
  const Target target = Named(GetParam());
  const auto hwm = Measure(target);
  for (const std::int64_t bytes : {100'000, 530'000, 1'000'003, 20'000'000}) {
    const OperandShape flat{.space = Space::kDram, .dtype = DType::kUint8, .elements = bytes};
    const InstructionShape shape{
        .op = "dma_copy", .engine = Engine::kDma, .inputs = {flat}, .outputs = {flat}};
    const DmaRows rows = RowsOf(DmaShapeOf(shape), target);
    const Cycles probed = ReferenceCycles(
        ProbeDma(rows.count, rows.bytes, DescriptorKind::kContiguous, target).total(),
        target.reference_hertz);
    ExpectWithinTwoPerCent(hwm->Latency(shape)->total(), probed, std::to_string(bytes));
  }
}

TEST_P(OnEachTarget, AnAccessIsWithinTwoPerCentOfItsOwnProbe) {
  const Target target = Named(GetParam());
  const auto hwm = Measure(target);
  Draws draws;
  for (int i = 0; i < 300; ++i) {
    const Bytes bytes(draws.Size(131072));
    const PartitionCount partitions(1 + draws.Below(128));
    for (const Space space : {Space::kSbuf, Space::kPsum}) {
      ExpectWithinTwoPerCent(
          hwm->Latency(space, {partitions, bytes}),
          ReferenceCycles(ProbeAccess(space, bytes, target).total(), target.reference_hertz),
          std::string(SpaceName(space)));
    }
    ExpectWithinTwoPerCent(
        hwm->Latency(Space::kDram, {partitions, bytes}),
        ReferenceCycles(
            ProbeDma(partitions.value, bytes, DescriptorKind::kContiguous, target).total(),
            target.reference_hertz),
        "dram");
  }
}

TEST_P(OnEachTarget, DramCostsMoreThanSbufAndMoreBytesNeverCostLess) {
  const Target target = Named(GetParam());
  const auto hwm = Measure(target);
  Cycles last_sbuf(0);
  Cycles last_dram(0);
  for (std::int64_t bytes = 0; bytes <= 100'000; bytes = bytes * 9 / 8 + 1) {
    const AccessShape shape{PartitionCount(128), Bytes(bytes)};
    const Cycles sbuf = hwm->Latency(Space::kSbuf, shape);
    const Cycles dram = hwm->Latency(Space::kDram, shape);
    EXPECT_GT(sbuf, Cycles(0));
    EXPECT_GT(dram, sbuf) << bytes;
    EXPECT_GE(dram, last_dram) << bytes;
    EXPECT_GE(sbuf, last_sbuf) << bytes;
    last_sbuf = sbuf;
    last_dram = dram;
  }
  EXPECT_GT(hwm->Latency(Space::kDram, {PartitionCount(0), Bytes(0)}), Cycles(0));
}

TEST(MeasuredHwm, ADependentElsewhereSeesTheSemaphoreAndTheNextAccessDoesNot) {
  const Target target = Named("trn2");
  const auto measured = Measure(target);
  const auto calibrated = MakeCalibratedHwm(target);
  const Cycles hop = ReferenceCycles(target.semaphore_latency.value, target.reference_hertz);
  const InstructionShape copy{
      .op = "tensor_copy", .engine = Engine::kDve, .inputs = {Tile(512)}, .outputs = {Tile(512)}};
  EXPECT_EQ(measured->Latency(copy)->total(), calibrated->Latency(copy)->total() + hop);
  const AccessShape tile{PartitionCount(128), Bytes(2048)};
  EXPECT_EQ(measured->Latency(Space::kSbuf, tile), calibrated->Latency(copy)->total());
  EXPECT_EQ(measured->Latency(Space::kDram, tile), calibrated->Latency(Space::kDram, tile) + hop);
}

// isa_costs §3.3: 645 to 660 cycles for an isolated copy of 128 x 512 from PSUM, on trn2.
TEST(MeasuredHwm, AnAccessToPsumIsNearThePublishedIsolatedCopy) {
  const auto hwm = Measure(Named("trn2"));
  const AccessShape tile{PartitionCount(128), Bytes(2048)};
  EXPECT_NEAR(static_cast<double>(hwm->Latency(Space::kPsum, tile).value), 652, 0.05 * 652);
}

// isa_costs §3.3: 217.4 ns for a product of 128 x 128 x 512 in bfloat16, in a steady stream.
TEST(MeasuredHwm, AProductIsThatOfAnArrayAtItsFullRate) {
  const Target target = Named("trn2");
  OperandShape stationary = Tile(128, DType::kBfloat16);
  stationary.name = "stationary";
  OperandShape moving = Tile(512, DType::kBfloat16);
  moving.name = "moving";
  const auto latency = Measure(target)->Latency({.op = "nc_matmul",
                                                 .engine = Engine::kPe,
                                                 .inputs = {stationary, moving},
                                                 .outputs = {Tile(512, kFloat, Space::kPsum)}});
  ASSERT_TRUE(latency);
  EXPECT_NEAR(static_cast<double>(latency->exec.value), 217.4 * 0.96, 0.02 * 217.4 * 0.96);
}

TEST(MeasuredHwm, AnOperationThatTheMachineIsNotGivenIsAnErrorThatNamesIt) {
  const auto hwm = Measure(Named("trn2"));
  EXPECT_EQ(hwm->Name(), "measured trn2");
  for (const auto& [op, engine] : {std::pair{"frobnicate", Engine::kDve},
                                   {"frobnicate", Engine::kDma},
                                   {"nc_matmul", Engine::kAct},
                                   {"tensor_copy", Engine::kSp}}) {
    const auto latency =
        hwm->Latency({.op = op, .engine = engine, .inputs = {Tile(64)}, .outputs = {Tile(64)}});
    ASSERT_FALSE(latency) << op;
    EXPECT_EQ(latency.error().code, "unpriced-opcode");
    EXPECT_THAT(latency.error().message, HasSubstr(op));
    EXPECT_THAT(latency.error().message, HasSubstr(std::string(EngineName(engine))));
  }
}

TEST(MeasuredHwm, HardwareDescriptorsNeedAGenerationThatMakesThem) {
  InstructionShape load{.op = "dma_copy",
                        .engine = Engine::kDma,
                        .inputs = {Tile(64, kFloat, Space::kDram)},
                        .outputs = {Tile(64)}};
  load.descriptors = DescriptorGeneration::kHardware;
  EXPECT_TRUE(Measure(Named("trn3"))->Latency(load));
  EXPECT_EQ(Measure(Named("inf1"))->Latency(load).error().code, "no-descriptor-generator");
  EXPECT_EQ(Measure(Named("trn1"))->Latency(load).error().code, "no-descriptor-generator");
}

TEST(MeasuredHwm, ATargetLargerThanTheMachineIsAnErrorOfTheUser) {
  Target target = Named("trn2");
  target.dma_engines.value = 32;
  const auto hwm = MakeMeasuredHwm(target, "");
  ASSERT_FALSE(hwm);
  EXPECT_EQ(hwm.error().code, "target-exceeds-machine");
  EXPECT_THAT(hwm.error().message, HasSubstr("32"));
}

TEST(MeasuredHwm, ATargetWithFewEnginesIsStillWithinTwoPerCent) {
  Target target = Named("trn2");
  target.dma_engines.value = 5;
  const auto hwm = Measure(target);
  for (std::int64_t rows = 1; rows <= 128; ++rows) {
    ExpectWithinTwoPerCent(
        hwm->Latency(Space::kDram, {PartitionCount(rows), Bytes(3000)}),
        ReferenceCycles(ProbeDma(rows, Bytes(3000), DescriptorKind::kContiguous, target).total(),
                        target.reference_hertz),
        std::to_string(rows));
  }
}

}  // namespace
}  // namespace spillway
