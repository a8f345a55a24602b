#include "sim/values/defined_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace spillway {
namespace {

using ::testing::Eq;
using ::testing::Optional;

TEST(DefinedBytes, AgreesWithAFlagAByteUnderRandomWrites) {
  std::mt19937 random(1);
  for (const std::int64_t size : {1, 63, 64, 65, 200}) {
    for (const bool start : {false, true}) {
      DefinedBytes bytes(size, start);
      std::vector<bool> model(static_cast<std::size_t>(size), start);
      for (int round = 0; round < 300; ++round) {
        std::int64_t begin = static_cast<std::int64_t>(random() % static_cast<unsigned>(size + 1));
        std::int64_t end = static_cast<std::int64_t>(random() % static_cast<unsigned>(size + 1));
        if (begin > end) std::swap(begin, end);
        const bool value = random() % 3 != 0;
        bytes.Set(begin, end, value);
        for (std::int64_t i = begin; i < end; ++i) model[static_cast<std::size_t>(i)] = value;

        std::int64_t undefined = 0;
        std::optional<Interval<std::int64_t>> hull;
        std::int64_t in_range = 0;
        for (std::int64_t i = 0; i < size; ++i) {
          ASSERT_EQ(bytes.Get(i), model[static_cast<std::size_t>(i)]);
          if (model[static_cast<std::size_t>(i)]) continue;
          ++undefined;
          if (i < size / 3) continue;
          ++in_range;
          if (!hull) hull = {i, i};
          hull->end = i + 1;
        }
        ASSERT_EQ(bytes.undefined(), undefined);
        ASSERT_EQ(bytes.all(), undefined == 0);
        ASSERT_EQ(bytes.UndefinedIn(size / 3, size), hull);
        ASSERT_EQ(bytes.CountUndefined(size / 3, size), in_range);
      }
    }
  }
}

TEST(DefinedBytes, NamesTheStretchThatIsMissing) {
  DefinedBytes bytes(300);
  EXPECT_THAT(bytes.UndefinedIn(10, 20), Optional(Eq(Interval<std::int64_t>{10, 20})));
  bytes.Set(0, 100, true);
  bytes.Set(150, 300, true);
  EXPECT_THAT(bytes.UndefinedIn(0, 300), Optional(Eq(Interval<std::int64_t>{100, 150})));
  EXPECT_EQ(bytes.UndefinedIn(0, 100), std::nullopt);
  EXPECT_EQ(bytes.UndefinedIn(150, 150), std::nullopt);
}

}  // namespace
}  // namespace spillway
