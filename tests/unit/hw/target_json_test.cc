#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/hw/target.h"

namespace spillway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kFile = "mine.json";

std::string WithRows(const std::string& rows) {
  return R"({"name": "mine", "base": "trn2", "rows": {)" + rows + "}}";
}

std::string Row(const std::string& key, const std::string& value) {
  return "\"" + key + R"(": {"value": )" + value +
         R"(, "source": "test", "confidence": "assumed"})";
}

Error ErrorOf(const std::string& text) {
  const Result<Target> target = ParseTargetJson(text, kFile);
  if (target) return {Kind::kSyntax, "accepted", "no error", ""};
  EXPECT_EQ(target.error().file, kFile);
  return target.error();
}

TEST(TargetJson, RowsThatAreAbsentComeFromTheBase) {
  Target expected = FindTarget("trn2").value();
  expected.name = "mine";
  expected.aliases.clear();
  EXPECT_EQ(ParseTargetJson(WithRows(""), kFile), expected);
  EXPECT_EQ(ParseTargetJson(R"({"name": "mine", "base": "trn2"})", kFile), expected);
}

TEST(TargetJson, ARowReplacesValueSourceAndConfidence) {
  const Result<Target> target = ParseTargetJson(
      WithRows(R"("dve_hertz": {"value": 1000000000, "source": "bench", "confidence": "derived"})"),
      kFile);
  ASSERT_TRUE(target.has_value()) << target.error().ToString();
  EXPECT_EQ(target->dve_hertz.value, 1'000'000'000);
  EXPECT_EQ(target->dve_hertz.source, "bench");
  EXPECT_EQ(target->dve_hertz.confidence, Confidence::kDerived);
  EXPECT_EQ(target->act_hertz, FindTarget("trn2")->act_hertz);
}

TEST(TargetJson, EveryRowOfABuiltInTargetCanBeWrittenAndReadBack) {
  const Target trn1 = FindTarget("trn1").value();
  std::string rows;
  for (const TargetRow& row : Rows(trn1)) {
    rows += (rows.empty() ? "\"" : ", \"") + row.key + R"(": {"value": )" +
            std::to_string(row.value) + R"(, "source": ")" + row.source + R"(", "confidence": ")" +
            std::string(ConfidenceName(row.confidence)) + "\"}";
  }
  const Result<Target> copy = ParseTargetJson(WithRows(rows), kFile);
  ASSERT_TRUE(copy.has_value()) << copy.error().ToString();
  EXPECT_EQ(copy->dma_bytes_per_microsecond.value, 17'000);
  for (std::size_t i = 0; i < Rows(trn1).size(); ++i) {
    EXPECT_EQ(Rows(*copy)[i].value, Rows(trn1)[i].value) << Rows(trn1)[i].key;
    EXPECT_EQ(Rows(*copy)[i].source, Rows(trn1)[i].source) << Rows(trn1)[i].key;
  }
}

TEST(TargetJson, TextThatIsNotJsonIsRefusedWithItsLine) {
  const Error error = ErrorOf("{\"name\": \"mine\",\n\"base\" \"trn2\"}");
  EXPECT_EQ(error.code, "target-not-json");
  EXPECT_EQ(error.line, 2);
  EXPECT_EQ(ErrorOf("").code, "target-not-json");
  EXPECT_EQ(ErrorOf(R"({"name": "mine", "base": "trn2"} trailing)").code, "target-not-json");
}

TEST(TargetJson, TextThatIsNotUtf8IsRefused) {
  EXPECT_EQ(ErrorOf("{\"name\": \"\xff\", \"base\": \"trn2\"}").code, "target-not-json");
}

TEST(TargetJson, DeepNestingIsRefusedWithoutExhaustingTheStack) {
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
  EXPECT_EQ(ErrorOf(deep).code, "target-wrong-type");
}

TEST(TargetJson, AFileThatIsNotAnObjectIsRefused) {
  const Error error = ErrorOf("[1, 2]");
  EXPECT_EQ(error.code, "target-wrong-type");
  EXPECT_THAT(error.message, AllOf(HasSubstr("expected an object"), HasSubstr("found a list")));
}

TEST(TargetJson, NameAndBaseAreRequired) {
  EXPECT_THAT(ErrorOf(R"({"base": "trn2"})").message, HasSubstr("\"name\""));
  EXPECT_THAT(ErrorOf(R"({"name": "mine"})").message, HasSubstr("\"base\""));
  EXPECT_EQ(ErrorOf(R"({"name": "mine"})").code, "target-missing-key");
  EXPECT_EQ(ErrorOf(R"({"name": "", "base": "trn2"})").code, "target-empty-text");
}

TEST(TargetJson, AnUnknownBaseIsRefusedWithTheKnownOnes) {
  const Error error = ErrorOf(R"({"name": "mine", "base": "trn7"})");
  EXPECT_EQ(error.kind, Kind::kUnknownName);
  EXPECT_THAT(error.message, AllOf(HasSubstr("trn7"), HasSubstr("inf1, trn1, trn2, trn3")));
}

TEST(TargetJson, ABuiltInNameOrAliasIsTaken) {
  EXPECT_EQ(ErrorOf(R"({"name": "trn1", "base": "trn2"})").code, "target-name-taken");
  EXPECT_EQ(ErrorOf(R"({"name": "cayman", "base": "trn2"})").code, "target-name-taken");
}

TEST(TargetJson, AnUnknownKeyIsRefusedAtEveryLevel) {
  EXPECT_EQ(ErrorOf(R"({"name": "mine", "base": "trn2", "row": {}})").code, "target-unknown-key");
  EXPECT_THAT(ErrorOf(WithRows(Row("sbuf_bytes", "1"))).message,
              AllOf(HasSubstr("sbuf_bytes"), HasSubstr("sbuf_usable_bytes")));
  const Error error = ErrorOf(WithRows(
      R"("pe_rows": {"value": 1, "source": "s", "confidence": "assumed", "unit": "rows"})"));
  EXPECT_EQ(error.kind, Kind::kUnknownName);
  EXPECT_THAT(error.message, AllOf(HasSubstr("pe_rows"), HasSubstr("unit")));
}

TEST(TargetJson, AKeyMayStandOnce) {
  EXPECT_EQ(ErrorOf(R"({"name": "mine", "name": "mine", "base": "trn2"})").code,
            "target-duplicate-key");
  const Error error = ErrorOf(WithRows(Row("pe_rows", "64") + ", " + Row("pe_rows", "64")));
  EXPECT_EQ(error.kind, Kind::kDuplicateName);
  EXPECT_THAT(error.message, HasSubstr("pe_rows"));
}

TEST(TargetJson, ARowNeedsItsSourceAndItsConfidence) {
  const Error no_source = ErrorOf(WithRows(R"("pe_rows": {"value": 64, "confidence": "assumed"})"));
  EXPECT_EQ(no_source.code, "target-missing-key");
  EXPECT_THAT(no_source.message, AllOf(HasSubstr("pe_rows"), HasSubstr("source")));
  const Error no_confidence = ErrorOf(WithRows(R"("pe_rows": {"value": 64, "source": "s"})"));
  EXPECT_THAT(no_confidence.message, AllOf(HasSubstr("pe_rows"), HasSubstr("confidence")));
  const Error empty =
      ErrorOf(WithRows(R"("pe_rows": {"value": 64, "source": "", "confidence": "assumed"})"));
  EXPECT_EQ(empty.code, "target-empty-text");
}

TEST(TargetJson, AnUnknownConfidenceIsRefused) {
  const Error error =
      ErrorOf(WithRows(R"("pe_rows": {"value": 64, "source": "s", "confidence": "sure"})"));
  EXPECT_EQ(error.code, "target-unknown-confidence");
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("pe_rows.confidence"), HasSubstr("documented"), HasSubstr("sure")));
}

