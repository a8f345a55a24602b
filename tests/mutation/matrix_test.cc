// What a mutation run counts.
#include "tests/mutation/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway {
namespace {

using testing::HasSubstr;

FaultResult KilledBy(const std::string& id, const std::vector<std::string>& columns) {
  FaultResult result;
  result.id = id;
  for (const std::string& column : columns) result.kills[column] = {1, "objects"};
  return result;
}

// A named test counted as the second judge: 81 faults were "killed by two" of which 56 were.
TEST(Matrix, DoesNotCountNamedTestsAmongTheTwoJudges) {
  const std::vector<FaultResult> results = {
      KilledBy("A1", {"overlap", "dataflow", "tests"}), KilledBy("A2", {"overlap", "tests"}),
      KilledBy("A3", {"tests", "rtl"}), KilledBy("A4", {"counts", "cost"}),
      KilledBy("A5", {"relations", "shadow"})};
  const MutationSummary summary = Summarize(results);
  EXPECT_EQ(summary.planted, 5);
  EXPECT_EQ(summary.killed, 5);
  EXPECT_EQ(summary.by_two, 3);
  EXPECT_EQ(summary.by_two_of_kernels, 2);
  EXPECT_EQ(summary.by_two_with_tests, 5);
}

// One figure for both hid that the list's rows had two judges and the others their tests.
TEST(Matrix, CountsTheRowsOfTheListAndTheProjectsOwnApart) {
  const std::vector<FaultResult> results = {
      KilledBy("A1", {"overlap", "tests"}), KilledBy("D12", {"layouts", "layout-laws", "tests"}),
      KilledBy("E1", {}), KilledBy("N70", {"rings", "replay"}), KilledBy("N71", {"tests"})};
  const MutationSummary summary = Summarize(results);
  EXPECT_EQ(summary.listed, (RowCounts{3, 2, 1, 2}));
  EXPECT_EQ(summary.own, (RowCounts{2, 2, 1, 1}));
  EXPECT_EQ(summary.planted, 5);
  EXPECT_EQ(summary.killed, 4);
  EXPECT_EQ(summary.by_two, 2);
  const std::string text = MatrixMarkdown(results);
  EXPECT_THAT(text, HasSubstr("A… to E…: 3 planted; killed 2, 66.7 %; by two judges or more, "
                              "*tests* and *rtl* not counted, 1, 33.3 %"));
  EXPECT_THAT(text, HasSubstr("N…: 2 planted; killed 2, 100.0 %"));
  EXPECT_THAT(MatrixJson(results), HasSubstr("\"own\": {\"planted\": 2, \"killed\": 2"));
}

TEST(Matrix, PrintsEveryNumberAndSaysThatTheRestIsSampled) {
  const std::string text = MatrixMarkdown({KilledBy("A1", {"overlap", "tests"})});
  EXPECT_THAT(text, HasSubstr("*tests* and *rtl* not counted: 0, 0.0 % of the planted"));
  EXPECT_THAT(text, HasSubstr("with *tests* and *rtl*: 1, 100.0 %"));
  EXPECT_THAT(text, HasSubstr("After the first 300 cases"));
}

TEST(Matrix, NamesWhatNobodyObjectedToAndWhoObjectedToNothing) {
  const MutationSummary summary = Summarize({KilledBy("none", {"cost"}), KilledBy("A1", {})});
  EXPECT_EQ(summary.survivors, std::vector<std::string>{"A1"});
  EXPECT_EQ(summary.false_alarms, std::vector<std::string>{"cost"});
}

}  // namespace
}  // namespace spillway
