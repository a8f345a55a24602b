#include "model/alloc/check/byte_plane.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "tests/unit/check/test_kernel.h"

namespace spillway::check {
namespace {

constexpr int kRows = 8;
constexpr int kBytes = 24;

Rectangle Rect(int row, int rows, int byte, int bytes) {
  return {{Partition(row), Partition(row + rows)}, Range(byte, byte + bytes)};
}

TEST(BytePlane, KnowsNothingOfWhatNobodyTouched) {
  const BytePlane<int> plane;
  int area = 0;
  plane.Look(Rect(0, 4, 3, 5), [&](int cell, const Rectangle& where) {
    EXPECT_EQ(cell, 0);
    area += static_cast<int>((where.bytes.end - where.bytes.begin).value);
  });
  EXPECT_EQ(area, 5);
}

TEST(BytePlane, CoversWhatOneWriteCovered) {
  BytePlane<int> plane;
  plane.Replace(Rect(0, 8, 0, 24), 7, [](int, const Rectangle&) {});
  ASSERT_NE(plane.Covering(Rect(2, 3, 4, 5)), nullptr);
  EXPECT_EQ(*plane.Covering(Rect(2, 3, 4, 5)), 7);
  plane.Replace(Rect(4, 1, 4, 1), 8, [](int, const Rectangle&) {});
  EXPECT_EQ(plane.Covering(Rect(2, 3, 4, 5)), nullptr);
}

// Against an array of all bytes.
TEST(BytePlane, IsThePlainArray) {
  std::mt19937 random(5);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 300; ++round) {
    BytePlane<int> plane;
    std::array<std::array<int, kBytes>, kRows> plain{};
    for (int step = 1; step <= 30; ++step) {
      const int row = below(kRows);
      const int byte = below(kBytes);
      const Rectangle where = Rect(row, 1 + below(kRows - row), byte, 1 + below(kBytes - byte));
      std::array<std::array<int, kBytes>, kRows> seen{};
      const auto see = [&](int cell, const Rectangle& part) {
        for (auto p = part.partitions.begin.value; p < part.partitions.end.value; ++p) {
          for (auto b = part.bytes.begin.value; b < part.bytes.end.value; ++b) {
            const auto r = static_cast<std::size_t>(p);
            const auto c = static_cast<std::size_t>(b);
            ASSERT_EQ(cell, plain[r][c]);
            ++seen[r][c];
          }
        }
      };
      const int kind = below(3);
      if (kind == 0) plane.Look(where, see);
      if (kind == 1) plane.Replace(where, step, see);
      if (kind == 2) {
        plane.ForEach(where, [&](int& cell, const Rectangle& part) {
          see(cell, part);
          cell += 100;
        });
      }
      for (int p = 0; p < kRows; ++p) {
        for (int b = 0; b < kBytes; ++b) {
          const auto r = static_cast<std::size_t>(p);
          const auto c = static_cast<std::size_t>(b);
          const bool inside =
              where.partitions.Contains(Partition(p)) && where.bytes.Contains(ByteOffset(b));
          ASSERT_EQ(seen[r][c], inside ? 1 : 0);
          if (inside && kind == 1) plain[r][c] = step;
          if (inside && kind == 2) plain[r][c] += 100;
        }
      }
    }
  }
}

}  // namespace
}  // namespace spillway::check
