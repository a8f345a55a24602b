// The rules of direct allocation as their readers find them.
#include "model/alloc/nki/allocation_rule.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

namespace spillway::nki {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string TableOfRules() {
  std::string table = "| rule | asks that | kind | source |\n|---|---|---|---|\n";
  for (const AllocationRuleRow& row : AllocationRules()) {
    table += fmt::format("| `{}` | {} | `{}` | {}{} |\n", row.name, row.meaning, KindName(row.kind),
                         row.source,
                         row.nki_error.empty() ? "" : fmt::format("; NKI: `{}`", row.nki_error));
  }
  return table;
}

TEST(AllocationRules, StandInTheDocumentAsInTheCode) {
  std::ifstream file(SPILLWAY_SOURCE_DIR "/docs/nki.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(document, HasSubstr("## Rules of direct allocation\n"));
  EXPECT_THAT(document, HasSubstr("\n\n" + TableOfRules() + "\n")) << TableOfRules();
}

TEST(AllocationRules, HaveNamesOfTheirOwnThatSayWhatTheyAsk) {
  std::set<std::string_view> names;
  for (const AllocationRuleRow& row : AllocationRules()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    EXPECT_FALSE(row.source.empty()) << row.name;
  }
}

TEST(BrokenRule, NamesWhatItsReaderCanOpenAndNoOtherDocument) {
  Tensor tensor;
  tensor.name = "t";
  for (const AllocationRuleRow& row : AllocationRules()) {
    const std::string text = BrokenRule(row.rule, tensor, "is broken").text;
    EXPECT_THAT(text, HasSubstr("[docs/nki.md: " + std::string(row.name)));
    EXPECT_THAT(text, HasSubstr(std::string(row.nki_error)));
    for (const char* reference : {"seed", "isa_costs", "nki_surface", "kernel_format"})
      EXPECT_THAT(text, Not(HasSubstr(reference)));
  }
}

}  // namespace
}  // namespace spillway::nki
