// What a mutation run takes and what it refuses.
#include "tests/mutation/mutation_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/fault_catalogue.h"

namespace spillway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Arguments = std::vector<std::string>;

TEST(MutationOptions, WithoutFaultsAskForNothingPlantedAndThenForAll) {
  const Result<MutationOptions> options = ParseMutationOptions({});
  ASSERT_TRUE(options);
  ASSERT_EQ(options->faults.size(), PlantableFaults().size() + 1);
  EXPECT_EQ(options->faults.front(), "none");
}

TEST(MutationOptions, AreReadInAnyOrder) {
  const Arguments arguments = {"--only", "none,A1,B22.2", "--check", "--jobs", "3", "--cases", "9"};
  const Result<MutationOptions> options = ParseMutationOptions(arguments);
  ASSERT_TRUE(options) << options.error().ToString();
  EXPECT_THAT(options->faults, ElementsAre("none", "A1", "B22.2"));
  EXPECT_TRUE(options->check);
  EXPECT_EQ(options->jobs, 3);
  EXPECT_EQ(options->cases, 9);
}

// `--only TYPO` measured nothing and passed, unknown options were swallowed, `--jobs 0` hung.
TEST(MutationOptions, ThatNobodyKnowsAreRefusedWithWhatWasFound) {
  const std::vector<std::pair<Arguments, std::string>> wrong = {
      {{"--only", "TYPO"}, "\"TYPO\""},    {{"--only", "B22"}, "\"B22\""},
      {{"--only", "A1.0"}, "\"A1.0\""},    {{"--only", ""}, "found none"},
      {{"--onyl", "A1"}, "\"--onyl\""},    {{"A1"}, "\"A1\""},
      {{"--jobs", "0"}, "found \"0\""},    {{"--jobs", "two"}, "found \"two\""},
      {{"--cases", "-1"}, "found \"-1\""}, {{"--cases", "10x"}, "found \"10x\""},
      {{"--cases"}, "found none"},
  };
  for (const auto& [arguments, said] : wrong) {
    const Result<MutationOptions> options = ParseMutationOptions(arguments);
    ASSERT_FALSE(options) << said;
    EXPECT_THAT(options.error().message, HasSubstr(said));
  }
}

}  // namespace
}  // namespace spillway
