#include "traces/guarded_range.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway {
namespace {

AffineExpr Var(int loop, std::int64_t coefficient = 1) {
  AffineExpr expr;
  expr.terms.push_back({LoopId(loop), coefficient});
  return Normalized(expr);
}

Loop Times(std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
  return {"l", LoopKind::kAffine, begin, end, step, std::nullopt};
}

void ExpectRange(const std::optional<ValueRange>& range, std::int64_t min, std::int64_t max) {
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->min, min);
  EXPECT_EQ(range->max, max);
}

TEST(GuardedRangesTest, RangesFollowTheStepAndItsSign) {
  GuardedRanges ranges(1000, 1000);
  ranges.Open(Times(0, 10, 4));   // 0 4 8
  ranges.Open(Times(5, -2, -3));  // 5 2 -1
  EXPECT_EQ(ranges.Range(Var(0)).max, 8);
  EXPECT_EQ(ranges.Range(Var(1)).min, -1);
  EXPECT_EQ(ranges.Range(Var(0) - Var(1)).max, 9);
}

TEST(GuardedRangesTest, EnumerationIsExactUnderAModulus) {
  GuardedRanges ranges(1000, 1000);
  ranges.Open(Times(0, 5));
  // 2 i mod 4 is 0 or 2; interval arithmetic alone would say 0 to 3.
  ExpectRange(ranges.RangeUnder((Var(0) * 2) % 4, {}), 0, 2);
}

TEST(GuardedRangesTest, NothingWherePredicatesNeverHold) {
  GuardedRanges small(1000, 1000);
  GuardedRanges large(1, 0);
  for (GuardedRanges* ranges : {&small, &large}) {
    ranges->Open(Times(0, 8));
    EXPECT_FALSE(ranges->RangeUnder(Var(0), {AtLeast(Var(0), 8)}).has_value());
  }
}

TEST(GuardedRangesTest, WithoutEnumerationPredicatesNarrowTheLoops) {
  GuardedRanges ranges(10, 10);
  ranges.Open(Times(0, 1'000'000));
  ExpectRange(ranges.RangeUnder(Var(0) * 3, {LessThan(Var(0), 100)}), 0, 297);
  ExpectRange(ranges.RangeUnder(Var(0), {Equals(Var(0), 7)}), 7, 7);
}

TEST(GuardedRangesTest, WithoutEnumerationARaggedTileIsBoundedThroughItsPredicate) {
  GuardedRanges ranges(10, 10);
  ranges.Open(Times(0, 1000));
  ranges.Open(Times(0, 128));
  const AffineExpr row = Var(0) * 128 + Var(1);
  ExpectRange(ranges.RangeUnder(row * 4 + 1, {LessThan(row, 100'000)}), 1, 4 * 99'999 + 1);
}

TEST(GuardedRangesTest, TheBudgetOfAFileRunsOut) {
  GuardedRanges ranges(100, 150);
  ranges.Open(Times(0, 100));
  const AffineExpr even = (Var(0) * 2) % 4;
  ExpectRange(ranges.RangeUnder(even, {}), 0, 2);
  ExpectRange(ranges.RangeUnder(even, {}), 0, 3);  // interval arithmetic: wider, never wrong
}

RC_GTEST_PROP(GuardedRangesProperty, IntervalArithmeticHoldsEverythingThatEnumerationFinds, ()) {
  const auto small = [](int low, int high) { return *rc::gen::inRange<std::int64_t>(low, high); };
  GuardedRanges exact(1'000'000, 1'000'000);
  GuardedRanges wide(0, 0);
  for (int l = 0; l < 3; ++l) {
    const std::int64_t begin = small(-5, 6);
    const std::int64_t step = small(0, 2) == 0 ? small(1, 4) : -small(1, 4);
    const Loop loop = Times(begin, begin + step * small(1, 6), step);
    exact.Open(loop);
    wide.Open(loop);
  }
  const auto index = [&] {
    AffineExpr expr =
        Var(0, small(-4, 5)) + Var(1, small(-4, 5)) + Var(2, small(-4, 5)) + small(-9, 10);
    return small(0, 4) == 0 ? expr % small(1, 9) : expr;
  };
  std::vector<Predicate> when;
  for (std::int64_t n = small(0, 4); n > 0; --n)
    when.push_back({index(), static_cast<Comparison>(small(0, 6))});
  const AffineExpr expr = index();
  const auto found = exact.RangeUnder(expr, when);
  const auto bound = wide.RangeUnder(expr, when);
  RC_CLASSIFY(found.has_value(), "some iteration runs");
  if (!found) return;
  RC_ASSERT(bound.has_value());
  RC_ASSERT(bound->min <= found->min);
  RC_ASSERT(bound->max >= found->max);
}

}  // namespace
}  // namespace spillway
