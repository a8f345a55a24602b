// The colourer on real kernels, at fewer and fewer banks.
#include <gtest/gtest.h>

#include "model/alloc/check/placement_checker.h"
#include "model/alloc/psum/allocate_psum.h"
#include "traces/kernel_reader.h"

namespace spillway {
namespace {

struct Case {
  std::string kernel;
  std::int64_t banks;
  bool fits;
};
class CapturedPsum : public testing::TestWithParam<Case> {};

TEST_P(CapturedPsum, IsPlacedLegallyOrRefusedWithTheReason) {
  const std::string path = std::string(SPILLWAY_SOURCE_DIR) + "/traces/captured/" +
                           GetParam().kernel + ".kernel.jsonl.zst";
  const Result<Kernel> kernel = ReadKernelFile(path);
  ASSERT_TRUE(kernel) << kernel.error().ToString();
  const Target target = FindTarget("trn2").value();
  const BankCount banks(GetParam().banks);
  const auto allocation = AllocatePsum(*kernel, target, *MakeClosedFormHwm(target),
                                       {.banks = banks, .reallocate = true});
  ASSERT_EQ(allocation.has_value(), GetParam().fits);
  if (!allocation) {
    EXPECT_EQ(allocation.error().code, "psum-capacity");
    return;
  }
  EXPECT_LE(allocation->stats.peak_banks, banks);
  const LinearKernel linear = Linearize(allocation->kernel);
  for (const CheckResult& result : CheckPlacement(linear, allocation->placement, target,
                                                  {.sbuf_bytes = {}, .psum_banks = banks})) {
    for (const Violation& violation : result.violations) {
      if (violation.space == Space::kPsum) ADD_FAILURE() << violation.text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, CapturedPsum,
    testing::Values(Case{"attention_cte_8k", 8, true}, Case{"attention_cte_8k", 1, true},
                    Case{"attention_bwd_2k", 8, true}, Case{"attention_bwd_2k", 2, true},
                    Case{"conv1d", 2, true}, Case{"conv1d", 1, false}, Case{"qkv_cte", 8, true},
                    Case{"qkv_cte", 4, true}, Case{"qkv_cte", 2, false},
                    Case{"rmsnorm_quant", 2, true}, Case{"output_projection_cte", 2, true}));

}  // namespace
}  // namespace spillway
