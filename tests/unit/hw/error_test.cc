#include "model/hw/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace spillway {
namespace {

using ::testing::HasSubstr;

TEST(Error, SaysWhereWhatAndWhich) {
  const Error error{Kind::kShape, "operand-outside-tensor", "tensor x has 4 rows, not 5", "a.jsonl",
                    7};
  EXPECT_EQ(error.ToString(),
            "a.jsonl:7: error: tensor x has 4 rows, not 5 [shape/operand-outside-tensor]");
}

TEST(Error, LeavesOutALineOrAFileThatDoesNotApply) {
  Error error{Kind::kFile, "unreadable", "no such file", "a.jsonl"};
  EXPECT_EQ(error.ToString(), "a.jsonl: error: no such file [file/unreadable]");
  error.file.clear();
  EXPECT_EQ(error.ToString(), "error: no such file [file/unreadable]");
}

TEST(Error, EveryKindHasANameOfItsOwn) {
  std::set<std::string_view> names;
  const int count = static_cast<int>(Kind::kFile) + 1;
  for (int i = 0; i < count; ++i) names.insert(KindName(static_cast<Kind>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(KindName(Kind::kStartPartition), "start-partition");
  EXPECT_EQ(KindName(Kind::kInstructionWorkingSet), "instruction-working-set");
}

TEST(Error, FailMakesAResultThatHoldsTheError) {
  const Result<int> result = Fail({Kind::kLimit, "too-long", "a line is too long", ""});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, "too-long");
}

TEST(Check, AConditionThatHoldsIsSilent) {
  EXPECT_NO_THROW(SPILLWAY_CHECK(1 + 1 == 2, "arithmetic"));
}

TEST(Check, ABrokenConditionThrowsWithItsTextAndItsPlace) {
  try {
    SPILLWAY_CHECK(1 + 1 == 3, "arithmetic");
    FAIL() << "nothing was thrown";
  } catch (const ContractViolation& violation) {
    EXPECT_THAT(violation.what(), HasSubstr("1 + 1 == 3"));
    EXPECT_THAT(violation.what(), HasSubstr("arithmetic"));
    EXPECT_THAT(violation.what(), HasSubstr("error_test.cc"));
  }
}

}  // namespace
}  // namespace spillway
