#include "tests/mutation/matrix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "properties/fault_catalogue.h"
#include "properties/judge.h"
#include "tests/mutation/trial.h"

namespace spillway {
namespace {

// Sweeps count as one fault each.
bool IsSweep(const FaultRow& row) { return row.variants > 10; }

template <class T>
T Median(std::vector<T> values) {
  if (values.empty()) return T{};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A sweep's cells as one fault: what objects to every cell, after the most cases.
FaultResult Merged(const FaultRow& row, const std::vector<const FaultResult*>& cells) {
  FaultResult merged;
  merged.id = std::string(row.id);
  for (const std::string& column : MatrixColumns()) {
    std::int64_t most = 0;
    bool all = !cells.empty();
    std::string text;
    for (const FaultResult* cell : cells) {
      const auto kill = cell->kills.find(column);
      all = all && kill != cell->kills.end();
      if (kill == cell->kills.end()) continue;
      most = std::max(most, kill->second.cases);
      text = kill->second.text;
    }
    if (all) merged.kills[column] = {most, text};
  }
  return merged;
}

// "none" first, then the catalogue's order, sweeps merged.
std::vector<FaultResult> Rows(const std::vector<FaultResult>& results) {
  std::vector<FaultResult> rows;
  for (const FaultResult& result : results) {
    if (result.id == "none") rows.push_back(result);
  }
  for (const FaultRow& row : FaultCatalogue()) {
    std::vector<const FaultResult*> found;
    for (const FaultResult& result : results) {
      if (FindFault(result.id) == &row) found.push_back(&result);
    }
    if (found.empty()) continue;
    if (IsSweep(row)) {
      rows.push_back(Merged(row, found));
    } else {
      for (const FaultResult* result : found) rows.push_back(*result);
    }
  }
  return rows;
}

bool IsJudged(const FaultResult& row) {
  const FaultRow* fault = FindFault(row.id);
  return fault != nullptr && fault->status == FaultStatus::kSeam;
}

// Rows N… stand behind the list: the user-space allocators, verification and what else is no part
// of it, whose judges are mostly their tests.
bool IsOwn(const FaultResult& row) { return row.id.starts_with('N'); }

std::string CellOf(const FaultResult& row, const std::string& column) {
  const auto kill = row.kills.find(column);
  if (kill == row.kills.end()) return "-";
  return kill->second.cases == 0 ? "yes" : fmt::to_string(kill->second.cases);
}

// A named test shows what its author thought of; the others draw what they look at.
bool IsDrawn(const std::string& column) { return column != "tests" && column != "rtl"; }

bool IsOfKernels(const std::string& column) {
  const std::vector<JudgeId>& judges = AllJudges();
  return column == "relations" || std::any_of(judges.begin(), judges.end(), [&](JudgeId judge) {
           return JudgeName(judge) == column;
         });
}

std::int64_t Kills(const FaultResult& row, bool (*counts)(const std::string&)) {
  return std::count_if(row.kills.begin(), row.kills.end(),
                       [&](const auto& kill) { return counts(kill.first); });
}

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return escaped;
}

std::string Percent(int part, int whole) {
  return whole == 0 ? "0" : fmt::format("{:.1f}", 100.0 * part / whole);
}

std::string CountsLine(std::string_view rows, const RowCounts& counts) {
  return fmt::format(
      "- {}: {} planted; killed {}, {} %; by two judges or more, *tests* and *rtl* not counted, "
      "{}, "
      "{} %; with *tests* and *rtl* {}, {} %.\n",
      rows, counts.planted, counts.killed, Percent(counts.killed, counts.planted), counts.by_two,
      Percent(counts.by_two, counts.planted), counts.by_two_with_tests,
      Percent(counts.by_two_with_tests, counts.planted));
}

std::string CountsJson(const RowCounts& counts) {
  return fmt::format(
      "{{\"planted\": {}, \"killed\": {}, \"by_two\": {}, \"by_two_with_tests\": {}}}",
      counts.planted, counts.killed, counts.by_two, counts.by_two_with_tests);
}

std::string Notes(FaultStatus status) {
  std::string text;
  for (const FaultRow& row : FaultCatalogue()) {
    if (row.status != status) continue;
    text += fmt::format("- **{}**: {}. {}: {}.\n", row.id, row.what,
                        status == FaultStatus::kNoCode ? "Waits for" : "Equivalent", row.note);
  }
  return text.empty() ? "None.\n" : text;
}

}  // namespace

const std::vector<std::string>& MatrixColumns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> all;
    for (const JudgeId judge : AllJudges()) all.emplace_back(JudgeName(judge));
    for (const char* other :
         {"counts", "cost", "relations", "progress", "machine", "files", "known-bad", "layouts",
          "layout-laws", "engines", "replay", "replay-data", "rings", "rtl", "tests"})
      all.emplace_back(other);
    return all;
  }();
  return columns;
}

