// traces/invalid: one defect a file, named after its code.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/unit/traces/expectations.h"
#include "traces/faults.h"
#include "traces/kernel_reader.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class InvalidFileTest : public ::testing::TestWithParam<InvalidFile> {};

TEST_P(InvalidFileTest, IsRefusedWithItsCodeKindLineAndKey) {
  const InvalidFile& expected = GetParam();
  const std::string path = TracesFolder() + "/invalid/" + expected.file;
  const Result<Kernel> kernel = ReadKernelFile(path);
  ASSERT_FALSE(kernel.has_value());
  const Error& error = kernel.error();
  EXPECT_EQ(error.code, expected.code) << error.ToString();
  EXPECT_EQ(KindName(error.kind), expected.kind);
  EXPECT_EQ(error.line, expected.line);
  EXPECT_EQ(error.file, path);
  EXPECT_THAT(expected.file, StartsWith(expected.code));
  for (const std::string& part : expected.mentions) EXPECT_THAT(error.message, HasSubstr(part));
}

std::string TestName(const ::testing::TestParamInfo<InvalidFile>& info) {
  std::string name = info.param.file.substr(0, info.param.file.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, InvalidFileTest, ::testing::ValuesIn(InvalidFiles()), TestName);

TEST(InvalidFilesTest, EveryCodeHasAFileButThoseThatTestsMakeThemselves) {
  std::set<std::string> covered = {"file-not-opened", "file-unreadable", "line-too-long",
                                   "too-many-lines", "file-too-long"};
  for (const InvalidFile& file : InvalidFiles()) covered.insert(file.code);
  std::set<std::string> codes;
  for (const FaultRow& row : AllFaults()) codes.emplace(row.code);
  EXPECT_EQ(covered, codes);
}

TEST(InvalidFilesTest, EveryFileIsExpected) {
  std::set<std::string> expected = {"README.md", "expected.json"};
  for (const InvalidFile& file : InvalidFiles()) expected.insert(file.file);
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(TracesFolder() + "/invalid")) {
    found.insert(entry.path().filename().string());
  }
  EXPECT_EQ(found, expected);
}

TEST(FaultsTest, CodesAreUniqueAndInKebabCase) {
  std::set<std::string_view> codes;
  for (const FaultRow& row : AllFaults()) {
    EXPECT_TRUE(codes.insert(row.code).second) << row.code;
    EXPECT_EQ(row.code.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string_view::npos);
    EXPECT_EQ(RowOf(row.fault).code, row.code);
  }
}

TEST(FaultsTest, TheSchemaListsEveryCodeWithItsKind) {
  const std::string schema = ReadText(TracesFolder() + "/schema.md");
  for (const FaultRow& row : AllFaults()) {
    const std::string line = "| `" + std::string(row.code) + "` | `" +
                             std::string(KindName(row.kind)) + "` | " + std::string(row.meaning) +
                             " |\n";
    EXPECT_THAT(schema, HasSubstr(line));
  }
}

}  // namespace
}  // namespace spillway
