#include "traces/rolled_kernels.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "model/alloc/ir/linear_kernel.h"
#include "model/hw/error.h"
#include "tests/unit/traces/expectations.h"
#include "traces/kernel_reader.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

TEST(RolledKernelsTest, TheFilesHoldWhatTheFunctionsBuild) {
  std::set<std::string> expected = {"README.md"};
  for (const Kernel& kernel : RolledKernels()) {
    const std::string file = kernel.name + ".kernel.jsonl";
    expected.insert(file);
    EXPECT_EQ(ReadText(TracesFolder() + "/rolled/" + file), PrintKernelFile(kernel)) << file;
  }
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(TracesFolder() + "/rolled"))
    found.insert(entry.path().filename().string());
  EXPECT_EQ(found, expected);
}

class TripCountsTest : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(TripCountsTest, TheReaderAcceptsEveryKernelAndGivesItBack) {
  for (const Kernel& kernel : RolledKernels(GetParam())) {
    const Result<Kernel> read = ParseKernel(PrintKernelFile(kernel), kernel.name);
    ASSERT_TRUE(read.has_value()) << read.error().ToString();
    EXPECT_EQ(*read, kernel);
    for (const Loop& loop : kernel.loops)
      EXPECT_EQ(TripCount(loop), GetParam()) << kernel.name << " " << loop.name;
  }
}

TEST_P(TripCountsTest, NothingIsReadBeforeItsDefinition) {
  for (const Kernel& kernel : RolledKernels(GetParam())) {
    const LinearKernel linear = Linearize(kernel);
    const StaticNotes notes = CheckDefinitions(linear);
    EXPECT_EQ(DescribeUndefined(linear.kernel, notes), "") << kernel.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Trips, TripCountsTest, ::testing::Values(1, 2, 3, 16));

TEST(RolledKernelsTest, OtherTileSizesAreAcceptedToo) {
  const std::vector<Kernel> kernels = {
      TiledMatmul(
          {.m_tiles = 1, .n_tiles = 3, .k_tiles = 2, .tile_m = 32, .tile_n = 64, .tile_k = 16}),
      RunningMaximumAndSum({.trips = 3, .rows = 7, .width = 1}),
      DoubleBuffered({.trips = 2, .rows = 1, .width = 33}),
      RaggedLastTile({.trips = 2, .rows = 64, .width = 8, .last_width = 7}),
      ValueUsedAfterLoop({.trips = 1, .rows = 96, .width = 5})};
  for (const Kernel& kernel : kernels) {
    const Result<Kernel> read = ParseKernel(PrintKernelFile(kernel), kernel.name);
    ASSERT_TRUE(read.has_value()) << read.error().ToString();
  }
}

TEST(RolledKernelsTest, SizesThatMakeNoKernelAreContractViolations) {
  EXPECT_THROW(TiledMatmul({.k_tiles = 0}), ContractViolation);
  EXPECT_THROW(TiledMatmul({.tile_m = 129}), ContractViolation);
  EXPECT_THROW(RunningMaximumAndSum({.trips = 0}), ContractViolation);
  EXPECT_THROW(RaggedLastTile({.width = 4, .last_width = 4}), ContractViolation);
}

using OperandNames = std::set<std::string>;

/// By operation: the names of operands and attributes that occur in the captured kernels.
std::map<std::string, OperandNames> NamesIn(const Kernel& kernel) {
  std::map<std::string, OperandNames> names;
  for (const Instruction& instruction : kernel.instructions) {
    OperandNames& of = names[instruction.op];
    for (const OperandGroup& group : instruction.outputs) of.insert("out " + group.name);
    for (const OperandGroup& group : instruction.inputs) of.insert("in " + group.name);
    for (const Attr& attr : instruction.attrs) of.insert("attr " + attr.name);
  }
  return names;
}

TEST(RolledKernelsTest, OperationsOperandsAndAttributesAreThoseOfCapturedKernels) {
  std::map<std::string, OperandNames> known;
  for (const auto& entry : std::filesystem::directory_iterator(TracesFolder() + "/captured")) {
    if (entry.path().extension() != ".zst") continue;
    const Result<Kernel> kernel = ReadKernelFile(entry.path().string());
    ASSERT_TRUE(kernel.has_value()) << kernel.error().ToString();
    for (const auto& [op, names] : NamesIn(*kernel)) known[op].insert(names.begin(), names.end());
  }
  for (const Kernel& kernel : RolledKernels()) {
    for (const auto& [op, names] : NamesIn(kernel)) {
      for (const std::string& name : names)
        EXPECT_TRUE(known[op].contains(name)) << kernel.name << ": " << op << " " << name;
    }
  }
}

}  // namespace
}  // namespace spillway