MutationSummary Summarize(const std::vector<FaultResult>& results) {
  MutationSummary summary;
  std::vector<std::int64_t> cases;
  std::vector<std::int64_t> shrunk;
  for (const FaultResult& row : Rows(results)) {
    if (row.id == "none") {
      for (const auto& [column, kill] : row.kills) summary.false_alarms.push_back(column);
      continue;
    }
    if (!IsJudged(row)) continue;
    RowCounts& counts = IsOwn(row) ? summary.own : summary.listed;
    ++counts.planted;
    counts.killed += row.kills.empty() ? 0 : 1;
    counts.by_two += Kills(row, IsDrawn) >= 2 ? 1 : 0;
    counts.by_two_with_tests += row.kills.size() >= 2 ? 1 : 0;
    ++summary.planted;
    if (row.kills.empty()) summary.survivors.push_back(row.id);
    summary.killed += row.kills.empty() ? 0 : 1;
    summary.by_two_with_tests += row.kills.size() >= 2 ? 1 : 0;
    summary.by_two += Kills(row, IsDrawn) >= 2 ? 1 : 0;
    summary.by_two_of_kernels += Kills(row, IsOfKernels) >= 2 ? 1 : 0;
    std::int64_t least = 0;
    for (const auto& [column, kill] : row.kills) {
      if (kill.cases > 0 && (least == 0 || kill.cases < least)) least = kill.cases;
    }
    if (least > 0) cases.push_back(least);
    if (row.shrunk > 0) shrunk.push_back(row.shrunk);
  }
  for (const FaultRow& row : FaultCatalogue()) {
    summary.equivalent += row.status == FaultStatus::kEquivalent ? 1 : 0;
    summary.no_code += row.status == FaultStatus::kNoCode ? 1 : 0;
  }
  summary.median_cases = Median(cases);
  summary.median_shrunk = Median(shrunk);
  return summary;
}

