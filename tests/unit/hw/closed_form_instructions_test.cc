// Each formula of the compiler's oracle against numbers worked out by hand from
// hwm_and_geometry §2, in its model cycles of one nanosecond.
#include <gtest/gtest.h>

#include <set>

#include "model/hw/clock.h"
#include "model/hw/closed_form_rules.h"
#include "model/hw/hwm.h"

namespace spillway {
namespace {

constexpr auto kFloat = DType::kFloat32;
constexpr auto kBf16 = DType::kBfloat16;
constexpr auto kByte = DType::kUint8;

OperandShape Tile(std::int64_t partitions, std::int64_t elements, DType dtype,
                  Space space = Space::kSbuf) {
  return {.space = space, .dtype = dtype, .partitions = partitions, .elements = elements};
}

InstructionShape Shape(std::string_view op, Engine engine, std::vector<OperandShape> inputs,
                       OperandShape output) {
  return {.op = op, .engine = engine, .inputs = std::move(inputs), .outputs = {output}};
}

// What the oracle says, and the same number of nanoseconds in cycles of the reference clock.
Cycles Price(const char* target, const InstructionShape& shape) {
  const auto latency = MakeClosedFormHwm(FindTarget(target).value())->Latency(shape);
  return latency ? latency->total() : Cycles(-1);
}
Cycles ModelCycles(const char* target, std::int64_t cycles) {
  return CyclesIn(Picoseconds(1000) * cycles, FindTarget(target)->reference_hertz);
}

InstructionShape Product(std::int64_t contraction, std::int64_t columns) {
  return Shape("nc_matmul", Engine::kPe,
               {Tile(contraction, 128, kBf16), Tile(contraction, columns, kBf16)},
               Tile(128, columns, kFloat, Space::kPsum));
}

// (128 / 2 + 200) * 100 / f
TEST(ClosedFormInstructions, AProductCostsHalfItsContractionRowsAndTwoHundred) {
  EXPECT_EQ(Price("trn1", Product(128, 512)), ModelCycles("trn1", 188));
  EXPECT_EQ(Price("trn2", Product(128, 512)), ModelCycles("trn2", 220));
  EXPECT_EQ(Price("trn3", Product(128, 512)), ModelCycles("trn3", 220));
  EXPECT_EQ(Price("trn2", Product(33, 512)), ModelCycles("trn2", 180)) << "16 pairs of rows";
}

// (100 * 512 + 5000) / f of SP: 112, 96, 120
TEST(ClosedFormInstructions, AMemsetCountsByTheDivisorOfSync) {
  const auto memset = [](Engine engine) {
    return Shape("memset", engine, {}, Tile(128, 512, kFloat));
  };
  EXPECT_EQ(Price("inf1", memset(Engine::kSp)), ModelCycles("inf1", 501));
  EXPECT_EQ(Price("trn1", memset(Engine::kSp)), ModelCycles("trn1", 501));
  EXPECT_EQ(Price("trn2", memset(Engine::kSp)), ModelCycles("trn2", 585));
  EXPECT_EQ(Price("trn3", memset(Engine::kSp)), ModelCycles("trn3", 468));
  EXPECT_EQ(Price("trn2", memset(Engine::kDve)), ModelCycles("trn2", 585));
}

InstructionShape Load(std::int64_t partitions, std::int64_t elements, DType dtype,
                      DescriptorGeneration descriptors = DescriptorGeneration::kNone) {
  InstructionShape shape =
      Shape("dma_copy", Engine::kDma, {Tile(1, partitions * elements, dtype, Space::kDram)},
            Tile(partitions, elements, dtype));
  shape.descriptors = descriptors;
  return shape;
}

// 1300 + ceil(128 / 16) * 2048 / DIV
TEST(ClosedFormInstructions, ADmaMovesSixteenPartitionsInAStep) {
  EXPECT_EQ(Price("trn1", Load(128, 1024, kBf16)), ModelCycles("trn1", 1300 + 963));
  EXPECT_EQ(Price("trn2", Load(128, 1024, kBf16)), ModelCycles("trn2", 1300 + 712));
  EXPECT_EQ(Price("trn3", Load(128, 1024, kBf16)), ModelCycles("trn3", 1300 + 496));
  EXPECT_EQ(Price("trn1", Load(100, 1024, kBf16)), ModelCycles("trn1", 1300 + 843)) << "7 steps";
}

// 1300 + 2048 * 100 / DIV8
TEST(ClosedFormInstructions, ADmaOfSingleBytesCountsEveryPartition) {
  EXPECT_EQ(Price("trn1", Load(100, 2048, kByte)), ModelCycles("trn1", 1300 + 752));
  EXPECT_EQ(Price("trn2", Load(100, 2048, kByte)), ModelCycles("trn2", 1300 + 556));
}

TEST(ClosedFormInstructions, DescriptorsMadeOnTheWayComeOnTop) {
  const auto load = [](DescriptorGeneration descriptors) {
    return Load(128, 1024, kBf16, descriptors);
  };
  using enum DescriptorGeneration;
  EXPECT_EQ(Price("trn1", load(kSoftware)), ModelCycles("trn1", 1300 + 963 + 500));
  EXPECT_EQ(Price("trn2", load(kSoftware)), ModelCycles("trn2", 1300 + 712 + 583));
  EXPECT_EQ(Price("trn2", load(kHardware)), ModelCycles("trn2", 1300 + 712 + 416));
}

TEST(ClosedFormInstructions, HardwareDescriptorsNeedAGenerationThatMakesThem) {
  for (const char* target : {"inf1", "trn1"}) {
    const auto latency = MakeClosedFormHwm(FindTarget(target).value())
                             ->Latency(Load(128, 1024, kBf16, DescriptorGeneration::kHardware));
    ASSERT_FALSE(latency) << target;
    EXPECT_EQ(latency.error().code, "no-descriptor-generator");
    EXPECT_NE(latency.error().message.find("dma_copy"), std::string::npos);
  }
}

// init * 100 / 120 + 512 * 100 / 120, init by the widest match: 16 bits, 32 bits, anything else
TEST(ClosedFormInstructions, AnActivationOfTrn3StartsByItsDataType) {
  const auto activation = [](DType in, DType out) {
    return Shape("activation", Engine::kAct, {Tile(128, 512, in)}, Tile(128, 512, out));
  };
  EXPECT_EQ(Price("trn3", activation(kBf16, kFloat)), ModelCycles("trn3", 185 + 426));
  EXPECT_EQ(Price("trn3", activation(kFloat, kFloat)), ModelCycles("trn3", 143 + 426));
  EXPECT_EQ(Price("trn3", activation(kByte, kByte)), ModelCycles("trn3", 83 + 426));
  EXPECT_EQ(Price("trn2", activation(kFloat, kFloat)), ModelCycles("trn2", 50 + 426));
}

// (N * mult + 60) * 100 / f
TEST(ClosedFormInstructions, WideInputsTakeAPassEach) {
  const auto combine = [](std::size_t inputs, DType dtype) {
    return Shape("select_reduce", Engine::kDve,
                 std::vector<OperandShape>(inputs, Tile(128, 512, dtype)), Tile(128, 512, dtype));
  };
  EXPECT_EQ(Price("trn1", combine(1, kFloat)), ModelCycles("trn1", 408));
  EXPECT_EQ(Price("trn2", combine(1, kFloat)), ModelCycles("trn2", 476));
  EXPECT_EQ(Price("trn2", combine(2, kFloat)), ModelCycles("trn2", 903));
  EXPECT_EQ(Price("trn2", combine(3, kFloat)), ModelCycles("trn2", 1330));
  EXPECT_EQ(Price("trn2", combine(4, kFloat)), ModelCycles("trn2", 1330));
  EXPECT_EQ(Price("trn2", combine(2, kBf16)), ModelCycles("trn2", 476));
}

TEST(ClosedFormInstructions, TheStartIsReadInitAndNothingDrains) {
  const auto hwm = MakeClosedFormHwm(FindTarget("trn2").value());
  const auto latency = hwm->Latency(
      Shape("tensor_copy", Engine::kDve, {Tile(128, 512, kFloat)}, Tile(128, 512, kFloat)));
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->read_init, ModelCycles("trn2", 476 - 426));
  EXPECT_EQ(latency->write_drain, Cycles(0));
  EXPECT_EQ(latency->total(), ModelCycles("trn2", 476));
}

TEST(ClosedFormInstructions, AnOperationWithoutARuleIsAnErrorThatNamesIt) {
  const auto hwm = MakeClosedFormHwm(FindTarget("trn2").value());
  for (const auto& [op, engine] : {std::pair{"frobnicate", Engine::kDve},
                                   {"topk", Engine::kPool},
                                   {"loop", Engine::kSp},
                                   {"nc_matmul", Engine::kDve},
                                   {"tensor_copy", Engine::kPe},
                                   {"dma_copy", Engine::kAct}}) {
    const auto latency = hwm->Latency(Shape(op, engine, {}, Tile(128, 512, kFloat)));
    ASSERT_FALSE(latency) << op;
    EXPECT_EQ(latency.error().kind, Kind::kUnknownName);
    EXPECT_EQ(latency.error().code, "unpriced-opcode");
    EXPECT_NE(latency.error().message.find(op), std::string::npos);
    EXPECT_NE(latency.error().message.find(EngineName(engine)), std::string::npos);
  }
}

TEST(ClosedFormInstructions, NoInstructionIsFreeAndMoreElementsNeverCostLess) {
  for (const Target& target : BuiltInTargets()) {
    const auto hwm = MakeClosedFormHwm(target);
    for (const ClosedFormRule& rule : ClosedFormRules()) {
      if (rule.from_level > target.architecture_level) continue;
      Cycles last(0);
      for (std::int64_t n = 1; n <= 65536; n = n * 5 / 4 + 1) {
        const auto latency = hwm->Latency(Shape(rule.op, rule.engine.value_or(Engine::kDve),
                                                {Tile(128, n, kFloat)}, Tile(128, n, kFloat)));
        ASSERT_TRUE(latency) << rule.op;
        ASSERT_GT(latency->total(), Cycles(0)) << rule.op;
        ASSERT_GE(latency->total(), last) << target.name << " " << rule.op << " " << n;
        last = latency->total();
      }
    }
  }
}

TEST(ClosedFormInstructions, EveryRuleHasASourceAndIsReached) {
  std::set<std::pair<std::string_view, int>> seen;
  for (const ClosedFormRule& rule : ClosedFormRules()) {
    EXPECT_FALSE(rule.source.empty()) << rule.op;
    EXPECT_FALSE(FormulaText(rule.formula).empty()) << rule.op;
    const int engine = rule.engine ? static_cast<int>(*rule.engine) : -1;
    EXPECT_TRUE(seen.insert({rule.op, engine}).second) << rule.op << " twice";
  }
}

}  // namespace
}  // namespace spillway
