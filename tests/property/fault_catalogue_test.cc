// The catalogue of faults against the list that asks for them.
#include "properties/fault_catalogue.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace spillway {
namespace {

TEST(FaultCatalogue, HasEveryRowOfTheListOnceInItsOrder) {
  // Source: verification.md §3.3: 17 + 26 + 20 + 15 + 7 rows.
  std::vector<std::string> wanted;
  for (const auto& [letter, count] :
       {std::pair{'A', 17}, {'B', 26}, {'C', 20}, {'D', 15}, {'E', 7}}) {
    for (int i = 1; i <= count; ++i) wanted.push_back(letter + std::to_string(i));
  }
  std::vector<std::string> found;
  for (const FaultRow& row : FaultCatalogue()) {
    if (row.id.front() != 'N') found.emplace_back(row.id);
  }
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(found.size(), 85u);
}

TEST(FaultCatalogue, HasTheRowsOfItsOwnBehindTheListOnceAndInOrder) {
  int last = 0;
  for (const FaultRow& row : FaultCatalogue()) {
    if (row.id.front() != 'N') {
      EXPECT_EQ(last, 0) << row.id << " stands behind the project's own rows";
      continue;
    }
    const int number = std::stoi(std::string(row.id.substr(1)));
    EXPECT_GT(number, last) << row.id;
    last = number;
  }
  EXPECT_GT(last, 0);
}

TEST(FaultCatalogue, ArguesForWhatIsEquivalentAndSaysWhatARowWithoutCodeWaitsFor) {
  for (const FaultRow& row : FaultCatalogue()) {
    EXPECT_FALSE(row.what.empty()) << row.id;
    EXPECT_EQ(row.note.empty(), row.status == FaultStatus::kSeam) << row.id;
    EXPECT_EQ(row.where.empty(), row.status == FaultStatus::kNoCode) << row.id;
  }
}

TEST(FaultCatalogue, PlantsEveryVariantOfARowThatHasCode) {
  const std::vector<std::string> ids = PlantableFaults();
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_EQ(FindFault("B10.80")->id, "B10");
  EXPECT_EQ(FindFault("A1")->id, "A1");
  EXPECT_EQ(FindFault("none"), nullptr);
  for (const std::string& id : ids) {
    const FaultRow* row = FindFault(id);
    ASSERT_NE(row, nullptr) << id;
    EXPECT_NE(row->status, FaultStatus::kNoCode) << id;
    EXPECT_EQ(id.find('.') == std::string::npos, row->variants == 0) << id;
  }
}

}  // namespace
}  // namespace spillway
