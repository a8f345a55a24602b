// The file of the measured oracle: it may save time and must never change an answer.
#include "model/hw/systemc/measured_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "model/hw/systemc/measured_hwm.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

Target Trn2() { return FindTarget("trn2").value(); }

std::string Read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void Write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

class MeasuredCache : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::path(testing::TempDir()) /
                 ("spillway-" + std::string(test->name()) + std::to_string(::getpid()));
    fs::remove_all(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  static const MeasuredTables& Tables() {
    static const MeasuredTables tables = MeasureTables(Trn2());
    return tables;
  }

  // A file that StoreTables has just written.
  fs::path Stored() {
    const fs::path file = CacheFile(directory_, Trn2());
    EXPECT_TRUE(StoreTables(file, Trn2(), Tables()));
    return file;
  }

  fs::path directory_;
};

TEST_F(MeasuredCache, TheTablesComeBackAsTheyWere) {
  const auto loaded = LoadTables(Stored(), Trn2());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(*loaded, Tables());
}

TEST_F(MeasuredCache, MeasuringTwiceWritesTheSameBytes) {
  const fs::path file = Stored();
  const std::string first = Read(file);
  ASSERT_TRUE(StoreTables(file, Trn2(), MeasureTables(Trn2())));
  EXPECT_EQ(Read(file), first);
  EXPECT_GT(first.size(), 1000u);
}

TEST_F(MeasuredCache, NothingButTheFileIsLeftInTheDirectory) {
  const fs::path file = Stored();
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(directory_))
    files += entry.path() == file ? 1 : 100;
  EXPECT_EQ(files, 1u);
}

TEST_F(MeasuredCache, ADamagedFileIsNoFile) {
  const fs::path file = Stored();
  const std::string whole = Read(file);
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{9}, whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    Write(file, damaged);
    EXPECT_FALSE(LoadTables(file, Trn2())) << "byte " << at;
  }
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{7}, std::size_t{8}, whole.size() - 8}) {
    Write(file, whole.substr(0, length));
    EXPECT_FALSE(LoadTables(file, Trn2())) << length << " bytes";
  }
  Write(file, whole + std::string(8, '\0'));
  EXPECT_FALSE(LoadTables(file, Trn2()));
}

TEST_F(MeasuredCache, TheFileOfAnotherTargetIsNoFile) {
  const fs::path file = Stored();
  Target faster = Trn2();
  faster.dma_start_latency.value = Picoseconds(1000);
  EXPECT_NE(CacheFile(directory_, faster), file);
  fs::copy_file(file, CacheFile(directory_, faster));
  EXPECT_FALSE(LoadTables(CacheFile(directory_, faster), faster));
}

TEST_F(MeasuredCache, EveryRowOfTheTargetCountsAndItsSourceDoesNot) {
  const Target target = Trn2();
  Target other = target;
  other.semaphore_latency.value = Picoseconds(31'000);
  EXPECT_NE(MeasurementHash(other), MeasurementHash(target));
  other = target;
  other.architecture_level = 40;
  EXPECT_NE(MeasurementHash(other), MeasurementHash(target));
  other = target;
  other.semaphore_latency.source = "somebody else";
  EXPECT_EQ(MeasurementHash(other), MeasurementHash(target));
}

TEST_F(MeasuredCache, WordsThatAreNotTablesAreRefused) {
  const std::vector<std::int64_t> words = ToWords(Tables());
  ASSERT_TRUE(FromWords(words));
  std::vector<std::int64_t> huge = words;
  huge[0] = std::int64_t{1} << 40;
  EXPECT_FALSE(FromWords(huge)) << "more points than words";
  for (std::size_t length = 0; length < words.size(); length += 1 + length / 3)
    EXPECT_FALSE(FromWords(std::span(words).first(length))) << length;
}

// What a user sees: the same answers from nothing, from a file, and from a broken one.
TEST_F(MeasuredCache, AnswersDoNotDependOnTheFile) {
  const auto answers = [&](const fs::path& directory) {
    const auto hwm = MakeMeasuredHwm(Trn2(), directory).value();
    std::vector<std::int64_t> cycles;
    for (std::int64_t bytes = 1; bytes < 100'000; bytes = bytes * 3 / 2 + 1) {
      for (const Space space : {Space::kDram, Space::kSbuf, Space::kPsum})
        cycles.push_back(hwm->Latency(space, {PartitionCount(100), Bytes(bytes)}).value);
    }
    return cycles;
  };
  const auto fresh = answers("");
  EXPECT_EQ(answers(directory_), fresh) << "measured, then stored";
  const fs::path file = CacheFile(directory_, Trn2());
  const std::string stored = Read(file);
  EXPECT_FALSE(stored.empty());
  EXPECT_EQ(answers(directory_), fresh) << "from the file";
  Write(file, "not an oracle");
  EXPECT_EQ(answers(directory_), fresh) << "from a broken file";
  EXPECT_EQ(Read(file), stored) << "and the file is whole again";
}

TEST_F(MeasuredCache, ADirectoryThatCannotBeWrittenIsNoError) {
  fs::create_directories(directory_);
  const fs::path blocked = directory_ / "a_file";
  Write(blocked, "x");
  EXPECT_FALSE(StoreTables(CacheFile(blocked, Trn2()), Trn2(), Tables()));
  const auto hwm = MakeMeasuredHwm(Trn2(), blocked);
  ASSERT_TRUE(hwm);
  EXPECT_GT((*hwm)->Latency(Space::kDram, {PartitionCount(1), Bytes(1)}), Cycles(0));
  EXPECT_EQ(Read(blocked), "x");
}

TEST_F(MeasuredCache, ANameWithSlashesStaysInTheDirectory) {
  Target target = Trn2();
  target.name = "../../etc/passwd";
  EXPECT_EQ(CacheFile(directory_, target).parent_path(), directory_);
}

// Sets a variable for the time of a scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    if (value != nullptr) setenv(name, value, 1);
    if (value == nullptr) unsetenv(name);
  }
  ~Variable() {
    if (old_) setenv(name_, old_->c_str(), 1);
    if (!old_) unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST_F(MeasuredCache, TheDirectoryIsTheFirstThatTheEnvironmentNames) {
  const Variable home("HOME", "/h");
  {
    const Variable own("SPILLWAY_CACHE_DIR", "/own");
    const Variable caches("XDG_CACHE_HOME", "/x");
    EXPECT_EQ(DefaultCacheDirectory(), "/own");
  }
  const Variable own("SPILLWAY_CACHE_DIR", nullptr);
  {
    const Variable caches("XDG_CACHE_HOME", "/x");
    EXPECT_EQ(DefaultCacheDirectory(), "/x/spillway");
  }
  const Variable caches("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(DefaultCacheDirectory(), "/h/.cache/spillway");
  const Variable nowhere("HOME", nullptr);
  EXPECT_EQ(DefaultCacheDirectory(), "");
}

}  // namespace
}  // namespace spillway
