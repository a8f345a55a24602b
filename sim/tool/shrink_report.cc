#include "sim/tool/shrink_report.h"

#include <fmt/format.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

namespace spillway {

std::string ToText(const ShrinkReport& report, const std::string& output) {
  if (!report.finding && report.refusal) {
    return fmt::format("{}: nothing to judge, it can't be allocated: {}\n", report.file,
                       report.refusal->ToString());
  }
  if (!report.finding) return fmt::format("{}: nothing to shrink, all judges agree\n", report.file);
  const ShrunkProblem& shrunk = *report.shrunk;
  return fmt::format(
      "{}: {}\n  {}\n"
      "shrunk from {} to {} instructions in {} tries{}, {} SBUF bytes, {} PSUM banks: {}\n  {}\n",
      report.file, KeyOf(*report.finding), report.finding->text, report.instructions,
      shrunk.problem.kernel.instructions.size(), shrunk.tries,
      shrunk.finished ? "" : " (out of time: more --seconds may give a smaller one)",
      shrunk.problem.sbuf_bytes.value, shrunk.problem.psum_banks.value, output,
      shrunk.finding.text);
}

std::string ToJson(const ShrinkReport& report) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> out(buffer);
  out.SetIndent(' ', 1);
  const auto put = [&](const char* key, const std::string& value) {
    out.Key(key);
    out.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  };
  const auto count = [&](const char* key, std::int64_t value) {
    out.Key(key);
    out.Int64(value);
  };
  out.StartObject();
  put("file", report.file);
  put("verdict", report.finding ? "fail" : report.refusal ? "cannot-allocate" : "pass");
  count("instructions", static_cast<std::int64_t>(report.instructions));
  if (!report.finding && report.refusal) {
    put("kind", std::string(KindName(report.refusal->kind)));
    put("text", report.refusal->ToString());
  }
  if (report.finding && report.shrunk) {
    const ShrunkProblem& shrunk = *report.shrunk;
    put("judge", std::string(JudgeName(report.finding->judge)));
    put("kind", std::string(KindName(report.finding->kind)));
    put("text", report.finding->text);
    out.Key("shrunk");
    out.StartObject();
    count("instructions", static_cast<std::int64_t>(shrunk.problem.kernel.instructions.size()));
    count("sbuf_bytes", shrunk.problem.sbuf_bytes.value);
    count("psum_banks", shrunk.problem.psum_banks.value);
    count("tries", shrunk.tries);
    out.Key("finished");
    out.Bool(shrunk.finished);
    put("text", shrunk.finding.text);
    out.EndObject();
  }
  out.EndObject();
  return std::string(buffer.GetString()) + "\n";
}

}  // namespace spillway
