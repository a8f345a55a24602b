// traces/invalid_pipelines: one defect a file.
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <filesystem>
#include <set>

#include "model/alloc/task/codes.h"
#include "tests/unit/task/pipeline_files.h"
#include "traces/pipeline_reader.h"
#include "traces/pipeline_writer.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;

const ExpectedJson& Expected() {
  static const ExpectedJson expected(InvalidPipelinesFolder() + "/expected.json");
  return expected;
}

std::vector<std::string> Files() {
  std::vector<std::string> files;
  for (const JsonValue& item : Expected().root.items) files.emplace_back(item.key);
  return files;
}

class InvalidPipelineTest : public ::testing::TestWithParam<std::string> {};

TEST_P(InvalidPipelineTest, IsRefusedWithItsCodeKindLineAndPlace) {
  const JsonValue& expected = *FindMember(Expected().root, GetParam());
  const std::string path = InvalidPipelinesFolder() + "/" + GetParam();
  const Result<task::PipelineSystem> system = ReadPipelineFile(path);
  ASSERT_FALSE(system.has_value());
  const Error& error = system.error();
  EXPECT_EQ(error.code, FindMember(expected, "code")->text) << error.ToString();
  EXPECT_EQ(KindName(error.kind), FindMember(expected, "kind")->text);
  EXPECT_EQ(error.line, FindMember(expected, "line")->integer) << error.ToString();
  EXPECT_EQ(error.file, path);
  for (const JsonValue& part : FindMember(expected, "mentions")->items)
    EXPECT_THAT(error.message, HasSubstr(std::string(part.text)));
}

INSTANTIATE_TEST_SUITE_P(Files, InvalidPipelineTest, ::testing::ValuesIn(Files()),
                         [](const auto& test) {
                           return test.param.substr(0, test.param.find('.'));
                         });

TEST(InvalidPipelinesTest, EveryCodeThatAFileCanHaveHasAFile) {
  // Those that a reader must refuse: ts_pipelines.md §11. alias.remote-writer has no key there.
  const std::set<std::string> owed = {"syntax",
                                      "version",
                                      "unknown-name",
                                      "duplicate-name",
                                      "layout.alignment",
                                      "layout.mixed",
                                      "region.stages",
                                      "region.range",
                                      "alias.too-few-phases",
                                      "alias.empty-phase",
                                      "alias.duplicate",
                                      "alias.mixed-spaces",
                                      "capacity",
                                      "access.no-slot",
                                      "pipeline.kind",
                                      "limit"};
  std::set<std::string> covered;
  for (const JsonValue& item : Expected().root.items)
    covered.emplace(FindMember(item, "code")->text);
  EXPECT_EQ(covered, owed);
}

TEST(InvalidPipelinesTest, TheSchemaListsEveryCodeOfAFileWithItsKind) {
  const std::string schema =
      TextOf(std::string(SPILLWAY_SOURCE_DIR) + "/traces/pipeline_schema.md");
  for (const JsonValue& item : Expected().root.items) {
    const task::CodeRow* const row = task::FindCode(FindMember(item, "code")->text);
    ASSERT_NE(row, nullptr);
    EXPECT_THAT(schema, HasSubstr("| `" + std::string(row->name) + "` | `" +
                                  std::string(KindName(row->kind)) + "` | " +
                                  std::string(row->meaning) + " |\n"));
  }
}

TEST(InvalidPipelinesTest, EveryFileIsExpected) {
  std::set<std::string> expected = {"README.md", "expected.json"};
  for (const std::string& file : Files()) expected.insert(file);
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(InvalidPipelinesFolder()))
    found.insert(entry.path().filename().string());
  EXPECT_EQ(found, expected);
}

TEST(CodesTest, NamesAreUniqueAndFoundAgain) {
  std::set<std::string_view> names;
  for (const task::CodeRow& row : task::AllCodes()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(task::RowOf(row.code).name, row.name);
    EXPECT_EQ(task::FindCode(row.name), &row);
    EXPECT_FALSE(row.meaning.empty());
  }
}

std::size_t Draw(std::size_t below) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, below));
}

/// Where words in quotes and numbers stand.
std::vector<std::pair<std::size_t, std::size_t>> Tokens(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> tokens;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = i + 1;
    if (text[i] == '"') {
      end = text.find('"', i + 1) + 1;
    } else if (text[i] >= '0' && text[i] <= '9') {
      end = text.find_first_not_of("0123456789", i);
    } else {
      continue;
    }
    tokens.emplace_back(i, end - i);
    i = end - 1;
  }
  return tokens;
}

/// One word or number for another, which stays JSON.
std::string Exchanged(const std::string& text) {
  static const std::vector<std::string> kNumbers = {
      "0", "-1", "3", "24", "65", "200000", "281474976710656", "9223372036854775808", "1.5"};
  const auto tokens = Tokens(text);
  const auto [at, length] = tokens[Draw(tokens.size())];
  const auto [from, count] = tokens[Draw(tokens.size())];
  const bool number = text[at] != '"';
  const std::string piece = number ? kNumbers[Draw(kNumbers.size())] : text.substr(from, count);
  return std::string(text).replace(at, length, piece);
}

/// One small damage somewhere in the bytes.
std::string Damaged(std::string text) {
  static const std::vector<std::string> kPieces = {
      "null",     "[]",      "{}",          "[[[[",   "\"",
      ",",        ":",       "\n",          "}",      std::string(1, '\0'),
      "\xff",     "\\u0000", "\"loop\":3,", "\"ab\"", "\"side\":\"producer\",",
      "\"at\":0,"};
  const std::size_t at = Draw(text.size());
  const std::size_t length = Draw(std::min<std::size_t>(text.size() - at, 12) + 1);
  switch (Draw(8)) {
    case 0: text[at] = static_cast<char>(Draw(256)); return text;
    case 1: return text.erase(at, length);
    case 2: return text.insert(Draw(text.size()), text.substr(at, length));
    case 3: return text.replace(at, length, kPieces[Draw(kPieces.size())]);
    default: return Exchanged(text);
  }
}

TEST(DamagedPipelinesProperty, AreRefusedWithAKnownCodeOrReadBackEqual) {
  std::vector<std::string> texts;
  for (const std::string& name : PipelineNamesOnDisk()) texts.push_back(TextOf(PipelinePath(name)));
  std::set<std::string> seen;
  int refused = 0;
  int read = 0;
  const bool holds = rc::check("damaged pipeline files", [&] {
    for (int round = 0; round < 50; ++round) {
      const std::string text = Damaged(texts[Draw(texts.size())]);
      const Result<task::PipelineSystem> system = ParsePipeline(text, "damaged");
      if (system) {
        ++read;
        const auto again = ParsePipeline(PrintPipelineFile(*system), "again");
        RC_ASSERT(again.has_value());
        RC_ASSERT(*again == *system);
        continue;
      }
      ++refused;
      seen.insert(system.error().code);
      RC_ASSERT(task::FindCode(system.error().code) != nullptr);
      RC_ASSERT(!system.error().message.empty());
    }
  });
  EXPECT_TRUE(holds);
  EXPECT_GE(refused, 1000);
  EXPECT_GE(read, 50);
  EXPECT_GE(seen.size(), 10u) << "the damages hit too few checks";
}

}  // namespace
}  // namespace spillway
