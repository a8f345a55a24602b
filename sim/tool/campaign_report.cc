#include "sim/tool/campaign_report.h"

#include <fmt/format.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <algorithm>

#include "sim/tool/text_report.h"

namespace spillway {
namespace {

std::string Count(std::uint64_t value) { return Grouped(static_cast<std::int64_t>(value)); }

double MicrosecondsEach(double seconds, std::uint64_t cases) {
  return cases == 0 ? 0 : seconds * 1e6 / static_cast<double>(cases);
}

struct StageTime {
  std::string name;
  double microseconds = 0;  ///< a case that the stage saw
};

std::vector<StageTime> StagesOf(const CampaignOptions& options, const CampaignReport& report) {
  std::vector<StageTime> stages = {
      {"generate", MicrosecondsEach(report.decode_seconds, report.cases)},
      {"allocate", MicrosecondsEach(report.allocate_seconds, report.cases)}};
  std::size_t at = 0;
  for (const JudgeId judge : options.judges) {
    stages.push_back({std::string(JudgeName(judge)),
                      MicrosecondsEach(report.judge_seconds[at++], report.judged)});
  }
  for (const JudgeId judge : options.rare_judges) {
    stages.push_back({std::string(JudgeName(judge)),
                      MicrosecondsEach(report.judge_seconds[at++], report.rare_cases)});
  }
  return stages;
}

}  // namespace

std::string ToText(const CampaignOptions& options, const CampaignReport& report) {
  std::string text = fmt::format(
      "allocator {}, seed {}, cases {} to {}: {} judged, {} of them executed, {} refused, {:.1f} "
      "s, "
      "{} cases/s over {} worker{}\n",
      options.allocator, options.seed, Count(options.first),
      Count(options.first + options.cases - 1), Count(report.judged),
      options.rare_judges.empty() ? "none" : Count(report.rare_cases), Count(report.refused),
      report.wall_seconds,
      Count(static_cast<std::uint64_t>(static_cast<double>(report.cases) /
                                       std::max(report.wall_seconds, 1e-9))),
      options.workers, options.workers == 1 ? "" : "s");
  text += "microseconds a case:";
  for (const StageTime& stage : StagesOf(options, report)) {
    text += fmt::format(" {} {:.0f}", stage.name, stage.microseconds);
  }
  text += "\ncoverage: " + report.coverage.ToText() + "\n";
  for (const std::string& shortfall : report.shortfalls) {
    text += "COVERAGE  " + shortfall + "\n";
  }
  for (const CampaignFailure& failure : report.failures) {
    const std::size_t instructions = failure.problem.kernel.instructions.size();
    text += fmt::format("FOUND  {} in case {}{}; {}, {} SBUF bytes\n  {}\n", KeyOf(failure.finding),
                        Count(failure.index),
                        failure.cases > 1 ? fmt::format(" and {} more", failure.cases - 1) : "",
                        failure.repeats ? fmt::format("shrunk from {} to {} instructions",
                                                      failure.instructions_before, instructions)
                                        : fmt::format("not shrunk, {} instructions", instructions),
                        failure.problem.sbuf_bytes.value, failure.finding.text);
  }
  if (!report.failures.empty()) {
    text += fmt::format("{} kinds of failure\n", report.failures.size());
  } else if (report.judged > 0) {
    text += "no judge objected\n";
  }
  return text;
}

std::string ToJson(const CampaignOptions& options, const CampaignReport& report) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> out(buffer);
  out.SetIndent(' ', 1);
  const auto put = [&](const char* key, const std::string& value) {
    out.Key(key);
    out.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  };
  const auto count = [&](const char* key, std::uint64_t value) {
    out.Key(key);
    out.Uint64(value);
  };
  out.StartObject();
  put("allocator", options.allocator);
  count("seed", options.seed);
  count("first", options.first);
  count("cases", report.cases);
  count("judged", report.judged);
  count("refused", report.refused);
  count("executed", options.rare_judges.empty() ? 0 : report.rare_cases);
  put("verdict", report.ok() ? "pass" : "fail");
  out.Key("coverage");
  out.StartObject();
  for (std::size_t b = 0; b < kBins; ++b) {
    count(std::string(BinName(static_cast<Bin>(b))).c_str(),
          static_cast<std::uint64_t>(report.coverage.counts[b]));
  }
  out.EndObject();
  out.Key("shortfalls");
  out.StartArray();
  for (const std::string& shortfall : report.shortfalls) {
    out.String(shortfall.data(), static_cast<rapidjson::SizeType>(shortfall.size()));
  }
  out.EndArray();
  out.Key("failures");
  out.StartArray();
  for (const CampaignFailure& failure : report.failures) {
    out.StartObject();
    put("judge", std::string(JudgeName(failure.finding.judge)));
    put("kind", std::string(KindName(failure.finding.kind)));
    put("place", failure.finding.place);
    put("site", failure.finding.site);
    count("case", failure.index);
    count("cases", static_cast<std::uint64_t>(failure.cases));
    count("instructions_before", failure.instructions_before);
    count("instructions", failure.problem.kernel.instructions.size());
    put("text", failure.finding.text);
    out.EndObject();
  }
  out.EndArray();
  out.Key("seconds");
  out.StartObject();
  out.Key("wall");
  out.Double(report.wall_seconds);
  out.Key("microseconds_a_case");
  out.StartObject();
  for (const StageTime& stage : StagesOf(options, report)) {
    out.Key(stage.name.c_str());
    out.Double(stage.microseconds);
  }
  out.EndObject();
  out.EndObject();
  out.EndObject();
  return std::string(buffer.GetString()) + "\n";
}

}  // namespace spillway
