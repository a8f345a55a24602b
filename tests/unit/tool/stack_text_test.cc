// What the tool shows of the stack allocator's work, in text and in JSON.
#include "sim/tool/stack_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/nki/stack_manager.h"
#include "sim/tool/json_report.h"
#include "sim/tool/pipeline.h"
#include "sim/tool/text_report.h"

namespace spillway {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

KernelRun Allocated(const std::string& allocator) {
  ToolOptions options;
  options.allocator = allocator;
  options.reallocate = true;
  options.oracle = "closed-form";
  options.stack_log = true;
  return AllocateKernel(SPILLWAY_SOURCE_DIR "/traces/cases/quadrants_share_bytes.kernel.jsonl",
                        options, {});
}

// Two tiles of 32 partitions: the stack puts them one behind the other.
TEST(StackText, ShowsStatisticsBelowTheKernelAndTheTreeOfScopesAndTiles) {
  const RunReport report = Allocated("stack").report;
  ASSERT_EQ(report.verdict, Verdict::kPass) << report.message;
  EXPECT_EQ(StackSummary(report),
            "      [SBM] SB memory statistics: max_usage=8192 B (3%), free=204792 B, stack=8192 B "
            "(2 allocs), heap=0 B (0 allocs)\n"
            "      [SBM] SB memory waste: 786432 byte-partitions unused at the peak, fullest "
            "partition 8192 B\n"
            "      [SBM] no section shares bytes with a neighbour\n");
  EXPECT_EQ(StackTree(report),
            "      [SBM] Allocations:\n"
            "          ▶ SCOPE 'quadrants_share_bytes' [interleave=1] @ 0\n"
            "          ├── q0: 4096 B @ 0 (32, 1024) float32\n"
            "          └── q1: 4096 B @ 4096 (32, 1024) float32\n"
            "          ◀ END 'quadrants_share_bytes' freed=8192 B\n");
  EXPECT_THAT(AllocationText(report), HasSubstr(StackSummary(report)));
  EXPECT_THAT(AllocationText(report), Not(HasSubstr("SCOPE")));
}

TEST(StackText, IsInTheJsonWhereTheStackAllocatorWorkedAndNowhereElse) {
  const std::string json = ToJson({Allocated("stack").report});
  EXPECT_THAT(json, AllOf(HasSubstr("\"stack\": {"), HasSubstr("\"max_combined_bytes\": 8192"),
                          HasSubstr("\"overlaps\": []"), HasSubstr("\"heap_overlaps\": []"),
                          HasSubstr("└── q1: 4096 B @ 4096 (32, 1024) float32")));
  const RunReport other = Allocated("linear-scan").report;
  EXPECT_THAT(ToJson({other}), Not(HasSubstr("\"stack\"")));
  EXPECT_EQ(StackSummary(other) + StackTree(other), "");
  EXPECT_THAT(other.remarks,
              testing::Contains("the allocator linear-scan keeps no log of a stack; --allocator "
                                "stack does"));
}

// Sections of unequal size, and a heap tile over one of them: none that a captured kernel has.
TEST(StackText, NamesSectionsAndHeapTilesThatShareBytes) {
  nki::StackOptions window;
  window.window = Interval<ByteOffset>{ByteOffset(0), ByteOffset(100)};
  nki::StackManager manager = *nki::StackManager::Create(*FindTarget("trn2"), window);
  ASSERT_TRUE(manager.OpenScope(2, "loop").has_value());
  for (const std::int64_t bytes : {10, 30, 20}) {
    ASSERT_TRUE(manager.AllocStack({"t", {128, bytes}, "uint8", Space::kSbuf, {}, {}}));
    ASSERT_TRUE(manager.IncrementSection().has_value());
  }
  ASSERT_TRUE(manager.IncrementSection().has_value());
  ASSERT_TRUE(manager.CloseScope().has_value());
  ASSERT_TRUE(manager.OpenScope(2, "next").has_value());
  ASSERT_TRUE(manager.IncrementSection().has_value());
  ASSERT_TRUE(manager.AllocStack({"s", {128, 40}, "uint8", Space::kSbuf, {}, {}}));
  ASSERT_TRUE(manager.IncrementSection().has_value());
  ASSERT_TRUE(manager.AllocHeap({"h", {128, 80}, "uint8", Space::kSbuf, {}, {}}));
  ASSERT_TRUE(manager.PopHeap().has_value());
  ASSERT_TRUE(manager.CloseScope().has_value());
  RunReport report;
  report.stack = {manager.statistics(), manager.overlaps(), manager.heap_overlaps(),
                  manager.Tree()};
  EXPECT_THAT(StackSummary(report),
              AllOf(HasSubstr("[SBM] scope 'loop' [interleave=2]: iteration 2 (section 0) at bytes "
                              "[0, 20) overlaps iteration 1"),
                    HasSubstr("[SBM] scope 'next' [interleave=2]: heap tile 'h' of iteration 2"),
                    Not(HasSubstr("no section shares"))));
  EXPECT_THAT(ToJson({report}),
              AllOf(HasSubstr("\"later_tile\": {"), HasSubstr("\"name\": \"h\""),
                    HasSubstr("\"region\": \"heap\""), HasSubstr("\"interleave_degree\": 2")));
}

}  // namespace
}  // namespace spillway
