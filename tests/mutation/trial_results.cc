#include "tests/mutation/trial_results.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>

namespace spillway {
namespace {

constexpr std::string_view kEnd = "end";

std::vector<std::string> FieldsOf(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
  return fields;
}

std::optional<std::int64_t> NumberOf(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string ToLines(const FaultResult& result) {
  std::string lines = fmt::format("{}\t{}\t{}\n", result.id, result.shrunk, result.cases);
  for (const auto& [judge, kill] : result.kills)
    lines += fmt::format("{}\t{}\t{}\n", judge, kill.cases, kill.text);
  return lines + std::string(kEnd) + "\n";
}

Result<FaultResult> FromLines(const std::string& lines) {
  const auto wrong = [](const std::string& found) {
    return Fail(
        {Kind::kSyntax, "trial-lines",
         fmt::format("expected the lines of a result down to \"{}\", found \"{}\"", kEnd, found),
         "", 0});
  };
  FaultResult result;
  std::istringstream stream(lines);
  bool is_head = true;
  for (std::string line; std::getline(stream, line); is_head = false) {
    if (line == kEnd && !is_head) return result;
    const std::vector<std::string> fields = FieldsOf(line);
    if (fields.size() < 2) return wrong(line);
    const std::optional<std::int64_t> first = NumberOf(fields[1]);
    const std::optional<std::int64_t> second = fields.size() < 3 ? 0 : NumberOf(fields[2]);
    if (!first || (is_head && (!second || fields.size() < 3))) return wrong(line);
    if (is_head) {
      result.id = fields[0];
      result.shrunk = *first;
      result.cases = *second;
    } else {
      result.kills[fields[0]] = {*first, fields.size() < 3 ? "" : fields[2]};
    }
  }
  return wrong("the end of the lines");
}

Result<std::vector<FaultResult>> CollectResults(std::span<const std::string> faults,
                                                std::span<const ProcessEnd> ends) {
  SPILLWAY_CHECK(faults.size() == ends.size(), "a process a fault");
  std::vector<FaultResult> results;
  std::string lost;
  for (std::size_t f = 0; f < faults.size(); ++f) {
    const ProcessEnd& end = ends[f];
    std::string why = end.failure;
    if (why.empty()) {
      Result<FaultResult> result = FromLines(end.output);
      if (result && result->id == faults[f]) {
        results.push_back(std::move(*result));
        continue;
      }
      why = result ? "the result of " + result->id : result.error().message;
    }
    lost += fmt::format("{}{} ({})", lost.empty() ? "" : "; ", faults[f], why);
  }
  if (lost.empty()) return results;
  return Fail({Kind::kLimit, "trial-lost", "no result for " + lost, "", 0});
}

}  // namespace spillway
