// Small kernels from public bug reports, with the verdicts that they must get.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/istreamwrapper.h>

#include <fstream>

#include "sim/tool/json_report.h"
#include "sim/tool/pipeline.h"

namespace spillway {
namespace {

const rapidjson::Document& Expected() {
  static const rapidjson::Document document = [] {
    std::ifstream in(SPILLWAY_SOURCE_DIR "/traces/cases/expected.json");
    rapidjson::IStreamWrapper wrapper(in);
    rapidjson::Document parsed;
    parsed.ParseStream(wrapper);
    return parsed;
  }();
  return document;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& member : Expected().GetObject()) names.emplace_back(member.name.GetString());
  return names;
}

class Cases : public testing::TestWithParam<std::string> {};

TEST_P(Cases, GetTheirVerdict) {
  const auto& expected = Expected()[GetParam().c_str()];
  ToolOptions options;
  const KernelRun run =
      RunKernel(SPILLWAY_SOURCE_DIR "/traces/cases/" + GetParam() + ".kernel.jsonl", options, {});
  EXPECT_EQ(VerdictName(run.report.verdict), expected["verdict"].GetString()) << run.report.message;
  const std::string text = ToJson({run.report});
  for (const auto& mention : expected["mentions"].GetArray()) {
    EXPECT_THAT(text, testing::HasSubstr(mention.GetString()));
  }
  if (expected.HasMember("spills_at_least")) {
    EXPECT_GE(run.report.spill.tensors, expected["spills_at_least"].GetInt64());
  }
  if (!expected.HasMember("kind")) return;
  std::vector<std::string> kinds = {run.report.error_kind};
  for (const Violation& violation : AllViolations(run.report))
    kinds.emplace_back(KindName(violation.kind));
  EXPECT_THAT(kinds, testing::Contains(expected["kind"].GetString()));
}

INSTANTIATE_TEST_SUITE_P(FromReports, Cases, testing::ValuesIn(Names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace spillway
