#include "sim/lower/unroll.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/lower/kernels.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kTensors =
    R"({"tensor":"x","space":"dram","dtype":"float32","shape":[128,64],"role":"input"}
{"tensor":"y","space":"dram","dtype":"float32","shape":[128,64],"role":"output"}
{"tensor":"s","space":"sbuf","dtype":"float32","shape":[128,64],"at":[0,0]}
)";
constexpr std::string_view kStore =
    R"({"op":"dma_copy","out":{"dst":{"t":"y","f":[0,[[64,128],[1,64]]]}},"in":{"src":{"t":"s","p":[0,128],"f":[0,[[1,64]]]}}}
)";
std::string Memset(std::string_view when) {
  return R"({"op":"memset","out":{"dst":{"t":"s","p":[0,128],"f":[{"c":0,"i":1},[[1,1]]]}},"attr":{"value":0.0})" +
         std::string(when) + "}\n";
}

std::vector<std::int64_t> ValuesOfLoop(const InstanceSequence& sequence, std::size_t loop) {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < sequence.size(); ++i) values.push_back(sequence.ValuesOf(i)[loop]);
  return values;
}

TEST(Unroll, LoopsStepFromBeginToEnd) {
  const Kernel kernel = KernelOf(std::string(kTensors) +
                                 R"({"loop":"i","kind":"affine","begin":2,"end":9,"step":3})"
                                 "\n" +
                                 Memset("") +
                                 R"({"end":"i"})"
                                 "\n" +
                                 std::string(kStore));
  const InstanceSequence sequence = Unroll(kernel).value();
  ASSERT_EQ(sequence.size(), 4U);
  EXPECT_THAT(ValuesOfLoop(sequence, 0), ElementsAre(2, 5, 8, 8)) << "the store is outside";
  EXPECT_EQ(sequence.instances[3].instruction, InstructionId(1));
}

TEST(Unroll, AFalsePredicateHasNoInstance) {
  const Kernel kernel = KernelOf(std::string(kTensors) +
                                 R"({"loop":"i","kind":"affine","begin":0,"end":6,"step":1})"
                                 "\n" +
                                 Memset(R"(,"when":[{"expr":{"c":-4,"i":1},"cmp":">=0"}])") +
                                 R"({"end":"i"})"
                                 "\n" +
                                 std::string(kStore));
  EXPECT_THAT(ValuesOfLoop(Unroll(kernel).value(), 0), ElementsAre(4, 5, 5));
}

TEST(Unroll, NestedLoopsRestart) {
  Kernel kernel;
  kernel.loops.push_back({"i", LoopKind::kAffine, 0, 2, 1, {}});
  kernel.loops.push_back({"j", LoopKind::kAffine, 3, 0, -2, LoopId(0)});
  kernel.instructions.push_back({});
  kernel.body = {{BodyKind::kLoopBegin, 0},
                 {BodyKind::kLoopBegin, 1},
                 {BodyKind::kInstruction, 0},
                 {BodyKind::kLoopEnd, 1},
                 {BodyKind::kLoopEnd, 0}};
  const InstanceSequence sequence = Unroll(kernel).value();
  EXPECT_THAT(ValuesOfLoop(sequence, 0), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(ValuesOfLoop(sequence, 1), ElementsAre(3, 1, 3, 1));
}

TEST(Unroll, ALoopWithoutIterationsIsSkipped) {
  Kernel kernel;
  kernel.loops.push_back({"i", LoopKind::kAffine, 5, 5, 1, {}});
  kernel.instructions.push_back({});
  kernel.body = {{BodyKind::kLoopBegin, 0}, {BodyKind::kInstruction, 0}, {BodyKind::kLoopEnd, 0}};
  EXPECT_EQ(Unroll(kernel)->size(), 0U);
}

TEST(Unroll, TooManyInstancesAreAnErrorAndNotAHang) {
  Kernel kernel;
  kernel.name = "endless";
  kernel.loops.push_back({"i", LoopKind::kAffine, 0, std::int64_t{1} << 40, 1, {}});
  kernel.instructions.push_back({});
  kernel.body = {{BodyKind::kLoopBegin, 0}, {BodyKind::kInstruction, 0}, {BodyKind::kLoopEnd, 0}};
  EXPECT_EQ(Unroll(kernel, 1000).error().code, "too-many-instances");
  kernel.instructions[InstructionId(0)].when.push_back({AffineExpr(-1), Comparison::kGreaterEqual});
  EXPECT_EQ(Unroll(kernel, 1000).error().kind, Kind::kLimit)
      << "also where no instance comes of it";
}

}  // namespace
}  // namespace spillway
