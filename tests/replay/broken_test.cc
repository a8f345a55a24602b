// Captured kernels with a save or a reload less: the data-flow judge beside the machine.
#include "properties/planted_breakage.h"
#include "tests/replay/whole_run.h"
#include "traces/kernel_reader.h"

namespace spillway {
namespace {

struct BrokenCase {
  std::string kernel;
  std::int64_t capacity = 0;
};

class CapturedBroken : public testing::TestWithParam<BrokenCase> {};

bool ComputesItsData(const Kernel& kernel, const PlantedBreakage& broken, const Target& target) {
  const Result<Inputs> inputs = GenerateInputs(kernel, 1);
  const Result<InterpreterReport> reference = Interpret(kernel, ValueMode::kTags, *inputs);
  const Result<SimReport> simulation =
      Execute(broken.kernel, broken.placement, target, ValueMode::kTags, *inputs);
  return reference && simulation &&
         CompareData(kernel, simulation->outputs, reference->dram).violations.empty();
}

// A place may still hold what a dropped reload would have brought: then the data is right.
TEST_P(CapturedBroken, WithoutACopyIsFoundUnlessItsDataIsRight) {
  constexpr std::uint32_t kCases = 40;
  const auto& [name, capacity] = GetParam();
  const Result<Kernel> kernel =
      ReadKernelFile(SPILLWAY_SOURCE_DIR "/traces/captured/" + name + ".kernel.jsonl.zst");
  ASSERT_TRUE(kernel);
  const Target target = *FindTarget(kernel->target);
  AllocateOptions options;
  options.reallocate = true;
  options.sbuf_bytes = Bytes(capacity);
  const Result<Allocation> allocation =
      Allocate(*kernel, target, *MakeClosedFormHwm(target), options);
  ASSERT_TRUE(allocation);
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < kCases; ++i) {
    const auto broken =
        PlantBreakage(allocation->kernel, allocation->placement, Breakage::kDropCopy, i * 7,
                      Bytes(capacity), target.sbuf_granule);
    ASSERT_TRUE(broken);
    const CheckResult result =
        CheckDataflow(*kernel, Linearize(broken->kernel), broken->placement, target);
    if (!result.violations.empty()) {
      ++found;
    } else {
      EXPECT_TRUE(ComputesItsData(*kernel, *broken, target)) << "missed: " << broken->what;
    }
  }
  EXPECT_GE(found, kCases / 2);
}

INSTANTIATE_TEST_SUITE_P(Kernels, CapturedBroken,
                         testing::Values(BrokenCase{"attention_cte_2k", 20480},
                                         BrokenCase{"output_projection_cte", 32768},
                                         BrokenCase{"conv1d", 5120}),
                         [](const auto& broken) { return broken.param.kernel; });

}  // namespace
}  // namespace spillway
