// Placements that the authors of real kernels chose, all of them legal.
#include <gtest/gtest.h>

#include "model/alloc/check/placement_checker.h"
#include "traces/kernel_reader.h"

namespace spillway {
namespace {

class HandPlaced : public testing::TestWithParam<std::string> {};

Kernel Captured(const std::string& name) {
  const std::string stem =
      std::string(SPILLWAY_SOURCE_DIR) + "/traces/captured/" + name + ".kernel.jsonl";
  Result<Kernel> kernel = ReadKernelFile(stem);
  if (!kernel) kernel = ReadKernelFile(stem + ".zst");
  EXPECT_TRUE(kernel) << kernel.error().ToString();
  return kernel ? std::move(*kernel) : Kernel();
}

TEST_P(HandPlaced, HasNoViolation) {
  const LinearKernel linear = Linearize(Captured(GetParam()));
  const Placement placement = FixedPlacement(linear.kernel);
  for (const CheckResult& result :
       CheckPlacement(linear, placement, FindTarget("trn2").value(), {})) {
    EXPECT_TRUE(result.violations.empty()) << result.name << ": " << result.violations.size()
                                           << ", first: " << result.violations.front().text;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, HandPlaced,
                         testing::Values("attention_cte_2k", "attention_cte_8k", "conv1d",
                                         "qkv_cte"));

TEST(HandPlaced, EveryTileOfTheLongAttentionIsLookedAt) {
  const LinearKernel linear = Linearize(Captured("attention_cte_8k"));
  const Placement placement = FixedPlacement(linear.kernel);
  const std::vector<CheckResult> results =
      CheckPlacement(linear, placement, FindTarget("trn2").value(), {});
  EXPECT_EQ(results.at(4).name, "overlap");
  EXPECT_EQ(results.at(4).checked, 5660);
}

// Moving one tile onto a neighbour must be seen, wherever it is.
TEST(HandPlaced, ATileMovedOntoOneThatIsAliveIsFound) {
  const LinearKernel linear = Linearize(Captured("attention_cte_2k"));
  int found = 0;
  int moved = 0;
  const Placement original = FixedPlacement(linear.kernel);
  for (std::size_t i = 0; i < linear.kernel.tensors.size(); i += 29) {
    const Tensor& tensor = linear.kernel.tensors[TensorId(i)];
    if (tensor.space != Space::kSbuf || linear.accesses_of[TensorId(i)].empty()) continue;
    // Read in one instruction, so both are alive there.
    const PointId point = linear.accesses_of[TensorId(i)].front().point;
    for (const Access& access : linear.accesses[point]) {
      if (access.tensor == TensorId(i) ||
          linear.kernel.tensors[access.tensor].space != Space::kSbuf)
        continue;
      Placement placement = original;
      placement.addresses[TensorId(i)] = original.addresses[access.tensor];
      ++moved;
      found +=
          CheckPlacement(linear, placement, FindTarget("trn2").value(), {}).at(4).violations.empty()
              ? 0
              : 1;
      break;
    }
  }
  EXPECT_GT(moved, 3);
  EXPECT_EQ(found, moved);
}

}  // namespace
}  // namespace spillway
