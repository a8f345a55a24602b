#include "model/hw/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "model/hw/target_rows.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Target BuiltIn(const std::string& name) { return FindTarget(name).value(); }

std::vector<int> Starts(int n) {
  std::vector<int> starts;
  for (const Partition p : LegalStartPartitions(PartitionCount(n))) {
    starts.push_back(static_cast<int>(p.value));
  }
  return starts;
}

TEST(Target, TheBuiltInTargetsComeInOrderOfGeneration) {
  std::vector<std::string> names;
  std::vector<int> levels;
  for (const Target& target : BuiltInTargets()) {
    names.push_back(target.name);
    levels.push_back(target.architecture_level);
  }
  EXPECT_THAT(names, ElementsAre("inf1", "trn1", "trn2", "trn3"));
  EXPECT_THAT(levels, ElementsAre(10, 20, 30, 40));
}

// (192 - 16) * 1024: a circulating 184320 is 180 KiB, and would let a tile reach reserved bytes.
TEST(Target, Trn1OffersBytesUpTo180224) {
  EXPECT_EQ(BuiltIn("trn1").sbuf_usable_bytes.value, Bytes(180224));
  EXPECT_EQ(BuiltIn("trn1").sbuf_usable_bytes.value, Bytes((192 - 16) * 1024));
}

TEST(Target, Trn2AndTrn3ReserveEightBytesMore) {
  EXPECT_EQ(BuiltIn("trn2").sbuf_usable_bytes.value, Bytes(224 * 1024 - 16384 - 8));
  EXPECT_EQ(BuiltIn("trn2").sbuf_usable_bytes.value, Bytes(212984));
  EXPECT_EQ(BuiltIn("trn3").sbuf_usable_bytes.value, Bytes(256 * 1024 - 16384 - 8));
  EXPECT_EQ(BuiltIn("trn3").sbuf_usable_bytes.value, Bytes(245752));
}

TEST(Target, Inf1IsHalfAsWideAndItsWindowIsDerived) {
  const Target inf1 = BuiltIn("inf1");
  EXPECT_EQ(inf1.sbuf_usable_bytes.value, Bytes(81920));
  EXPECT_EQ(inf1.sbuf_usable_bytes.confidence, Confidence::kDerived);
  EXPECT_EQ(inf1.sbuf_partitions.value, PartitionCount(128));
  EXPECT_EQ(inf1.psum_partitions.value, PartitionCount(64));
  EXPECT_EQ(inf1.psum_banks.value, BankCount(4));
  EXPECT_EQ(inf1.pe_columns.value, 64);
}