std::string MatrixMarkdown(const std::vector<FaultResult>& results) {
  const MutationSummary s = Summarize(results);
  std::string text = fmt::format(
      "# Mutation score\n\n"
      "Written by `ci/mutation`; don't edit. Each row plants one fault in the real code and counts "
      "the cases until each judge objects: `-` not in the cases that it was asked, `yes` a named "
      "test. After the first {} cases a fault that some column has objected to gets one case of "
      "{}, "
      "so that `-` beside another objection says less than beside none. The columns are the "
      "judges of allocations (`properties/judge.h`), then: *counts* (passes, closed forms and laws "
      "against counting), *cost* (transfers of a batch against a plain scan's), *relations* "
      "(properties of one allocation and relations between two, `properties/property_table.h`; "
      "between two runs of a machine; between judges that are twins), *progress* (exceptions, "
      "crashes, hangs, refusals without a reason), *machine* (the plain machine), *files* (round "
      "trips), *known-bad* (verdicts on wrong allocations), "
      "of task pipelines *layouts* (a plain recount), *layout-laws* (what any layout owes), "
      "*engines* (static engines against each other and the definitions), *replay* (the machine "
      "against the static verdict), *replay-data* (runs against each other) and *rings* (depths "
      "against the closed form and the lifetimes of tiles), *rtl* (lockstep with the SystemVerilog "
      "twins), *tests* (named unit and replay tests).\n\n",
      kEveryCase, kSampled);
  const int faults = s.planted + s.no_code;
  text += fmt::format(
      "- Killed: {} of {} planted faults, {} %; of all {} that aren't equivalent, {} %.\n"
      "- Killed by two judges or more, *tests* and *rtl* not counted: {}, {} % of the planted; by "
      "two or more of the judges of allocations and *relations*: {}, {} %; with *tests* and *rtl*: "
      "{}, {} %.\n"
      "{}{}"
      "- Median cases to the first objection: {}. Median size of the shrunk kernel: {} "
      "instructions.\n"
      "- Equivalent: {}. Without code, counted as not killed: {}.\n"
      "- Survivors: {}.\n"
      "- Objections to nothing planted: {}.\n\n",
      s.killed, s.planted, Percent(s.killed, s.planted), faults, Percent(s.killed, faults),
      s.by_two, Percent(s.by_two, s.planted), s.by_two_of_kernels,
      Percent(s.by_two_of_kernels, s.planted), s.by_two_with_tests,
      Percent(s.by_two_with_tests, s.planted),
      CountsLine("Rows of the required list, A… to E…", s.listed),
      CountsLine("The project's own rows, N…", s.own), s.median_cases, s.median_shrunk,
      s.equivalent, s.no_code,
      s.survivors.empty() ? "none" : fmt::format("{}", fmt::join(s.survivors, ", ")),
      s.false_alarms.empty() ? "none" : fmt::format("{}", fmt::join(s.false_alarms, ", ")));
  text += fmt::format("| fault | {} | judges | shrunk | what it does |\n",
                      fmt::join(MatrixColumns(), " | "));
  text += "|---|";
  for (std::size_t i = 0; i < MatrixColumns().size() + 3; ++i) text += "---|";
  text += "\n";
  for (const FaultResult& row : Rows(results)) {
    text += fmt::format("| {} |", row.id);
    for (const std::string& column : MatrixColumns())
      text += fmt::format(" {} |", CellOf(row, column));
    const FaultRow* fault = FindFault(row.id);
    text += fmt::format(" {} | {} | {} |\n", row.kills.size(),
                        row.shrunk == 0 ? "-" : fmt::to_string(row.shrunk),
                        fault == nullptr ? "nothing is planted" : fault->what);
  }
  text +=
      "\nA row with a sweep (B10, B11) stands for its 81 cells: a judge is listed where it "
      "objects to every cell. Rows N… are the project's own, beside the list of 85.\n\n## Rows "
      "without code\n\n";
  text += Notes(FaultStatus::kNoCode);
  text += "\n## Equivalent faults\n\n" + Notes(FaultStatus::kEquivalent);
  text += "\n## Named tests\n\n";
  for (const FaultResult& row : Rows(results)) {
    for (const char* column : {"tests", "rtl"}) {
      const auto kill = row.kills.find(column);
      if (kill != row.kills.end()) text += fmt::format("- {}: {}\n", row.id, kill->second.text);
    }
  }
  return text;
}

std::string MatrixJson(const std::vector<FaultResult>& results) {
  const MutationSummary s = Summarize(results);
  std::string text = fmt::format(
      "{{\"planted\": {}, \"killed\": {}, \"by_two\": {}, \"by_two_of_kernels\": {}, "
      "\"by_two_with_tests\": {}, \"listed\": {}, \"own\": {}, \"equivalent\": {}, \"no_code\": "
      "{}, "
      "\"median_cases\": {}, \"median_shrunk\": {},\n\"faults\": [",
      s.planted, s.killed, s.by_two, s.by_two_of_kernels, s.by_two_with_tests, CountsJson(s.listed),
      CountsJson(s.own), s.equivalent, s.no_code, s.median_cases, s.median_shrunk);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const FaultResult& result = results[i];
    text += fmt::format("{}\n{{\"id\": \"{}\", \"cases\": {}, \"shrunk\": {}, \"kills\": {{",
                        i > 0 ? "," : "", result.id, result.cases, result.shrunk);
    bool first = true;
    for (const auto& [column, kill] : result.kills) {
      text += fmt::format("{}\"{}\": {{\"cases\": {}, \"text\": \"{}\"}}", first ? "" : ", ",
                          column, kill.cases, Escaped(kill.text));
      first = false;
    }
    text += "}}";
  }
  return text + "\n]}\n";
}

}  // namespace spillway