class WrongValue : public ::testing::TestWithParam<const char*> {};

TEST_P(WrongValue, IsRefusedWithWhatWasExpectedAndFound) {
  const Error error = ErrorOf(WithRows(Row("sbuf_usable_bytes", GetParam())));
  EXPECT_EQ(error.code, "target-wrong-type");
  EXPECT_THAT(error.message, AllOf(HasSubstr("sbuf_usable_bytes.value"),
                                   HasSubstr("expected an integer (bytes)")));
}
INSTANTIATE_TEST_SUITE_P(TargetJson, WrongValue,
                         ::testing::Values("1.5", "1e3", "\"1024\"", "true", "null", "[1]", "{}",
                                           "99999999999999999999"));

TEST(TargetJson, NumbersThatAreNotPositiveAreRefused) {
  for (const char* value : {"0", "-1", "-9223372036854775808"}) {
    const Error error = ErrorOf(WithRows(Row("sbuf_usable_bytes", value)));
    EXPECT_EQ(error.kind, Kind::kLimit) << value;
    EXPECT_THAT(error.message, AllOf(HasSubstr("sbuf_usable_bytes.value"), HasSubstr(value)));
  }
}

TEST(TargetJson, NumbersThatTheModelCannotHoldAreRefused) {
  EXPECT_EQ(ErrorOf(WithRows(Row("dram_bytes", "9223372036854775807"))).kind, Kind::kLimit);
  EXPECT_EQ(ErrorOf(WithRows(Row("sbuf_partitions", "256"))).kind, Kind::kLimit);
  EXPECT_EQ(ErrorOf(WithRows(Row("dve_hertz", "1"))).kind, Kind::kLimit);
}

