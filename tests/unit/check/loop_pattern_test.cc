#include "model/alloc/check/loop_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/check/test_kernel.h"

namespace spillway::check {
namespace {

constexpr LoopId kLoop(0);
constexpr LoopId kOther(1);

Loop LoopOf(std::int64_t begin, std::int64_t end, std::int64_t step) {
  Loop loop;
  loop.begin = begin;
  loop.end = end;
  loop.step = step;
  return loop;
}

TEST(LoopPattern, WhatDoesNotDependOnTheLoopRepeatsAtOnce) {
  LoopPattern pattern;
  pattern.AddIndex(Times(kOther, 3, 1), kLoop, LoopOf(0, 10, 1));
  EXPECT_EQ(pattern.period, 1);
}

TEST(LoopPattern, AModulusRepeatsAndAColumnDoesNot) {
  LoopPattern pattern;
  pattern.AddIndex(Modulo(Times(kLoop, 2), 8), kLoop, LoopOf(0, 100, 1));
  EXPECT_EQ(pattern.period, 4);
  pattern.AddIndex(Modulo(Times(kLoop, 1), 6), kLoop, LoopOf(0, 100, 1));
  EXPECT_EQ(pattern.period, 12);
  pattern.AddIndex(Times(kLoop, 1), kLoop, LoopOf(0, 100, 1));
  EXPECT_EQ(pattern.period, 0);
}

TEST(LoopPattern, IndicesRepeatWithItsPeriod) {
  for (const std::int64_t step : {1, 2, 3, -1, -4}) {
    for (std::int64_t modulus = 1; modulus <= 9; ++modulus) {
      for (const std::int64_t coefficient : {1, 2, 3, 6, -5}) {
        const AffineExpr index = Modulo(Times(kLoop, coefficient, 4), modulus);
        LoopPattern pattern;
        pattern.AddIndex(index, kLoop, LoopOf(7, 7 + step * 40, step));
        ASSERT_GE(pattern.period, 1);
        for (std::int64_t k = 0; k < 20; ++k) {
          const std::vector<std::int64_t> now = {7 + step * k};
          const std::vector<std::int64_t> later = {7 + step * (k + pattern.period)};
          ASSERT_EQ(Evaluate(index, now), Evaluate(index, later));
        }
      }
    }
  }
}

// Every iteration at which the predicate holds and the one before it doesn't, or the reverse.
TEST(LoopPattern, APredicateTurnsAtItsTurnsAlone) {
  for (const Comparison comparison :
       {Comparison::kGreaterEqual, Comparison::kGreater, Comparison::kLessEqual, Comparison::kLess,
        Comparison::kEqual, Comparison::kNotEqual}) {
    for (const std::int64_t step : {1, 2, -3}) {
      for (const std::int64_t coefficient : {1, -2, 3}) {
        for (std::int64_t constant = -30; constant <= 30; ++constant) {
          const Predicate predicate{Times(kLoop, coefficient, constant), comparison};
          const Loop loop = LoopOf(2, 2 + step * 20, step);
          LoopPattern pattern;
          pattern.AddPredicate(predicate, kLoop, loop);
          ASSERT_EQ(pattern.period, 1);
          ASSERT_TRUE(std::is_sorted(pattern.turns.begin(), pattern.turns.end()));
          for (std::int64_t k = 1; k < 20; ++k) {
            const std::vector<std::int64_t> now = {2 + step * k};
            const std::vector<std::int64_t> before = {2 + step * (k - 1)};
            if (Holds({predicate}, now) == Holds({predicate}, before)) continue;
            ASSERT_TRUE(std::binary_search(pattern.turns.begin(), pattern.turns.end(), k));
          }
        }
      }
    }
  }
}

TEST(LoopPattern, APredicateOnTwoLoopsNeverRepeats) {
  AffineExpr both = Times(kLoop, 1);
  both.terms.push_back({kOther, 1});
  LoopPattern pattern;
  pattern.AddPredicate(AtLeastZero(both), kLoop, LoopOf(0, 10, 1));
  EXPECT_EQ(pattern.period, 0);
}

}  // namespace
}  // namespace spillway::check
