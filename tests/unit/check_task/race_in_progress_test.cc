// Engine 2's rule of a conflict, row by row of the definition.
#include "model/alloc/check_task/race_in_progress.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

/// Two resources over one place, and a third one beside it.
PreparedSystem TwoTasks() {
  return Prepare(R"({"system": "s", "version": 1, "barriers": "none",
    "allocations": [
      {"name": "m", "space": "sbuf", "size": 64, "at": 0},
      {"name": "n", "space": "sbuf", "size": 64, "at": 32, "partitions": [0, 64]},
      {"name": "o", "space": "sbuf", "size": 64, "at": 64, "partitions": [64, 64]}],
    "resources": [{"name": "m", "regions": [{"allocation": "m"}]},
                  {"name": "n", "regions": [{"allocation": "n"}]},
                  {"name": "o", "regions": [{"allocation": "o"}]}],
    "tasks": [{"name": "A", "ops": [{"read": "m"}]}, {"name": "B", "ops": [{"read": "m"}]}]})");
}

constexpr ResourceId kM{0};
constexpr ResourceId kN{1};
constexpr ResourceId kO{2};

AccessPoint Point(std::uint32_t task, SideKind actor, AccessKind access, ResourceId resource,
                  std::uint32_t step) {
  return {{{TaskId(task), actor}, access, resource}, step, step, 0};
}

TEST(RaceInProgressTest, ConflictsAreOfTwoActorsOrTwoTransfersAndNotOfReadsAlone) {
  const PreparedSystem two = TwoTasks();
  using enum SideKind;
  using enum AccessKind;
  struct Row {
    std::string what;
    AccessPoint a;
    AccessPoint b;
    bool conflicts;
  };
  const std::vector<Row> rows = {
      {"two tasks", Point(0, kThread, kWrite, kM, 0), Point(1, kThread, kRead, kM, 0), true},
      {"two reads", Point(0, kThread, kRead, kM, 0), Point(1, kThread, kRead, kM, 0), false},
      {"two uses", Point(0, kThread, kUse, kM, 0), Point(1, kThread, kUse, kM, 0), true},
      {"one task", Point(0, kThread, kWrite, kM, 0), Point(0, kThread, kWrite, kM, 1), false},
      {"one matrix unit", Point(0, kMatrix, kWrite, kM, 0), Point(0, kMatrix, kRead, kM, 1), false},
      {"two matrix units", Point(0, kMatrix, kWrite, kM, 0), Point(1, kMatrix, kRead, kM, 1), true},
      {"a task and its matrix unit", Point(0, kThread, kWrite, kM, 0),
       Point(0, kMatrix, kWrite, kM, 1), true},
      {"a task and its transfer", Point(0, kThread, kRead, kM, 0), Point(0, kDma, kWrite, kM, 1),
       true},
      {"two transfers", Point(0, kDma, kWrite, kM, 0), Point(0, kDma, kWrite, kM, 1), true},
      {"one transfer", Point(0, kDma, kWrite, kM, 0), Point(0, kDma, kRead, kM, 0), false},
      {"a shared rectangle", Point(0, kThread, kWrite, kM, 0), Point(1, kThread, kWrite, kN, 0),
       true},
      {"ranges that touch", Point(0, kThread, kWrite, kM, 0), Point(1, kThread, kWrite, kO, 0),
       false},
      {"bands that touch", Point(0, kThread, kWrite, kN, 0), Point(1, kThread, kWrite, kO, 0),
       false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ConflictInProgress(two.program, row.a, row.b), row.conflicts) << row.what;
    EXPECT_EQ(ConflictInProgress(two.program, row.b, row.a), row.conflicts) << row.what;
  }
}

TEST(RaceInProgressTest, NamesStandInOrderAndTheRangeIsWhatBothShare) {
  const PreparedSystem two = TwoTasks();
  const AccessPoint a = Point(0, SideKind::kThread, AccessKind::kWrite, kM, 0);
  const AccessPoint b = Point(1, SideKind::kThread, AccessKind::kRead, kN, 0);
  const Race race = RaceInProgress(two.system, two.program, b, a);
  EXPECT_EQ(race, RaceInProgress(two.system, two.program, a, b));
  EXPECT_EQ(race.a, a);
  EXPECT_EQ(race.b, b);
  EXPECT_EQ(race.space, MemorySpace::kSbuf);
  EXPECT_EQ(race.range, (Interval<UnitOffset>{UnitOffset(32), UnitOffset(64)}));
  // Of equal names the earlier one.
  const AccessPoint first = Point(0, SideKind::kDma, AccessKind::kWrite, kM, 3);
  const AccessPoint second = Point(0, SideKind::kDma, AccessKind::kWrite, kM, 5);
  EXPECT_EQ(RaceInProgress(two.system, two.program, second, first).a, first);
}

}  // namespace
}  // namespace spillway::task