TEST(TargetJson, ADelayMayBeZeroWhereAGenerationHasNone) {
  const Result<Target> target = ParseTargetJson(WithRows(Row("dma_issue_floor", "0")), kFile);
  ASSERT_TRUE(target.has_value()) << target.error().ToString();
  EXPECT_EQ(target->dma_issue_floor.value, Picoseconds(0));
}

struct Relation {
  std::string rows;
  const char* expected;
};

TEST(TargetJson, RowsThatContradictEachOtherAreRefusedWithBothNumbers) {
  const std::vector<Relation> relations = {
      {Row("sbuf_usable_bytes", "229377"),
       "sbuf_usable_bytes must not exceed sbuf_physical_bytes: 229377 and 229376"},
      {Row("sbuf_physical_bytes", "262145"), "must not exceed sbuf_partition_stride"},
      {Row("sbuf_granule", "212985"), "sbuf_granule must not exceed"},
      {Row("sbuf_min_align", "3"), "multiple of sbuf_min_align"},
      {Row("psum_min_align", "3"), "multiple of psum_min_align"},
      {Row("sbuf_partitions", "100"), "sbuf_partitions must be a multiple of 32"},
      {Row("psum_partitions", "33"), "psum_partitions must be a multiple of 32"},
      {Row("sbuf_partitions", "96"), "psum_partitions must not exceed sbuf_partitions"},
  };
  for (const Relation& relation : relations) {
    const Error error = ErrorOf(WithRows(relation.rows));
    EXPECT_EQ(error.code, "target-rows-disagree") << relation.rows;
    EXPECT_THAT(error.message, HasSubstr(relation.expected));
  }
}

TEST(TargetJson, RowsMayReachTheBoundThatEachSetsTheOther) {
  const Result<Target> target = ParseTargetJson(
      WithRows(Row("sbuf_usable_bytes", "229376") + ", " + Row("sbuf_partition_stride", "229376")),
      kFile);
  EXPECT_TRUE(target.has_value()) << target.error().ToString();
}

}  // namespace
}  // namespace spillway
