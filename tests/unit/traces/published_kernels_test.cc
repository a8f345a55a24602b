#include "traces/published_kernels.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "model/alloc/ir/linear_kernel.h"
#include "model/hw/error.h"
#include "tests/unit/traces/expectations.h"
#include "traces/kernel_reader.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

TEST(PublishedKernelsTest, TheFilesHoldWhatTheFunctionsBuild) {
  std::set<std::string> expected = {"README.md"};
  for (const Kernel& kernel : PublishedKernels()) {
    const std::string file = kernel.name + ".kernel.jsonl";
    expected.insert(file);
    EXPECT_EQ(ReadText(TracesFolder() + "/published/" + file), PrintKernelFile(kernel)) << file;
  }
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(TracesFolder() + "/published"))
    found.insert(entry.path().filename().string());
  EXPECT_EQ(found, expected);
}

TEST(PublishedKernelsTest, TheReaderAcceptsThemAtEverySizeAndNothingIsReadBeforeItsDefinition) {
  for (const PublishedMatmulShape& shape :
       {PublishedMatmulShape{}, PublishedMatmulShape{8, 2, 8}, PublishedMatmulShape{16, 4, 16}}) {
    for (const Kernel& kernel : {MatmulV0(shape), MatmulV1(shape), MatmulV2(shape)}) {
      const Result<Kernel> read = ParseKernel(PrintKernelFile(kernel), kernel.name);
      ASSERT_TRUE(read.has_value()) << read.error().ToString();
      EXPECT_EQ(*read, kernel);
      const LinearKernel linear = Linearize(kernel);
      EXPECT_EQ(DescribeUndefined(linear.kernel, CheckDefinitions(linear)), "") << kernel.name;
    }
  }
}

TEST(PublishedKernelsTest, SizesThatMakeNoKernelAreContractViolations) {
  EXPECT_THROW(MatmulV0({.m_tiles = 0}), ContractViolation);
  EXPECT_THROW(MatmulV0({.k_tiles = 12}), ContractViolation);
  EXPECT_THROW(MatmulV1({.m_tiles = 12}), ContractViolation);
  EXPECT_THROW(MatmulV2({.n_tiles = 3}), ContractViolation);
}

}  // namespace
}  // namespace spillway
