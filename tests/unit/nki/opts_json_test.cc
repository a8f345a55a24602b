#include "model/alloc/nki/opts_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/nki/base64.h"
#include "tests/unit/nki/small_kernel.h"

namespace spillway::nki {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kUnset =
    R"({"allocator_type":null,"allocator_class":null,"skip_allocators":false,)"
    R"("skip_middle_end":false,"opt_level":"default","platform_target":null,)"
    R"("force_auto_alloc":false})";

TEST(OptsJson, ListsEveryFieldInOrder) {
  EXPECT_EQ(CompileOptsToJson({}), kUnset);
  EXPECT_EQ(CompileOptsToJson(OptsOf({{"allocator_type", "stack"},
                                      {"skip_allocators", true},
                                      {"skip_middle_end", true},
                                      {"platform_target", "a \"b\"\n"},
                                      {"force_auto_alloc", true}})),
            R"({"allocator_type":"stack","allocator_class":"stack","skip_allocators":true,)"
            R"("skip_middle_end":true,"opt_level":"skip_middle_end",)"
            R"("platform_target":"a \"b\"\n","force_auto_alloc":true})");
}

TEST(OptsJson, ReadsFieldsInAnyOrderAndLeavesAbsentOnesUnset) {
  EXPECT_EQ(CompileOptsFromJson("{}"), CompileOpts());
  EXPECT_EQ(CompileOptsFromJson(kUnset), CompileOpts());
  EXPECT_EQ(
      CompileOptsFromJson(" { \"opt_level\" : \"skip_middle_end\" ,\n\"skip_allocators\":true, "
                          "\"allocator_class\": \"stack\",\"allocator_type\":\"stack\" } "),
      OptsOf({{"allocator_type", "stack"}, {"skip_allocators", true}, {"skip_middle_end", true}}));
}

struct Bad {
  std::string json;
  const char* code;
  Kind kind;
  std::vector<std::string> mentions;
};

std::string Nested(int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += "{\"a\":";
  return text + "1" + std::string(static_cast<std::size_t>(depth), '}');
}

// `where` stands before the fields' names, `document` is the JSON around the options.
std::vector<Bad> BadOptions() {
  return {
      {"[]", "nki-opts-not-an-object", Kind::kSyntax, {"expected an object", "a list"}},
      {"null", "nki-opts-not-an-object", Kind::kSyntax, {"found null"}},
      {"\"{}\"", "nki-opts-not-an-object", Kind::kSyntax, {"found a string"}},
      {"99999999999999999999",
       "nki-opts-not-an-object",
       Kind::kSyntax,
       {"a number beyond 64 bits"}},
      {R"({"opt_levels":1})",
       "nki-unknown-field",
       Kind::kUnknownName,
       {"opt_levels", "opt_level,"}},
      {R"({"opt_levels":{}})", "nki-unknown-field", Kind::kUnknownName, {"opt_levels"}},
      {R"({"":1})", "nki-unknown-field", Kind::kUnknownName, {"\"\""}},
      {R"({"skip_allocators":1})",
       "nki-wrong-type",
       Kind::kSyntax,
       {"skip_allocators", "expected true or false", "found 1"}},
      {R"({"skip_allocators":null})", "nki-wrong-type", Kind::kSyntax, {"found null"}},
      {R"({"force_auto_alloc":"true"})", "nki-wrong-type", Kind::kSyntax, {"found \"true\""}},
      {R"({"platform_target":{"name":"trn2"}})",
       "nki-wrong-type",
       Kind::kSyntax,
       {"platform_target", "found an object"}},
      {R"({"platform_target":["trn2"]})", "nki-wrong-type", Kind::kSyntax, {"a list of 1"}},
      {R"({"opt_level":99999999999999999999})",
       "nki-wrong-type",
       Kind::kSyntax,
       {"opt_level", "a number beyond 64 bits"}},
      {R"({"opt_level":NaN})", "nki-wrong-type", Kind::kSyntax, {"found NaN"}},
      {R"({"platform_target":""})", "nki-empty-target", Kind::kSyntax, {"platform_target"}},
      {R"({"allocator_type":"heap"})",
       "nki-unknown-allocator",
       Kind::kUnknownName,
       {"allocator_type", "\"heap\""}},
      {R"({"opt_level":"skip_allocators"})",
       "nki-unknown-opt-level",
       Kind::kUnknownName,
       {"opt_level"}},
      {R"({"allocator_class":"stack"})",
       "nki-allocator-class-disagrees",
       Kind::kSyntax,
       {"allocator_class", "expected null", "allocator_type is null", "found \"stack\""}},
      {R"({"allocator_type":"stack","allocator_class":null})",
       "nki-allocator-class-disagrees",
       Kind::kSyntax,
       {"expected \"stack\"", "found null"}},
      {R"({"allocator_class":"linear_scan","allocator_type":"stack"})",
       "nki-allocator-class-disagrees",
       Kind::kSyntax,
       {"found \"linear_scan\""}},
      {R"({"allocator_class":{}})",
       "nki-allocator-class-disagrees",
       Kind::kSyntax,
       {"found an object"}},
      {R"({"skip_middle_end":true,"opt_level":"default"})",
       "nki-opt-level-disagrees",
       Kind::kSyntax,
       {"opt_level", "skip_middle_end is true", "found \"default\""}},
      {R"({"opt_level":"skip_middle_end","skip_middle_end":false})",
       "nki-opt-level-disagrees",
       Kind::kSyntax,
       {"skip_middle_end is false"}},
      {R"({"opt_level":"default","opt_level":"default"})",
       "duplicate-key",
       Kind::kSyntax,
       {"opt_level", "found twice"}},
      {R"({"allocator_class":null,"allocator_class":null})",
       "duplicate-key",
       Kind::kSyntax,
       {"allocator_class"}},
      {R"({"platform_target":{"a":{"b":1,"b":2}}})",
       "duplicate-key",
       Kind::kSyntax,
       {"platform_target.a.b\""}},
  };
}

