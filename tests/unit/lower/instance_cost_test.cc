#include "sim/lower/instance_cost.h"

#include <gtest/gtest.h>

#include "tests/unit/lower/kernels.h"

namespace spillway {
namespace {

DescriptorGeneration DescriptorsOf(const char* mode) {
  Instruction load;
  load.op = "dma_copy";
  load.attrs.push_back({"dge_mode", std::string(mode)});
  return ShapeOf(Kernel{}, load, Trn2()).descriptors;
}

TEST(InstanceCost, WhoMakesTheDescriptorsOfADmaIsInItsMode) {
  using enum DescriptorGeneration;
  EXPECT_EQ(DescriptorsOf(""), kNone);
  EXPECT_EQ(DescriptorsOf("dge_mode.swdge"), kSoftware);
  EXPECT_EQ(DescriptorsOf("hwdge"), kHardware);
  EXPECT_EQ(DescriptorsOf("dge_mode.unknown"), kNone);
}

constexpr const char* kTensors =
    R"({"tensor":"x","space":"dram","dtype":"float32","shape":[128,8192],"role":"input"}
{"tensor":"wide","space":"sbuf","dtype":"float32","shape":[128,8192],"at":[0,0]}
{"tensor":"narrow","space":"sbuf","dtype":"bfloat16","shape":[128,8192],"at":[0,32768]}
)";

Transfer OnlyTransfer(const std::string& instruction) {
  const Kernel kernel = KernelOf(kTensors + instruction);
  return TransferOf(kernel, kernel.instructions[InstructionId(0)], Trn2());
}

TEST(InstanceCost, ACopyThatChangesTheTypeMovesTheBytesOfTheWiderSide) {
  const Transfer load = OnlyTransfer(
      R"({"op":"dma_copy","engine":"dma","out":{"dst":{"t":"narrow","p":[0,128],"f":[0,[[1,8192]]]}},)"
      R"("in":{"src":{"t":"x","f":[0,[[8192,128],[1,8192]]]}}})");
  EXPECT_EQ(load.descriptors, 128);
  EXPECT_EQ(load.descriptor_bytes, Bytes(4 * 8192));
}

TEST(InstanceCost, RowsOfSeveralRunsAreStrided) {
  const auto load = [](const char* pattern) {
    return OnlyTransfer(
        std::string(
            R"({"op":"dma_copy","engine":"dma","out":{"dst":{"t":"wide","p":[0,128],"f":[0,)") +
        pattern + R"(]}},"in":{"src":{"t":"x","f":[0,[[8192,128],[1,4096]]]}}})");
  };
  const Transfer one_run = load("[[1,4096]]");
  const Transfer two_runs = load("[[4096,2],[1,2048]]");
  EXPECT_EQ(one_run.descriptor_bytes, two_runs.descriptor_bytes);
  EXPECT_GT(two_runs.descriptor_latency, one_run.descriptor_latency);
}

TEST(InstanceCost, OnlyHardwareGenerationAsksAGenerator) {
  const auto load = [](const char* attrs) {
    return OnlyTransfer(
        std::string(
            R"({"op":"dma_copy","engine":"dma","out":{"dst":{"t":"wide","p":[0,128],"f":[0,[[1,64]]]}},)") +
        R"("in":{"src":{"t":"x","f":[0,[[8192,128],[1,64]]]}})" + attrs + "}");
  };
  EXPECT_FALSE(load("").generated);
  EXPECT_FALSE(load(R"(,"attr":{"dge_mode":"swdge"})").generated);
  EXPECT_TRUE(load(R"(,"attr":{"dge_mode":"hwdge"})").generated);
}

}  // namespace
}  // namespace spillway
