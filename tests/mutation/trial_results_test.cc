// A mutation run has a result of every fault that it was asked for, or fails.
#include "tests/mutation/trial_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

namespace spillway {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

FaultResult Measured(const std::string& id) {
  FaultResult result;
  result.id = id;
  result.kills = {{"overlap", {12, "a and b share bytes"}}, {"tests", {0, ""}}};
  result.shrunk = 3;
  result.cases = 300;
  return result;
}

std::vector<ProcessEnd> MeasureEach(const std::vector<std::string>& faults,
                                    const std::function<std::string(const std::string&)>& work) {
  return MapForked(faults.size(), 2, [&](std::size_t item) { return work(faults[item]); });
}

TEST(TrialResults, AreReadBackAsTheyWereWritten) {
  const Result<FaultResult> read = FromLines(ToLines(Measured("A1")));
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_EQ(read->id, "A1");
  EXPECT_EQ(read->kills.at("overlap").cases, 12);
  EXPECT_EQ(read->kills.at("overlap").text, "a and b share bytes");
  EXPECT_EQ(read->kills.at("tests").cases, 0);
  EXPECT_EQ(read->shrunk, 3);
  EXPECT_EQ(read->cases, 300);
}

TEST(TrialResults, ThatAreCutOffAnywhereAreNone) {
  const std::string lines = ToLines(Measured("A1"));
  for (std::size_t length = 0; length + 1 < lines.size(); ++length)
    EXPECT_FALSE(FromLines(lines.substr(0, length))) << length;
}

TEST(TrialResults, AreOneAFaultInTheOrderThatWasAskedFor) {
  const std::vector<std::string> faults = {"none", "A1", "B10.3"};
  const auto ends = MeasureEach(faults, [](const auto& id) { return ToLines(Measured(id)); });
  const Result<std::vector<FaultResult>> results = CollectResults(faults, ends);
  ASSERT_TRUE(results) << results.error().ToString();
  ASSERT_THAT(*results, SizeIs(3));
  for (std::size_t f = 0; f < faults.size(); ++f) EXPECT_EQ((*results)[f].id, faults[f]);
}

// A row whose process died vanished, the score stayed at 100 %, and a lost "none" took the check
// for false alarms with it.
TEST(TrialResults, AFaultWhoseProcessDiesIsNamedAndNotDropped) {
  const std::vector<std::string> faults = {"none", "A1", "A2", "A3"};
  const auto ends = MeasureEach(faults, [](const std::string& id) -> std::string {
    if (id == "none") throw std::runtime_error("no named tests");
    if (id == "A2") std::abort();
    return ToLines(Measured(id == "A3" ? "A1" : id));
  });
  const Result<std::vector<FaultResult>> results = CollectResults(faults, ends);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, "trial-lost");
  EXPECT_THAT(results.error().message, HasSubstr("none (crash: an exception: no named tests)"));
  EXPECT_THAT(results.error().message, HasSubstr("A2 (crash: "));
  EXPECT_THAT(results.error().message, HasSubstr("A3 (the result of A1)"));
}

}  // namespace
}  // namespace spillway
