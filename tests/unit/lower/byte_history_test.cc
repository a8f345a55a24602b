#include "sim/lower/byte_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Rectangle At(std::int64_t p0, std::int64_t p1, std::int64_t b0, std::int64_t b1) {
  return {{Partition(p0), Partition(p1)}, {ByteOffset(b0), ByteOffset(b1)}};
}

Touch By(std::uint32_t instance, int engine = -1) { return {instance, TensorId(0), 0, engine}; }

std::vector<std::uint32_t> Instances(const std::vector<ByteHistory::Conflict>& conflicts) {
  std::set<std::uint32_t> instances;
  for (const ByteHistory::Conflict& conflict : conflicts)
    instances.insert(conflict.earlier.instance);
  return {instances.begin(), instances.end()};
}

std::vector<std::uint32_t> Read(ByteHistory& history, const Rectangle& where, const Touch& touch) {
  std::vector<ByteHistory::Conflict> conflicts;
  history.Read(where, touch, conflicts);
  return Instances(conflicts);
}

std::vector<std::uint32_t> Write(ByteHistory& history, const Rectangle& where, const Touch& touch) {
  std::vector<ByteHistory::Conflict> conflicts;
  history.Write(where, touch, conflicts);
  return Instances(conflicts);
}

TEST(ByteHistory, AReadFindsTheLastWriterOfEveryByte) {
  ByteHistory history;
  Write(history, At(0, 128, 0, 100), By(1));
  Write(history, At(0, 64, 50, 150), By(2));
  EXPECT_THAT(Read(history, At(0, 128, 40, 60), By(3)), ElementsAre(1, 2));
  EXPECT_THAT(Read(history, At(0, 64, 50, 60), By(4)), ElementsAre(2));
  EXPECT_THAT(Read(history, At(64, 128, 50, 150), By(5)), ElementsAre(1));
  EXPECT_THAT(Read(history, At(64, 128, 100, 150), By(6)), IsEmpty());
}

TEST(ByteHistory, DisjointPartitionsNeverConflict) {
  ByteHistory history;
  Write(history, At(0, 32, 0, 100), By(1));
  EXPECT_THAT(Write(history, At(32, 64, 0, 100), By(2)), IsEmpty());
  EXPECT_THAT(Read(history, At(64, 96, 0, 100), By(3)), IsEmpty());
}

TEST(ByteHistory, AWriteFindsReadersAndClearsThem) {
  ByteHistory history;
  Write(history, At(0, 128, 0, 100), By(1));
  Read(history, At(0, 128, 0, 100), By(2));
  Read(history, At(0, 128, 90, 110), By(3));
  EXPECT_THAT(Write(history, At(0, 128, 0, 50), By(4)), ElementsAre(1, 2));
  EXPECT_THAT(Write(history, At(0, 128, 0, 200), By(5)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Write(history, At(0, 128, 0, 200), By(6)), ElementsAre(5));
}

TEST(ByteHistory, AnEnginesLatestReadStandsForItsEarlierOnes) {
  ByteHistory history;
  Read(history, At(0, 128, 0, 100), By(1, 2));
  Read(history, At(0, 128, 0, 100), By(2, 2));
  Read(history, At(0, 128, 0, 100), By(3, 0));
  Read(history, At(0, 128, 0, 100), By(4));
  Read(history, At(0, 128, 0, 100), By(5));
  EXPECT_THAT(Write(history, At(0, 128, 0, 100), By(6)), ElementsAre(2, 3, 4, 5));
}

// A reference that keeps the history of every single byte.
class Plain {
 public:
  std::vector<std::uint32_t> Touch(bool is_write, const Rectangle& where, std::uint32_t instance) {
    std::set<std::uint32_t> found;
    for (auto p = where.partitions.begin.value; p < where.partitions.end.value; ++p) {
      for (auto b = where.bytes.begin.value; b < where.bytes.end.value; ++b) {
        Byte& byte = bytes_[static_cast<std::size_t>(p * kWidth + b)];
        if (byte.writer != 0) found.insert(byte.writer);
        if (!is_write) {
          byte.readers.insert(instance);
          continue;
        }
        found.insert(byte.readers.begin(), byte.readers.end());
        byte = {instance, {}};
      }
    }
    return {found.begin(), found.end()};
  }

  static constexpr std::int64_t kRows = 8;
  static constexpr std::int64_t kWidth = 24;

 private:
  struct Byte {
    std::uint32_t writer = 0;
    std::set<std::uint32_t> readers;
  };
  std::vector<Byte> bytes_ = std::vector<Byte>(kRows * kWidth);
};

TEST(ByteHistory, AgreesWithAHistoryOfEveryByte) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    ByteHistory history;
    Plain plain;
    for (std::uint32_t instance = 1; instance < 120; ++instance) {
      const auto range = [&](std::int64_t size) {
        const auto a = static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(size));
        const auto b = static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(size));
        return std::pair{std::min(a, b), std::max(a, b) + 1};
      };
      const auto [p0, p1] = range(Plain::kRows);
      const auto [b0, b1] = range(Plain::kWidth);
      const Rectangle where = At(p0, p1, b0, b1);
      const bool is_write = random() % 3 == 0;
      const auto found =
          is_write ? Write(history, where, By(instance)) : Read(history, where, By(instance));
      ASSERT_EQ(found, plain.Touch(is_write, where, instance))
          << "seed " << seed << ", step " << instance;
    }
  }
}

}  // namespace
}  // namespace spillway
