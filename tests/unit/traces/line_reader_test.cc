#include "traces/line_reader.h"

#include <gtest/gtest.h>

#include <sstream>

#include "traces/json_value.h"

namespace spillway {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream in(text);
  LineReader reader(in, 1000, 1 << 20, 1 << 30);
  std::vector<std::string> lines;
  while (*reader.Next()) lines.push_back(reader.line());
  return lines;
}

TEST(LineReaderTest, ANewlineEndsALineAndTheLastMayLackIt) {
  EXPECT_EQ(Lines(""), (std::vector<std::string>{}));
  EXPECT_EQ(Lines("a"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(Lines("a\n"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(Lines("\n\nb"), (std::vector<std::string>{"", "", "b"}));
}

TEST(LineReaderTest, LinesMayCrossPiecesOfInput) {
  // Longer than one piece, so that the newline stands in a later one.
  const std::string longer(200'000, 'x');
  EXPECT_EQ(Lines(longer + "\n" + longer), (std::vector<std::string>{longer, longer}));
}

TEST(Utf8Test, AcceptsEveryLengthAndRefusesWhatIsNotUtf8) {
  EXPECT_TRUE(IsUtf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF"));
  EXPECT_FALSE(IsUtf8("\x80"));              // continuation first
  EXPECT_FALSE(IsUtf8("\xC0\xAF"));          // overlong
  EXPECT_FALSE(IsUtf8("\xE0\x80\x80"));      // overlong
  EXPECT_FALSE(IsUtf8("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(IsUtf8("\xF4\x90\x80\x80"));  // past U+10FFFF
  EXPECT_FALSE(IsUtf8("a\xE2\x82"));         // cut off
  EXPECT_FALSE(IsUtf8("\xE2\x82z"));
}

std::string CodeOf(std::string line) {
  const Result<JsonValue> value = ParseJsonLine(line);
  return value ? "" : value.error().code;
}

TEST(JsonValueTest, DepthIsBoundedBeforeAnythingOverflows) {
  const std::size_t most = kMaxJsonDepth;
  EXPECT_EQ(CodeOf(std::string(most, '[') + std::string(most, ']')), "");
  EXPECT_EQ(CodeOf(std::string(most + 1, '[') + std::string(most + 1, ']')), "nested-too-deep");
  EXPECT_EQ(CodeOf(std::string(1'000'000, '[')), "nested-too-deep");
}

TEST(JsonValueTest, NumbersAreJsonOrPythonsThreeWords) {
  for (const char* good : {"0", "-1", "1.5", "1e3", "NaN", "Infinity", "-Infinity", "[1,-0.0]"})
    EXPECT_EQ(CodeOf(good), "") << good;
  for (const char* bad : {"[01]", "+1", "1.", ".5", "[0x1]", "Inf", "-Inf", "-NaN", "nan",
                          "infinity", "1e", "--1", "-"}) {
    EXPECT_EQ(CodeOf(bad), "malformed-json") << bad;
  }
}

TEST(JsonValueTest, SaysWhereADuplicateKeyStands) {
  for (const auto& [line, path] : std::vector<std::pair<std::string, std::string>>{
           {R"({"a":1,"a":2})", "\"a\""},
           {R"({"x":1,"in":{"src":{"t":1,"t":2}}})", "\"in.src.t\""},
           {R"({"when":[0,{"cmp":1,"cmp":2}]})", "\"when[1].cmp\""},
           {R"([[{"a":1,"a":2}]])", "\"[0][0].a\""}}) {
    std::string text = line;
    EXPECT_EQ(ParseJsonLine(text).error().message,
              "key " + path + ": expected once in its object, found twice");
  }
  std::string text = "{\"a\":" + std::string(20, '[');
  EXPECT_EQ(ParseJsonLine(text).error().message.substr(0, 11), "column 21: ");
}

TEST(JsonValueTest, ZeroBytesAndLoneSurrogatesAreMalformed) {
  EXPECT_EQ(CodeOf(std::string("{}\0{}", 5)), "malformed-json");
  EXPECT_EQ(CodeOf(R"("\ud800")"), "malformed-json");
  EXPECT_EQ(CodeOf(R"("\u0000")"), "");
}

}  // namespace
}  // namespace spillway
