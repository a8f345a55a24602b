// The table of rules against the table of boundaries: every rule has both sides, on every target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/unit/nki/kernel_boundaries.h"
#include "tests/unit/nki/rule_boundaries.h"

namespace spillway::nki {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RuleBoundaries : public testing::TestWithParam<std::string> {
 protected:
  static std::vector<Boundary> RowsOn(const std::string& name) {
    const Target target = BuiltIn(name);
    std::vector<Boundary> rows = TensorBoundaries(target).rows();
    const KernelBoundaries kernels(target);
    rows.insert(rows.end(), kernels.rows().begin(), kernels.rows().end());
    return rows;
  }
};

INSTANTIATE_TEST_SUITE_P(Targets, RuleBoundaries, testing::Values("trn1", "trn2", "trn3", "inf1"),
                         [](const auto& row) { return row.param; });

TEST_P(RuleBoundaries, AcceptOneSideAndNameTheirRuleOnTheOther) {
  for (const Boundary& row : RowsOn(GetParam())) {
    const AllocationRuleRow& rule = RowOf(row.rule);
    const std::string name(rule.name);
    SCOPED_TRACE(name + ": " + row.what);
    EXPECT_EQ(RulesOf(row.accepted).count(name), 0u) << TextOf(row.accepted);
    EXPECT_EQ(row.accepted.empty(), !row.others_object) << TextOf(row.accepted);
    EXPECT_GT(RulesOf(row.refused).count(name), 0u) << TextOf(row.refused);
    for (const Violation& violation : row.refused) {
      ASSERT_THAT(violation.tensors, Not(IsEmpty())) << violation.text;
      if (row.rule < AllocationRule::kMixedAllocation) {
        EXPECT_THAT(violation.text, HasSubstr("tensor \"tiles\""));
      }
      if (RuleOf(violation) != name) continue;
      EXPECT_EQ(violation.kind, rule.kind);
      EXPECT_THAT(violation.text, HasSubstr(WhereToRead(rule)));
    }
  }
}

// The test that a new row of the table fails until it has a boundary.
TEST_P(RuleBoundaries, CoverEveryRowOfTheTableOfRules) {
  std::set<AllocationRule> covered;
  for (const Boundary& row : RowsOn(GetParam())) covered.insert(row.rule);
  for (const AllocationRuleRow& rule : AllocationRules())
    EXPECT_TRUE(covered.contains(rule.rule)) << rule.name << " has no boundary";
  EXPECT_EQ(covered.size(), AllocationRules().size());
}

// A step over one boundary may break other rules with it; at one boundary of each rule it doesn't,
// or the rule couldn't be told from the others. Only a tile that leaves the partitions always
// starts at a partition where no tile of its height may.
TEST_P(RuleBoundaries, HaveForEveryRuleOneThatBreaksNothingElse) {
  std::map<AllocationRule, bool> alone;
  for (const Boundary& row : RowsOn(GetParam())) {
    const std::multiset<std::string> rules = RulesOf(row.refused);
    alone[row.rule] |= rules.count(std::string(RowOf(row.rule).name)) == rules.size();
  }
  for (const auto& [rule, is_alone] : alone)
    EXPECT_EQ(is_alone, rule != AllocationRule::kPartitionEnd) << RowOf(rule).name;
}

}  // namespace
}  // namespace spillway::nki