// What isn't JSON at all, or too much of it.
std::vector<Bad> BadText() {
  return {
      {"", "malformed-json", Kind::kSyntax, {"column 1"}},
      {"{", "malformed-json", Kind::kSyntax, {"column 2"}},
      {"{\"opt_level\" \"default\"}", "malformed-json", Kind::kSyntax, {"column 14"}},
      {"{'opt_level':1}", "malformed-json", Kind::kSyntax, {"column 2"}},
      {"{\"skip_allocators\":tru}", "malformed-json", Kind::kSyntax, {"column 2"}},
      {"{} {}", "trailing-garbage", Kind::kSyntax, {"column 4"}},
      {std::string("{}\0", 3), "malformed-json", Kind::kSyntax, {"column 3", "zero byte"}},
      {"{\"a\":\"\\ud800\"}", "malformed-json", Kind::kSyntax, {"column"}},
      {"{\"platform_target\":\"\xff\"}", "not-utf8", Kind::kSyntax, {"column 21", "0xff"}},
      {"{\"platform_target\":\"\xc3\"}", "not-utf8", Kind::kSyntax, {"column 21", "0xc3"}},
      {"\xef\xbb", "not-utf8", Kind::kSyntax, {"column 1"}},
      {Nested(17), "nested-too-deep", Kind::kLimit, {"column 81", "at most 16 deep"}},
      {std::string(500'000, '['), "nested-too-deep", Kind::kLimit, {"column 17"}},
      {std::string(kMaxOptsJsonBytes + 1, ' '),
       "nki-opts-too-long",
       Kind::kLimit,
       {"1048576", "1048577"}},
  };
}

void ExpectRefused(const Bad& row, const std::optional<Error>& error, std::string_view how) {
  ASSERT_TRUE(error.has_value()) << how << row.json.substr(0, 80);
  EXPECT_EQ(error->code, row.code) << how << row.json.substr(0, 80) << ": " << error->message;
  EXPECT_EQ(error->kind, row.kind) << how << row.json.substr(0, 80);
  for (const std::string& part : row.mentions)
    EXPECT_THAT(error->message, HasSubstr(part)) << how << row.json.substr(0, 80);
  EXPECT_LT(error->message.size(), 500u);
}

template <class T>
std::optional<Error> ErrorOf(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error();
}

TEST(OptsJson, RefusesBadOptionsWithCodeAndPlace) {
  for (const Bad& row : BadOptions())
    ExpectRefused(row, ErrorOf(CompileOptsFromJson(row.json)), "alone: ");
  for (const Bad& row : BadText())
    ExpectRefused(row, ErrorOf(CompileOptsFromJson(row.json)), "alone: ");
}

TEST(BackendConfig, RefusesBadOptionsInsideItWithTheirPath) {
  for (const Bad& row : BadOptions()) {
    const std::optional<Error> error =
        ErrorOf(DecodeBackendConfig(EncodeBase64("{\"a\":1,\"opts\":" + row.json + "}")));
    ExpectRefused(row, error, "in a configuration: ");
    EXPECT_THAT(error->message, HasSubstr("opts")) << row.json;
  }
}

TEST(BackendConfig, RefusesBadTextWithThePlaceInTheDecodedJson) {
  for (const Bad& row : BadText())
    ExpectRefused(row, ErrorOf(DecodeBackendConfig(EncodeBase64(row.json))), "decoded: ");
}

TEST(BackendConfig, RefusesWhatIsNoConfiguration) {
  const std::vector<Bad> table = {
      {"[{\"opts\":{}}]", "nki-config-not-an-object", Kind::kSyntax, {"backend_config", "a list"}},
      {"3", "nki-config-not-an-object", Kind::kSyntax, {"an integer"}},
      {"{}", "nki-missing-opts", Kind::kSyntax, {"\"opts\"", "found none"}},
      {"{\"Opts\":{}}", "nki-missing-opts", Kind::kSyntax, {"\"opts\""}},
      {"{\"opts\":{},\"opts\":{}}", "duplicate-key", Kind::kSyntax, {"\"opts\"", "twice"}},
      {"{\"opts\":{},\"a\":[1,{\"b\":1,\"b\":1}]}", "duplicate-key", Kind::kSyntax, {"\"a[1].b\""}},
  };
  for (const Bad& row : table)
    ExpectRefused(row, ErrorOf(DecodeBackendConfig(EncodeBase64(row.json))), "");
}

TEST(BackendConfig, RefusesTextThatIsNotBase64BeforeItReadsJson) {
  EXPECT_EQ(DecodeBackendConfig("{}").error().code, "base64-character");
  EXPECT_EQ(DecodeBackendConfig("e30").error().code, "base64-padding");
  EXPECT_THAT(DecodeBackendConfig("e30=\n").error().message, HasSubstr("byte 3"));
  EXPECT_EQ(DecodeBackendConfig("").error().code, "malformed-json");
  EXPECT_EQ(DecodeBackendConfig(std::string(4'000'000, 'e')).error().code, "nki-opts-too-long");
}

TEST(BackendConfig, KeepsTheOtherKeysAsTheyWere) {
  const Result<BackendConfig> config = DecodeBackendConfig(
      EncodeBase64(R"({"z": [1, 2.50, 1E5, -0, 123456789012345678901234567890, NaN], "opts": {}, )"
                   R"("a": {"z": null, "b": "\u00e9\u0000\"", "opts": false}})"));
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(config->opts, CompileOpts());
  EXPECT_EQ(config->others,
            "{\"a\":{\"z\":null,\"b\":\"\xc3\xa9\\u0000\\\"\",\"opts\":false},"
            "\"z\":[1,2.50,1E5,-0,123456789012345678901234567890,NaN]}");
}

TEST(BackendConfig, HasOneTextForOneValue) {
  const CompileOpts opts = OptsOf({{"force_auto_alloc", true}});
  const std::string text = EncodeBackendConfig({opts, R"({"z":1,"a":2})"}).value();
  EXPECT_EQ(text, EncodeBackendConfig({opts, R"( {"a": 2, "z": 1} )"}).value());
  EXPECT_EQ(DecodeBase64(text).value(),
            "{\"a\":2,\"opts\":" + CompileOptsToJson(opts) + ",\"z\":1}");
  EXPECT_EQ(EncodeBackendConfig(DecodeBackendConfig(text).value()), text);
}

TEST(BackendConfig, WithoutOtherKeysIsTheOptionsAlone) {
  const std::string text = EncodeBackendConfig({}).value();
  EXPECT_EQ(DecodeBase64(text).value(), std::string("{\"opts\":") + kUnset + "}");
  EXPECT_EQ(DecodeBackendConfig(text), BackendConfig());
}

TEST(BackendConfig, WithOtherKeysThatAreNoneIsNotEncoded) {
  EXPECT_EQ(EncodeBackendConfig({{}, "[]"}).error().code, "nki-config-not-an-object");
  EXPECT_EQ(EncodeBackendConfig({{}, ""}).error().code, "malformed-json");
  EXPECT_EQ(EncodeBackendConfig({{}, R"({"opts":1})"}).error().code, "nki-opts-twice");
  EXPECT_EQ(EncodeBackendConfig({{}, "{\"a\":\"" + std::string(kMaxOptsJsonBytes - 8, 'x') + "\"}"})
                .error()
                .code,
            "nki-opts-too-long");
}

}  // namespace
}  // namespace spillway::nki
