// The kernels of published measurements: they move and multiply what the profiles say, and are
// right.
#include "traces/published_kernels.h"

#include <map>

#include "tests/replay/whole_run.h"

namespace spillway {
namespace {

/// Loads or stores of 128 rows of that many bytes.
struct Copies {
  bool store = false;
  std::int64_t row_bytes = 0;
  friend auto operator<=>(const Copies&, const Copies&) = default;
};

struct Traffic {
  std::map<Copies, std::int64_t> transfers;
  std::int64_t products = 0;
  std::int64_t conversions = 0;
};

Traffic TrafficOf(const WholeRun& run) {
  const LoweredKernel& lowered = run.simulation.lowered;
  const Kernel& kernel = run.allocation.kernel;
  Traffic traffic;
  for (std::size_t i = 0; i < lowered.sequence.size(); ++i) {
    const Instruction& instruction = kernel.instructions[lowered.sequence.instances[i].instruction];
    if (!lowered.program.instance(InstanceId(i)).stream.is_queue()) {
      ++(instruction.op == "nc_matmul" ? traffic.products : traffic.conversions);
      continue;
    }
    const Transfer& transfer = lowered.program.TransferOf(InstanceId(i));
    EXPECT_EQ(transfer.descriptors, 128);
    const TensorId written = instruction.outputs.front().operands.front().tensor;
    ++traffic.transfers[{kernel.tensors[written].space == Space::kDram,
                         transfer.descriptor_bytes.value}];
  }
  return traffic;
}

struct PublishedCase {
  std::size_t index = 0;
  std::map<Copies, std::int64_t> transfers;
  std::int64_t bytes = 0;
};

class Published : public testing::TestWithParam<PublishedCase> {};

TEST_P(Published, MovesAndMultipliesWhatTheProfileShowsAndIsRight) {
  const Kernel kernel = PublishedKernels()[GetParam().index];
  const auto run = RunWhole(kernel, {}, ValueMode::kTags, kernel.name);
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->allocation.sbuf.spilled.empty());
  const Traffic traffic = TrafficOf(*run);
  EXPECT_EQ(traffic.transfers, GetParam().transfers);
  EXPECT_EQ(traffic.products, 8192);
  EXPECT_EQ(traffic.conversions, 256);
  EXPECT_EQ(run->simulation.dma_bytes.value, GetParam().bytes);
}

TEST_P(Published, ComputesTheProductInNumbers) {
  const PublishedMatmulShape small{.m_tiles = 8, .n_tiles = 4, .k_tiles = 8};
  const std::vector<Kernel> kernels = {MatmulV0(small), MatmulV1(small), MatmulV2(small)};
  const Kernel& kernel = kernels[GetParam().index];
  ASSERT_TRUE(RunWhole(kernel, {}, ValueMode::kNumeric, kernel.name));
}

INSTANTIATE_TEST_SUITE_P(
    Matmul, Published,
    testing::Values(
        PublishedCase{
            0, {{{false, 256}, 3072}, {{false, 1024}, 8192}, {{true, 1024}, 256}}, 1'207'959'552},
        PublishedCase{
            1, {{{false, 256}, 1024}, {{false, 1024}, 1024}, {{true, 1024}, 256}}, 201'326'592},
        PublishedCase{2, {{{false, 2048}, 640}, {{true, 1024}, 256}}, 201'326'592}),
    [](const auto& published) { return "V" + std::to_string(published.param.index); });

}  // namespace
}  // namespace spillway
