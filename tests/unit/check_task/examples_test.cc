// The worked examples, each with its verdict by every engine.
#include <gmock/gmock.h>

#include "model/alloc/check_task/check_system.h"
#include "tests/unit/check_task/expected_verdicts.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

using ::testing::ElementsAreArray;

const ExpectedJson& Expected() {
  static const ExpectedJson expected(PipelinesFolder() + "/expected.json");
  return expected;
}

class ExampleTest : public ::testing::TestWithParam<std::string> {
 protected:
  static PreparedSystem Prepared() {
    Result<PipelineSystem> system = ReadPipelineFile(PipelinePath(GetParam()));
    if (!system) throw std::runtime_error(system.error().ToString());
    return Prepare(std::move(*system));
  }
  static const JsonValue& Row() { return *FindMember(Expected().root, GetParam()); }
};

TEST_P(ExampleTest, HasTheVerdictOfTheTable) {
  const PreparedSystem prepared = Prepared();
  const Result<Verdict> verdict = CheckSystem(prepared.system, prepared.program);
  ASSERT_TRUE(verdict.has_value()) << verdict.error().ToString();
  const VerdictRow expected = ExpectedRow(Row());
  const VerdictRow found = RowOf(prepared.system, *verdict);
  EXPECT_THAT(found.blocked, ElementsAreArray(expected.blocked));
  EXPECT_THAT(found.races, ElementsAreArray(expected.races));
  EXPECT_THAT(found.clobbers, ElementsAreArray(expected.clobbers));
  EXPECT_THAT(found.uninitialized, ElementsAreArray(expected.uninitialized));
  EXPECT_THAT(found.structure, ElementsAreArray(expected.structure));
  EXPECT_EQ(found.events, expected.events);
  EXPECT_EQ(found.deadlock, expected.deadlock);
}

INSTANTIATE_TEST_SUITE_P(Examples, ExampleTest, ::testing::ValuesIn(PipelineNamesOnDisk()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace spillway::task
