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

}  // namespace
}  // namespace spillway
