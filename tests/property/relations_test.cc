// Every row of the table of properties on random bytes, and what the relations' costs say.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "properties/allocation_problem.h"
#include "properties/colouring_round.h"
#include "properties/problem_outcome.h"
#include "properties/property_table.h"
#include "properties/rapidcheck_kernels.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}

const PropertyRow& RowOf(std::string_view name) {
  for (const PropertyRow& row : AllProperties()) {
    if (row.name == name) return row;
  }
  SPILLWAY_CHECK(false, "the table has that row");
  return AllProperties().front();
}

/// A problem with all banks of PSUM, mostly on trn2.
std::vector<std::uint8_t> BytesOf(const KernelCase& c, std::uint8_t target) {
  std::vector<std::uint8_t> bytes = {c.tightness, 0, target, 0};
  const std::vector<std::uint8_t> choices = BytesOf(c.choices);
  bytes.insert(bytes.end(), choices.begin(), choices.end());
  return bytes;
}

Shares CheckRow(const PropertyRow& row) {
  Shares shares;
  CheckProperty(row.name, row.cases, [&] {
    // Rows without a kernel take bytes as they come.
    const std::vector<std::uint8_t> bytes =
        row.of_case == nullptr ? *AnyBytes(240) : BytesOf(*AnyKernel(), *AnyByte());
    const RelationVerdict verdict = AskProperty(row, bytes);
    if (!verdict.faults.empty()) RC_FAIL(fmt::format("{}", fmt::join(verdict.faults, "\n")));
    shares.Case();
    shares.Count("applies", verdict.facts.applies);
    shares.Count("spilled", verdict.facts.spilled);
    shares.Count("cheaper", verdict.facts.cheaper);
    shares.Count("dearer", verdict.facts.dearer);
  });
  shares.AtLeast("applies", row.applies);
  shares.AtLeast("spilled", row.spills);
  return shares;
}

class PropertyTable : public ::testing::TestWithParam<PropertyRow> {};

TEST_P(PropertyTable, HoldsOnRandomBytes) { CheckRow(GetParam()); }

std::string NameOf(const ::testing::TestParamInfo<PropertyRow>& info) {
  std::string name(info.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, PropertyTable,
                         ::testing::ValuesIn(AllProperties().begin(), AllProperties().end()),
                         NameOf);

// The relations had one driver of four: no campaign, fuzzer or mutation run asked them.
TEST(Properties, HaveOneNameAndOneFunctionARow) {
  std::set<std::string_view> names;
  for (const PropertyRow& row : AllProperties()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_NE(row.of_bytes == nullptr, row.of_case == nullptr) << row.name;
    if (row.kind != PropertyKind::kPass) {
      EXPECT_NE(row.of_case, nullptr) << row.name;
    }
  }
  EXPECT_GE(names.size(), 30u);
}

TEST(Relations, AreAJudgeThatIsAskedByNameAlone) {
  const auto asked = [](const std::vector<JudgeId>& judges) {
    return std::count(judges.begin(), judges.end(), JudgeId::kRelations);
  };
  EXPECT_EQ(asked(AllJudges()), 0);
  EXPECT_EQ(asked(NamedJudges()), 1);
  for (std::uint64_t index = 0; index < 20; ++index) {
    const ProblemOutcome outcome =
        JudgeProblem(DecodeProblem(ProblemBytes(11, index)), Allocate, {JudgeId::kRelations});
    for (const Finding& finding : outcome.findings)
      ADD_FAILURE() << index << " " << KeyOf(finding) << ": " << finding.text;
  }
}

TEST(Relations, TiesGoToTheTensorThatWasDeclaredFirst) {
  CheckRow(RowOf("other-order")).AtMost("dearer", 10);
}

// Not a law of a heuristic: one granule more may make it choose worse.
TEST(Relations, MoreCapacitySeldomCostsMore) {
  Shares shares = CheckRow(RowOf("more-capacity"));
  shares.AtMost("dearer", 15);
  shares.AtLeast("cheaper", 10);
}

TEST(Relations, SlowerDmaMostlyEndsLater) { CheckRow(RowOf("slower-dma")).AtLeast("dearer", 80); }

// Three tensors of a matmul's group that fill the memory but for their padding: they were taken to
// fit where bytes that fill no granule made up for it.
TEST(Relations, LooseBytesMakeNoRoomForAGroup) {
  const KernelCase c{ChoicesOf(std::vector<std::uint8_t>{
      0, 0, 0, 1, 79, 0, 0, 0, 0,  0, 0, 1, 0, 0, 0, 0, 11, 3, 0,  0, 0, 0, 0, 0,
      0, 0, 0, 1, 0,  0, 0, 0, 11, 1, 0, 0, 0, 0, 0, 0, 1,  0, 82, 0, 0, 0, 0, 0})};
  const Kernel kernel = c.Decode();
  const Bytes capacity = NeedsOf(kernel, Trn2().sbuf_granule).largest_working_set;
  EXPECT_THAT(CheckLooseBytes({kernel, capacity, Trn2(), ClosedFormFor(Trn2()), 36}).faults,
              ::testing::IsEmpty());
}

}  // namespace
}  // namespace spillway
