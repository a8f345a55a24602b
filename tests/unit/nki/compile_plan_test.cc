#include "model/alloc/nki/compile_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/nki/small_kernel.h"

namespace spillway::nki {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Planned {
  const char* what;
  std::vector<Attr> opts;
  CompilePlan plan;
};

TEST(PlanCompile, SaysWhatEachOptionAsksFor) {
  const std::vector<Planned> table = {
      {"nothing", {}, {false, PlannedAllocator::kColoring, true, std::nullopt}},
      {"force_auto_alloc",
       {{"force_auto_alloc", true}},
       {true, PlannedAllocator::kColoring, true, std::nullopt}},
      {"skip_middle_end alone leaves the colourers on",
       {{"skip_middle_end", true}},
       {false, PlannedAllocator::kColoring, false, std::nullopt}},
      {"opt_level says the same",
       {{"opt_level", "skip_middle_end"}},
       {false, PlannedAllocator::kColoring, false, std::nullopt}},
      {"skip_allocators alone leaves it to the author",
       {{"skip_allocators", true}},
       {false, PlannedAllocator::kAuthor, true, std::nullopt}},
      {"a target",
       {{"platform_target", "trn1"}},
       {false, PlannedAllocator::kColoring, true, "trn1"}},
      {"the stack allocator",
       {{"allocator_type", "stack"}, {"skip_allocators", true}, {"skip_middle_end", true}},
       {false, PlannedAllocator::kStack, false, std::nullopt}},
      {"linear scan",
       {{"allocator_type", "linear_scan"}, {"skip_allocators", true}, {"skip_middle_end", true}},
       {false, PlannedAllocator::kLinearScan, false, std::nullopt}},
      {"force_auto_alloc without the middle end",
       {{"force_auto_alloc", true}, {"skip_middle_end", true}},
       {true, PlannedAllocator::kColoring, false, std::nullopt}},
  };
  for (const Planned& row : table) {
    const Result<CompilePlan> plan = PlanCompile(OptsOf(row.opts));
    ASSERT_TRUE(plan.has_value()) << row.what << ": " << plan.error().ToString();
    EXPECT_EQ(plan->ignore_at, row.plan.ignore_at) << row.what;
    EXPECT_EQ(plan->allocator, row.plan.allocator) << row.what;
    EXPECT_EQ(plan->run_middle_end, row.plan.run_middle_end) << row.what;
    EXPECT_EQ(plan->target, row.plan.target) << row.what;
  }
}

TEST(PlanCompile, NeedsAddressesWhereNoAllocatorRuns) {
  for (const auto& [allocator, needs] : {std::pair{PlannedAllocator::kColoring, false},
                                         {PlannedAllocator::kStack, false},
                                         {PlannedAllocator::kLinearScan, false},
                                         {PlannedAllocator::kAuthor, true}}) {
    CompilePlan plan;
    plan.allocator = allocator;
    EXPECT_EQ(plan.needs_addresses(), needs) << static_cast<int>(allocator);
  }
}

struct Contradiction {
  std::vector<Attr> opts;
  const char* code;
  const char* part;
  const char* other_part;
};

TEST(PlanCompile, RefusesOptionsThatContradictEachOther) {
  const Attr stack{"allocator_type", "stack"};
  const Attr skip{"skip_allocators", true};
  const Attr middle{"skip_middle_end", true};
  const Attr automatic{"force_auto_alloc", true};
  const std::vector<Contradiction> table = {
      {{stack, skip, middle, automatic},
       "nki-allocator-with-force-auto-alloc",
       "Allocator 'stack' is not compatible with `@force_auto_alloc`!",
       ""},
      {{stack, skip},
       "nki-allocator-without-skip-middle-end",
       "Cannot set allocator for kernel without `@skip_middle_end_transformations`!",
       ""},
      {{stack, middle}, "nki-allocator-beside-colorers", "\"stack\"", "skip_allocators is false"},
      {{skip, automatic}, "nki-nobody-allocates", "force_auto_alloc", "skip_allocators"},
      {{skip, automatic, middle}, "nki-nobody-allocates", "force_auto_alloc", "skip_allocators"},
  };
  for (const Contradiction& row : table) {
    const Result<CompilePlan> plan = PlanCompile(OptsOf(row.opts));
    ASSERT_FALSE(plan.has_value()) << row.code;
    EXPECT_EQ(plan.error().code, row.code);
    EXPECT_EQ(plan.error().kind, Kind::kMixedAllocation);
    EXPECT_THAT(plan.error().message, AllOf(HasSubstr(row.part), HasSubstr(row.other_part)));
  }
}

}  // namespace
}  // namespace spillway::nki
