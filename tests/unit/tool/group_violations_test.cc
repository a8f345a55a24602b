// One cause on many blocks is read once.
#include "sim/tool/group_violations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/tool/text_report.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Violation Said(const std::string& text, std::vector<std::string> tensors = {"t1"},
               Kind kind = Kind::kMisaligned) {
  Violation violation;
  violation.kind = kind;
  violation.tensors = std::move(tensors);
  violation.space = Space::kSbuf;
  violation.text = text;
  return violation;
}

// A tuple as rules of direct allocation print it.
Violation Tile(const std::string& block, std::int64_t byte) {
  return Said("tensor \"t1\": block (" + block + ") at (0, " + std::to_string(byte) +
              "): byte_addr " + std::to_string(byte) + " leaves the window [docs/nki.md: rule-2]");
}

std::vector<std::string> MoreOf(const std::vector<Violation>& violations) {
  std::vector<std::string> more;
  for (const ViolationGroup& group : GroupViolations(violations)) more.push_back(group.more);
  return more;
}

TEST(GroupViolations, TakesBlocksOfOneTensorForOneThatNamesTheOthersInRanges) {
  std::vector<Violation> violations;
  for (int block = 0; block < 64; ++block) {
    if (block == 5) continue;
    violations.push_back(Tile(std::to_string(block) + ",", 4 * block - 8));
  }
  const std::vector<ViolationGroup> groups = GroupViolations(violations);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].first, &violations[0]);
  EXPECT_EQ(groups[0].count, 63u);
  EXPECT_EQ(groups[0].more, "and 62 more blocks of the same tensor: 1-4, 6-63");
}

TEST(GroupViolations, NamesBlocksOfSeveralDimensionsByTheirIndices) {
  EXPECT_THAT(MoreOf({Tile("0, 0", 1), Tile("0, 1", 2), Tile("1, 0", 3), Tile("1, 1", 4)}),
              testing::ElementsAre("and 3 more blocks of the same tensor: (0, 1), (1, 0)-(1, 1)"));
}

TEST(GroupViolations, TakesNumbersOfBlocksWithoutATupleToo) {
  EXPECT_THAT(MoreOf({Said("t1 block 3 starts at byte 5"), Said("t1 block 9 starts at byte 7")}),
              testing::ElementsAre("and 1 more block of the same tensor: 9"));
}

TEST(GroupViolations, NamesPairsOfBlocksOfTwoTensors) {
  const auto pair = [](int a, int b) {
    return Said("a block " + std::to_string(a) + " and b block " + std::to_string(b) + " share",
                {"a", "b"});
  };
  EXPECT_THAT(
      MoreOf({pair(0, 0), pair(0, 1), pair(2, 0)}),
      testing::ElementsAre("and 2 more pairs of blocks of the same tensors: 0 and 1, 2 and 0"));
  std::vector<Violation> many;
  for (int b = 0; b < 12; ++b) many.push_back(pair(1, b));
  EXPECT_THAT(MoreOf(many)[0], HasSubstr(": 1 and 1, 1 and 2, 1 and 3, 1 and 4, 1 and 5, 1 and 6, "
                                         "1 and 7, 1 and 8, …"));
}

TEST(GroupViolations, KeepsApartWhatDiffersInMoreThanNumbers) {
  const std::vector<Violation> violations = {
      Said("t1 block 0 starts at byte 5"),
      Said("t1 block 1 ends at byte 5"),                              // says something else
      Said("t1 block 2 starts at byte 5", {"t2"}),                    // of another tensor
      Said("t1 block 3 starts at byte 5", {"t1"}, Kind::kOutOfRange)  // of another kind
  };
  EXPECT_EQ(GroupViolations(violations).size(), 4u);
}

// One instruction that reads a block as two operands, and another that reads it later.
TEST(GroupViolations, KeepsApartWhatIsSaidOfTheSameBlocks) {
  const auto read = [](const std::string& operand, int point, int block) {
    return Said("add at point " + std::to_string(point) + " (" + operand + ") reads t1 block " +
                std::to_string(block));
  };
  EXPECT_EQ(
      GroupViolations(std::vector<Violation>{read("data0", 6, 0), read("data1", 6, 1)}).size(), 2u);
  EXPECT_EQ(
      GroupViolations(std::vector<Violation>{read("data0", 6, 0), read("data0", 9, 0)}).size(), 2u);
  EXPECT_EQ(
      GroupViolations(std::vector<Violation>{read("data0", 6, 0), read("data0", 9, 1)}).size(), 1u);
}

TEST(GroupViolations, KeepsApartWhatNamesNoBlock) {
  EXPECT_EQ(GroupViolations(std::vector<Violation>{Said("t1 is read at point 3 too early"),
                                                   Said("t1 is read at point 7 too early")})
                .size(),
            2u);
}

TEST(GroupViolations, ARunsTextHasTheFirstWholeAndCountsWhatItLeavesOut) {
  RunReport report;
  report.verdict = Verdict::kFail;
  CheckResult check{"allocation", 9, {}};
  for (int block = 0; block < 64; ++block)
    check.violations.push_back(Tile(std::to_string(block) + ",", block));
  report.checks = {check};
  const std::string text = ToText(report);
  EXPECT_THAT(text, HasSubstr("byte_addr 0 leaves the window"));
  EXPECT_THAT(text, HasSubstr("\n        and 63 more blocks of the same tensor: 1-63\n"));
  EXPECT_THAT(text, Not(HasSubstr("byte_addr 1 leaves")));
  EXPECT_THAT(text, Not(HasSubstr("--json")));
  for (int i = 0; i < 6; ++i)
    report.checks[0].violations.push_back(Said(std::string(1, static_cast<char>('a' + i))));
  EXPECT_THAT(ToText(report), HasSubstr("… and 2 more of check allocation; --json lists them all"));
}

}  // namespace
}  // namespace spillway
