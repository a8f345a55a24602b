#include "traces/allocated_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "model/alloc/ir/linear_kernel.h"
#include "model/hw/error.h"
#include "tests/unit/traces/expectations.h"
#include "traces/kernel_reader.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

const Tensor& TensorOf(const Kernel& kernel, const std::string& name) {
  const auto found = std::find_if(kernel.tensors.begin(), kernel.tensors.end(),
                                  [&](const Tensor& tensor) { return tensor.name == name; });
  SPILLWAY_CHECK(found != kernel.tensors.end(), name);
  return *found;
}

/// How many tensors of `space` have a law, or addresses alone.
std::ptrdiff_t CountOf(const Kernel& kernel, Space space, bool by_law) {
  return std::count_if(kernel.tensors.begin(), kernel.tensors.end(), [&](const Tensor& tensor) {
    return tensor.space == space && tensor.alloc.has_value() == by_law;
  });
}

/// Bytes of a partition up to the end of the last tile.
Bytes TopOfSbuf(const Kernel& kernel) {
  ByteOffset top(0);
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.space != Space::kSbuf) continue;
    for (const Address& address : tensor.at) top = std::max(top, address.byte + BlockBytes(tensor));
  }
  return top - ByteOffset(0);
}

std::set<std::int64_t> BanksOf(const Tensor& tensor) {
  std::set<std::int64_t> banks;
  for (const Address& address : tensor.at) banks.insert(address.byte.value / 2048);
  return banks;
}

void ExpectFiles(const std::vector<Kernel>& kernels, const std::string& folder,
                 std::set<std::string> expected) {
  for (const Kernel& kernel : kernels) {
    const std::string file = kernel.name + ".kernel.jsonl";
    expected.insert(file);
    EXPECT_EQ(ReadText(folder + "/" + file), PrintKernelFile(kernel)) << file;
  }
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    found.insert(entry.path().filename().string());
  EXPECT_EQ(found, expected);
}

TEST(AllocatedKernelsTest, TheFilesHoldWhatTheFunctionsBuild) {
  ExpectFiles(AllocatedKernels(), TracesFolder() + "/allocated", {"README.md", "broken"});
  ExpectFiles(BrokenAllocatedKernels(), TracesFolder() + "/allocated/broken", {});
}

std::vector<Kernel> KernelsOfManySizes() {
  std::vector<Kernel> kernels = AllocatedKernels();
  for (const Kernel& broken : BrokenAllocatedKernels()) kernels.push_back(broken);
  for (const std::int64_t sequence : {2048, 4096})
    kernels.push_back(PipelinedAttention({.sequence = sequence}));
  for (const std::int64_t sequence : {1024, 2048, 6144})
    kernels.push_back(AttentionBankMap({.batch = 2, .sequence = sequence}));
  kernels.push_back(RmsNormQkv({.batch = 2, .rows = 128, .width = 512, .columns = 1}));
  kernels.push_back(RmsNormQkv({.batch = 1, .rows = 384, .width = 1536, .columns = 100}));
  kernels.push_back(PrefetchedRmsNorm({.tiles = 1, .width = 1, .distance = 1, .buffers = 1}));
  return kernels;
}

TEST(AllocatedKernelsTest, TheReaderAcceptsEveryKernelAndGivesItBack) {
  for (const Kernel& kernel : KernelsOfManySizes()) {
    const Result<Kernel> read = ParseKernel(PrintKernelFile(kernel), kernel.name);
    ASSERT_TRUE(read.has_value()) << read.error().ToString();
    EXPECT_EQ(*read, kernel) << kernel.name;
  }
}

TEST(AllocatedKernelsTest, NothingIsReadBeforeItsDefinitionAndEverythingIsPlaced) {
  for (const Kernel& kernel : KernelsOfManySizes()) {
    const LinearKernel linear = Linearize(kernel);
    const StaticNotes notes = CheckDefinitions(linear);
    EXPECT_EQ(DescribeUndefined(linear.kernel, notes), "") << kernel.name;
    EXPECT_EQ(DescribeUnused(linear.kernel, notes), "") << kernel.name;
    for (const Tensor& tensor : kernel.tensors)
      EXPECT_EQ(tensor.at.empty(), tensor.space == Space::kDram) << tensor.name;
  }
}

