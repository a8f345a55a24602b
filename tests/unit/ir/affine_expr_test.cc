#include "model/alloc/ir/affine_expr.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/hw/error.h"

namespace spillway {
namespace {

AffineExpr Expr(std::int64_t constant, std::vector<AffineTerm> terms, std::int64_t modulus = 0) {
  AffineExpr expr(constant);
  expr.terms = std::move(terms);
  expr.modulus = modulus;
  return expr;
}

TEST(AffineExprTest, NormalizedSortsMergesAndDropsZeros) {
  const AffineExpr messy =
      Expr(1, {{LoopId(2), 5}, {LoopId(0), 3}, {LoopId(2), -5}, {LoopId(0), 1}});
  EXPECT_EQ(Normalized(messy), Expr(1, {{LoopId(0), 4}}));
}

TEST(AffineExprTest, AConstantIsReducedByItsModulus) {
  EXPECT_EQ(Normalized(Expr(-1, {}, 4)), AffineExpr(3));
  EXPECT_EQ(Normalized(Expr(9, {{LoopId(0), 0}}, 4)), AffineExpr(1));
  EXPECT_EQ(Normalized(Expr(9, {{LoopId(0), 1}}, 4)), Expr(9, {{LoopId(0), 1}}, 4));
}

TEST(AffineExprTest, TheModulusIsNeverNegative) {
  const std::vector<std::int64_t> values = {-3};
  EXPECT_EQ(Evaluate(Expr(0, {{LoopId(0), 1}}, 2), values), 1);
  EXPECT_EQ(Evaluate(Expr(0, {{LoopId(0), 2}}), values), -6);
}

TEST(AffineExprTest, ALoopWithoutAValueIsAContractViolation) {
  EXPECT_THROW(Evaluate(Expr(0, {{LoopId(1), 1}}), std::vector<std::int64_t>{0}),
               ContractViolation);
  EXPECT_THROW(RangeOf(Expr(0, {{LoopId(1), 1}}), std::vector<ValueRange>{{0, 1}}),
               ContractViolation);
}

TEST(AffineExprTest, ScaleAddHasNoFormForASumWithAModulus) {
  const AffineExpr mod = Expr(0, {{LoopId(0), 1}}, 2);
  EXPECT_EQ(ScaleAdd(mod, 1, AffineExpr(4)), std::nullopt);
  EXPECT_EQ(ScaleAdd(mod, -1, AffineExpr(0)), std::nullopt);
  EXPECT_EQ(ScaleAdd(mod, 3, AffineExpr(0)), Expr(0, {{LoopId(0), 3}}, 6));
  EXPECT_EQ(ScaleAdd(mod, 0, AffineExpr(0)), AffineExpr(0));
  EXPECT_EQ(ScaleAdd(AffineExpr(0), 5, mod), mod);
}

TEST(AffineExprTest, ARangeWithinOnePeriodStaysExact) {
  const std::vector<ValueRange> loops = {{5, 7}};
  const ValueRange inside = RangeOf(Expr(0, {{LoopId(0), 1}}, 8), loops);
  EXPECT_EQ(inside.min, 5);
  EXPECT_EQ(inside.max, 7);
  const ValueRange wrapped = RangeOf(Expr(2, {{LoopId(0), 1}}, 8), loops);  // 7, 0, 1
  EXPECT_EQ(wrapped.min, 0);
  EXPECT_EQ(wrapped.max, 7);
}

AffineExpr RandomExpr() {
  const auto draw = [](int low, int high) { return *rc::gen::inRange<std::int64_t>(low, high); };
  std::vector<AffineTerm> terms;
  for (std::int64_t n = draw(0, 5); n > 0; --n)
    terms.push_back({LoopId(static_cast<int>(draw(0, 3))), draw(-5, 6)});
  return Expr(draw(-20, 21), std::move(terms), draw(0, 3) == 0 ? draw(1, 9) : 0);
}

std::vector<std::int64_t> RandomValues() {
  return *rc::gen::container<std::vector<std::int64_t>>(3, rc::gen::inRange<std::int64_t>(-9, 10));
}

RC_GTEST_PROP(AffineExprProperty, NormalizingKeepsTheValue, ()) {
  const AffineExpr expr = RandomExpr();
  const auto values = RandomValues();
  const AffineExpr normal = Normalized(expr);
  RC_ASSERT(Evaluate(normal, values) == Evaluate(expr, values));
  RC_ASSERT(Normalized(normal) == normal);
}

RC_GTEST_PROP(AffineExprProperty, ScaleAddIsWhatItsNameSaysWhereItExists, ()) {
  const AffineExpr a = RandomExpr();
  const AffineExpr b = Normalized(RandomExpr());
  const auto factor = *rc::gen::inRange<std::int64_t>(-4, 5);
  const std::optional<AffineExpr> sum = ScaleAdd(a, factor, b);
  RC_CLASSIFY(sum.has_value(), "has a form");
  if (a.modulus == 0 && b.modulus == 0) RC_ASSERT(sum.has_value());
  if (!sum) return;
  const auto values = RandomValues();
  RC_ASSERT(Evaluate(*sum, values) == Evaluate(a, values) * factor + Evaluate(b, values));
}

RC_GTEST_PROP(AffineExprProperty, TheRangeHoldsEveryValueAndIsExactWithoutAModulus, ()) {
  const AffineExpr expr = Normalized(RandomExpr());
  std::vector<ValueRange> loops;
  for (int l = 0; l < 3; ++l) {
    const auto min = *rc::gen::inRange<std::int64_t>(-4, 5);
    loops.push_back({min, min + *rc::gen::inRange<std::int64_t>(0, 4)});
  }
  const ValueRange range = RangeOf(expr, loops);
  bool at_min = false;
  bool at_max = false;
  for (std::int64_t a = loops[0].min; a <= loops[0].max; ++a) {
    for (std::int64_t b = loops[1].min; b <= loops[1].max; ++b) {
      for (std::int64_t c = loops[2].min; c <= loops[2].max; ++c) {
        const std::int64_t value = Evaluate(expr, std::vector<std::int64_t>{a, b, c});
        RC_ASSERT(range.min <= value);
        RC_ASSERT(value <= range.max);
        at_min = at_min || value == range.min;
        at_max = at_max || value == range.max;
      }
    }
  }
  if (expr.modulus == 0) RC_ASSERT(at_min && at_max);
}

}  // namespace
}  // namespace spillway
