// Kernels that keep their loops, at every capacity from their peak down to their largest
// instruction: spills outside, at the edge of and inside the loops.
#include "model/alloc/sbuf/working_set.h"
#include "tests/replay/whole_run.h"
#include "traces/rolled_kernels.h"

namespace spillway {
namespace {

constexpr int kSteps = 6;

Bytes LargestInstruction(const Kernel& kernel, Bytes granule) {
  Bytes largest(0);
  for (const Instruction& instruction : kernel.instructions) {
    largest = std::max(largest, WorkingSetOf(kernel, instruction, granule));
  }
  return largest;
}

struct RolledCase {
  std::size_t index = 0;
  std::int64_t trips = 0;
};

class Rolled : public testing::TestWithParam<RolledCase> {
 protected:
  Kernel kernel() const { return RolledKernels(GetParam().trips)[GetParam().index]; }
};

TEST_P(Rolled, ComputesItsNumbersWithoutSpills) {
  const auto run = RunWhole(kernel(), {}, ValueMode::kNumeric, kernel().name);
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->allocation.sbuf.spilled.empty());
}

TEST_P(Rolled, StaysRightFromItsPeakDownToItsLargestInstruction) {
  const Kernel rolled = kernel();
  const Target target = *FindTarget(rolled.target);
  const Bytes granule = target.sbuf_granule;
  const auto whole = RunWhole(rolled, {}, ValueMode::kTags, rolled.name);
  ASSERT_TRUE(whole);
  const Bytes peak = whole->allocation.sbuf.peak_live_bytes;
  const Bytes least = LargestInstruction(rolled, granule);
  const std::int64_t step =
      std::max(granule.value, RoundUp((peak - least).value / kSteps, granule.value));
  bool spilled = false;
  for (std::int64_t capacity = peak.value; capacity >= least.value; capacity -= step) {
    AllocateOptions options;
    options.sbuf_bytes = Bytes(capacity);
    const auto run = RunWhole(rolled, options, ValueMode::kTags,
                              rolled.name + " at " + std::to_string(capacity));
    ASSERT_TRUE(run);
    spilled = spilled || !run->allocation.sbuf.spilled.empty();
    EXPECT_LE(run->allocation.sbuf.high_water_bytes.value, capacity);
  }
  AllocateOptions options;
  options.sbuf_bytes = least;
  const auto tightest =
      RunWhole(rolled, options, ValueMode::kNumeric, rolled.name + " at its largest instruction");
  ASSERT_TRUE(tightest);
  spilled = spilled || !tightest->allocation.sbuf.spilled.empty();
  EXPECT_EQ(spilled, least < peak)
      << "peak " << peak.value << ", largest instruction " << least.value;
}

std::vector<RolledCase> Cases() {
  std::vector<RolledCase> cases;
  for (const std::int64_t trips : {1, 2, 3, 12}) {
    for (std::size_t i = 0; i < RolledKernels(trips).size(); ++i) cases.push_back({i, trips});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Rolled, testing::ValuesIn(Cases()), [](const auto& rolled) {
  return RolledKernels()[rolled.param.index].name + "_" + std::to_string(rolled.param.trips) +
         "_trips";
});

}  // namespace
}  // namespace spillway