TEST(Target, OneDmaEngineMovesThePublishedBytesPerNanosecond) {
  EXPECT_EQ(BuiltIn("trn1").dma_bytes_per_microsecond.value, 17'000);
  EXPECT_EQ(BuiltIn("trn2").dma_bytes_per_microsecond.value, 23'000);
  EXPECT_EQ(BuiltIn("trn3").dma_bytes_per_microsecond.value, 33'000);
}

// Per copy of 128 rows on trn2: each of 16 engines serves 8 descriptors of one row each.
// Source: isa_costs §3.4, the digitised curve; within 5 % of it.
TEST(Target, TheDmaRowsOfTrn2ReproduceThePublishedCurve) {
  struct Point {
    std::int64_t bytes_per_partition;
    double nanoseconds;
  };
  const Target trn2 = BuiltIn("trn2");
  for (const Point& point : {Point{256, 855}, Point{1024, 841}, Point{2048, 876}, Point{4096, 1474},
                             Point{8192, 2898}, Point{32768, 11398}}) {
    const double payload = static_cast<double>(point.bytes_per_partition) * 1e3 /
                           static_cast<double>(trn2.dma_bytes_per_microsecond.value);
    const double fixed = static_cast<double>(trn2.dma_descriptor_fixed.value.value) / 1e3;
    const double floor = static_cast<double>(trn2.dma_descriptor_floor.value.value) / 1e3;
    EXPECT_NEAR(8 * std::max(floor, fixed + payload), point.nanoseconds, 0.05 * point.nanoseconds)
        << point.bytes_per_partition << " bytes per partition";
  }
}

TEST(Target, EveryRowSaysWhereItComesFrom) {
  for (const Target& target : BuiltInTargets()) {
    for (const TargetRow& row : Rows(target)) {
      EXPECT_GE(row.source.size(), 5u) << target.name << " " << row.key;
      EXPECT_FALSE(row.unit.empty()) << row.key;
    }
  }
}

TEST(Target, EveryRowKeepsTheLimitsThatFilesMustKeep) {
  for (const Target& target : BuiltInTargets()) {
    ForEachRow(target,
               [&](std::string_view key, std::string_view, RowLimits limits, const auto& row) {
                 EXPECT_GE(RawNumber(row.value), limits.min) << target.name << " " << key;
                 EXPECT_LE(RawNumber(row.value), limits.max) << target.name << " " << key;
               });
    EXPECT_EQ(BrokenRelation(target), "") << target.name;
  }
}

TEST(Target, RowsHaveEveryMemberOnceInOrder) {
  const Target trn2 = BuiltIn("trn2");
  const std::vector<TargetRow> rows = Rows(trn2);
  std::set<std::string> keys;
  for (const TargetRow& row : rows) keys.insert(row.key);
  EXPECT_EQ(keys.size(), rows.size());
  // Between the first and the last member lie only rows, so that their distance counts them.
  const auto* first = reinterpret_cast<const char*>(&trn2.sbuf_partitions);
  const auto* last = reinterpret_cast<const char*>(&trn2.oracle_activation_init_other);
  EXPECT_EQ(rows.size(), static_cast<std::size_t>(last - first) / sizeof(Sourced<Bytes>) + 1);
  EXPECT_EQ(rows.front().key, "sbuf_partitions");
  EXPECT_EQ(rows.back().key, "oracle_activation_init_other");
  EXPECT_EQ(rows[2].key, "sbuf_usable_bytes");
  EXPECT_EQ(rows[2].value, 212984);
  EXPECT_EQ(rows[2].unit, "bytes");
  EXPECT_EQ(rows[2].confidence, Confidence::kDocumented);
}

TEST(FindTarget, TakesNamesAndAliasesInAnyCase) {
  EXPECT_EQ(BuiltIn("trn2").name, "trn2");
  EXPECT_EQ(BuiltIn("TRN2").name, "trn2");
  EXPECT_EQ(BuiltIn("cayman").name, "trn2");
  EXPECT_EQ(BuiltIn("Cayman").name, "trn2");
  EXPECT_EQ(BuiltIn("sunda").name, "trn1");
  EXPECT_EQ(BuiltIn("inf2").name, "trn1");
  EXPECT_EQ(BuiltIn("tonga").name, "inf1");
  EXPECT_EQ(BuiltIn("core_v4").name, "trn3");
}

TEST(FindTarget, NoAliasMeansTwoTargets) {
  std::set<std::string> names;
  std::size_t count = 0;
  for (const Target& target : BuiltInTargets()) {
    names.insert(target.name);
    names.insert(target.aliases.begin(), target.aliases.end());
    count += 1 + target.aliases.size();
  }
  EXPECT_EQ(names.size(), count);
}

TEST(FindTarget, AnUnknownNameIsAnErrorThatListsTheKnownOnes) {
  const Result<Target> found = FindTarget("trn9");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, Kind::kUnknownName);
  EXPECT_EQ(found.error().code, "unknown-target");
  for (const char* expected : {"trn9", "inf1", "trn1", "trn2", "trn3", "cayman", "sunda"}) {
    EXPECT_THAT(found.error().message, HasSubstr(expected));
  }
}

TEST(FindTarget, AFileThatDoesNotExistIsAFileErrorThatNamesIt) {
  const Result<Target> found = FindTarget("no/such/target.json");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, Kind::kFile);
  EXPECT_EQ(found.error().file, "no/such/target.json");
}

TEST(FindTarget, ADirectoryIsAFileError) {
  const Result<Target> found = FindTarget("/");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, Kind::kFile);
}

class TargetFile : public ::testing::Test {
 public:
  ~TargetFile() override { std::filesystem::remove(path_); }

 protected:
  void Write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  const std::string path_ = ::testing::TempDir() + "/" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                            std::to_string(::getpid()) + ".json";
};

TEST_F(TargetFile, IsFoundByItsPath) {
  Write(R"({"name": "half", "base": "trn2", "rows": {"sbuf_usable_bytes":
         {"value": 106488, "source": "half of trn2", "confidence": "assumed"}}})");
  const Result<Target> found = FindTarget(path_);
  ASSERT_TRUE(found.has_value()) << found.error().ToString();
  EXPECT_EQ(found->name, "half");
  EXPECT_EQ(found->sbuf_usable_bytes.value, Bytes(106488));
}

TEST_F(TargetFile, WithAFaultIsNamedInTheError) {
  Write("{\n\n!}");
  const Result<Target> found = FindTarget(path_);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().file, path_);
  EXPECT_EQ(found.error().line, 3);
}

TEST_F(TargetFile, OfMoreThanAMebibyteIsRefused) {
  Write(std::string((1 << 20) + 1, ' '));
  const Result<Target> found = FindTarget(path_);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, Kind::kLimit);
}

TEST(LegalStartPartitions, FollowTheNumberOfPartitions) {
  EXPECT_THAT(Starts(1), ElementsAre(0, 32, 64, 96));
  EXPECT_THAT(Starts(32), ElementsAre(0, 32, 64, 96));
  EXPECT_THAT(Starts(33), ElementsAre(0, 64));
  EXPECT_THAT(Starts(64), ElementsAre(0, 64));
  EXPECT_THAT(Starts(65), ElementsAre(0));
  EXPECT_THAT(Starts(128), ElementsAre(0));
}

TEST(LegalStartPartitions, NothingFitsPastTheLastPartition) {
  EXPECT_THAT(Starts(129), IsEmpty());
  EXPECT_THAT(Starts(0), IsEmpty());
}

}  // namespace
}  // namespace spillway