// Source: nki_kernels_and_issues.md 1.2.
TEST(AllocatedKernelsTest, RmsNormQkvTakesTheBytesAndBanksOfItsPattern) {
  const Kernel kernel = RmsNormQkv();
  EXPECT_EQ(CountOf(kernel, Space::kSbuf, true), 9);
  EXPECT_EQ(CountOf(kernel, Space::kSbuf, false), 0);
  EXPECT_EQ(CountOf(kernel, Space::kPsum, true), 2);
  EXPECT_EQ(TopOfSbuf(kernel), Bytes(148744));
  EXPECT_EQ(BanksOf(TensorOf(kernel, "turned")), std::set<std::int64_t>{0});
  EXPECT_EQ(BanksOf(TensorOf(kernel, "product")), std::set<std::int64_t>{7});
  EXPECT_EQ(TensorOf(kernel, "hidden_tiles").alloc->num_free_tiles, std::vector<std::int64_t>{2});
}

TEST(AllocatedKernelsTest, AttentionBankMapTakesTheBytesOfItsPatternAndAllBanks) {
  const Kernel kernel = AttentionBankMap();
  EXPECT_EQ(CountOf(kernel, Space::kSbuf, true), 17);
  EXPECT_EQ(CountOf(kernel, Space::kSbuf, false), 0);
  EXPECT_EQ(CountOf(kernel, Space::kPsum, true), 2);
  EXPECT_EQ(CountOf(kernel, Space::kPsum, false), 2);
  EXPECT_EQ(TopOfSbuf(kernel), Bytes(78712));
  using Banks = std::set<std::int64_t>;
  EXPECT_EQ(BanksOf(TensorOf(kernel, "score_banks")), (Banks{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(BanksOf(TensorOf(kernel, "turned")), (Banks{0, 1, 2, 3}));
  EXPECT_EQ(BanksOf(TensorOf(kernel, "first_product")), (Banks{4, 5}));
  EXPECT_EQ(BanksOf(TensorOf(kernel, "second_product")), (Banks{6, 7}));
}

// Source: isa_costs.md 4.4.
TEST(AllocatedKernelsTest, PipelinedAttentionKeepsItsScoresBelowAndItsProductsAboveBankFour) {
  const Kernel kernel = PipelinedAttention();
  EXPECT_EQ(CountOf(kernel, Space::kSbuf, true), 18);
  EXPECT_EQ(CountOf(kernel, Space::kPsum, false), 3);
  EXPECT_EQ(TopOfSbuf(kernel), Bytes(84864));
  using Banks = std::set<std::int64_t>;
  EXPECT_EQ(BanksOf(TensorOf(kernel, "scores")), (Banks{0, 1, 2, 3}));
  EXPECT_EQ(BanksOf(TensorOf(kernel, "turned")), (Banks{4, 5, 6, 7}));
  EXPECT_EQ(BanksOf(TensorOf(kernel, "product")), (Banks{4, 5, 6, 7}));
  EXPECT_EQ(TensorOf(kernel, "exponentials").alloc->num_free_tiles,
            (std::vector<std::int64_t>{1, 2, 4}));
}

TEST(AllocatedKernelsTest, SizesThatMakeNoKernelAreContractViolations) {
  EXPECT_THROW(RmsNormQkv({.rows = 100}), ContractViolation);
  EXPECT_THROW(RmsNormQkv({.width = 8704}), ContractViolation);
  EXPECT_THROW(RmsNormQkv({.columns = 513}), ContractViolation);
  EXPECT_THROW(AttentionBankMap({.sequence = 512}), ContractViolation);
  EXPECT_THROW(PipelinedAttention({.sequence = 1024}), ContractViolation);
  EXPECT_THROW(PrefetchedRmsNorm({.tiles = 1, .distance = 2}), ContractViolation);
}

}  // namespace
}  // namespace spillway
