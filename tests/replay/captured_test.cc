// Every captured kernel through the whole pipeline with tags: as captured, reallocated, and at
// capacities at which it must spill.
#include <algorithm>
#include <filesystem>

#include "tests/replay/whole_run.h"
#include "traces/kernel_reader.h"

namespace spillway {
namespace {

std::vector<std::string> CapturedKernels() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(SPILLWAY_SOURCE_DIR "/traces/captured")) {
    const std::string file = entry.path().filename();
    if (file.ends_with(".kernel.jsonl.zst")) names.push_back(file.substr(0, file.find('.')));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Kernel ReadCaptured(const std::string& name) {
  Result<Kernel> kernel =
      ReadKernelFile(SPILLWAY_SOURCE_DIR "/traces/captured/" + name + ".kernel.jsonl.zst");
  EXPECT_TRUE(kernel) << kernel.error().ToString();
  return std::move(*kernel);
}

class Captured : public testing::TestWithParam<std::string> {};

TEST_P(Captured, RunsAsItsAuthorPlacedIt) {
  RunWhole(ReadCaptured(GetParam()), {}, ValueMode::kTags, GetParam());
}

TEST_P(Captured, RunsReallocated) {
  AllocateOptions options;
  options.reallocate = true;
  const auto run = RunWhole(ReadCaptured(GetParam()), options, ValueMode::kTags, GetParam());
  ASSERT_TRUE(run);
  EXPECT_EQ(run->allocation.sbuf.spilled.empty(), GetParam() != "rope_over_capacity");
}

INSTANTIATE_TEST_SUITE_P(Kernels, Captured, testing::ValuesIn(CapturedKernels()),
                         [](const auto& name) { return name.param; });

struct SpillCase {
  std::string kernel;
  std::int64_t capacity = 0;
};

class CapturedSpills : public testing::TestWithParam<SpillCase> {};

TEST_P(CapturedSpills, SpillsAndStaysRight) {
  const auto& [name, capacity] = GetParam();
  AllocateOptions options;
  options.reallocate = true;
  options.sbuf_bytes = Bytes(capacity);
  const auto run = RunWhole(ReadCaptured(name), options, ValueMode::kTags, name);
  ASSERT_TRUE(run);
  EXPECT_GT(run->allocation.sbuf.spilled.size(), 0u);
  EXPECT_GT(run->simulation.spill.reloads, 0);
  EXPECT_GT(run->simulation.spill.cycles, Cycles(0));
  EXPECT_LE(run->allocation.sbuf.high_water_bytes, Bytes(capacity));
}

INSTANTIATE_TEST_SUITE_P(
    Capacities, CapturedSpills,
    testing::Values(SpillCase{"matmul_hoist_load", 4096},
                    SpillCase{"matmul_fully_optimized", 49152},
                    SpillCase{"matmul_fully_optimized", 24576},
                    SpillCase{"attention_bwd_2k", 20480}, SpillCase{"attention_bwd_2k", 12288},
                    SpillCase{"output_projection_cte", 32768}, SpillCase{"attention_cte_2k", 20480},
                    SpillCase{"attention_cte_8k", 24576}, SpillCase{"rmsnorm_quant", 57344},
                    SpillCase{"conv1d", 5120}),
    [](const auto& spill) {
      return spill.param.kernel + "_at_" + std::to_string(spill.param.capacity);
    });

struct BankCase {
  std::string kernel;
  std::int64_t banks = 0;  ///< as many as its open accumulation groups, which can't be spilled
};

class CapturedBanks : public testing::TestWithParam<BankCase> {};

TEST_P(CapturedBanks, RunsWithFewPsumBanks) {
  AllocateOptions options;
  options.reallocate = true;
  options.psum_banks = BankCount(GetParam().banks);
  RunWhole(ReadCaptured(GetParam().kernel), options, ValueMode::kTags, GetParam().kernel);
}

INSTANTIATE_TEST_SUITE_P(Kernels, CapturedBanks,
                         testing::Values(BankCase{"attention_bwd_2k", 2}, BankCase{"qkv_cte", 3},
                                         BankCase{"conv1d", 2}),
                         [](const auto& banks) { return banks.param.kernel; });

}  // namespace
}  // namespace spillway
