#include "sim/tool/html_pipeline_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/tool/html_pipeline_map.h"
#include "sim/tool/html_text.h"
#include "sim/tool/text_report.h"

namespace spillway::html {
namespace {

constexpr std::size_t kMostFindings = 200;
constexpr std::size_t kMostRows = 60;
constexpr std::size_t kMostCredits = 16;
constexpr std::size_t kOpenRuns = 3;  // the others unfold
constexpr std::size_t kLongestText = 1000;

/// Lines of a text as paragraphs.
std::string Paragraphs(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    html += fmt::format("<p>{}</p>\n", Shortened(text.substr(0, end), kLongestText));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return html;
}

std::string_view TitleOf(Kind kind) {
  switch (kind) {
    case Kind::kDeadlock: return "Deadlock";
    case Kind::kRace: return "Race";
    case Kind::kWrongValue: return "Clobber";
    case Kind::kUninitializedRead: return "Uninitialized read";
    default: return "Structure";
  }
}

std::string RunOf(const task::PipelineSystem& system, const task::Witness& witness, bool is_open) {
  const std::string table = WitnessRows(system, witness);
  const std::string what =
      fmt::format("A shortest run that shows it, {}", Counted(witness.events, "event"));
  if (is_open) return fmt::format("<p class=\"note\">{}:</p>\n{}", what, table);
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", what, table);
}

}  // namespace

std::string WitnessRows(const task::PipelineSystem& system, const task::Witness& witness) {
  std::string html = "<div class=\"wide\"><table class=\"run\">\n<tr><th class=\"n\">step</th>";
  for (const task::TaskId task : witness.tasks)
    html += fmt::format("<th>{}</th>", Shortened(system.tasks[task].name, 60));
  const std::size_t pipelines = std::min(witness.pipelines.size(), kMostCredits);
  for (std::size_t p = 0; p < pipelines; ++p) {
    html += fmt::format("<th class=\"n\">{}<br/>empty, full</th>",
                        Shortened(system.pipelines[witness.pipelines[p]].name, 40));
  }
  html += "<th>in progress</th></tr>\n";
  const std::size_t from = witness.rows.size() - std::min(kMostRows, witness.rows.size());
  const std::int64_t skipped = witness.skipped_rows + static_cast<std::int64_t>(from);
  if (skipped > 0) {
    html += fmt::format("<tr><td class=\"n\">…</td><td colspan=\"{}\">{} before</td></tr>\n",
                        witness.tasks.size() + pipelines + 1, Counted(skipped, "step"));
  }
  for (std::size_t i = from; i < witness.rows.size(); ++i) {
    const task::WitnessRow& row = witness.rows[i];
    html += fmt::format("<tr{}><td class=\"n\">{}</td>",
                        i + 1 == witness.rows.size() ? " class=\"last\"" : "",
                        witness.skipped_rows + static_cast<std::int64_t>(i) + 1);
    for (const task::TaskId task : witness.tasks) {
      const auto cell = std::find_if(row.cells.begin(), row.cells.end(),
                                     [&](const auto& one) { return one.first == task; });
      html += cell == row.cells.end() ? "<td></td>"
                                      : fmt::format("<td>{}</td>", Shortened(cell->second, 200));
    }
    for (std::size_t p = 0; p < pipelines; ++p) {
      html += fmt::format("<td class=\"n\">{}, {}</td>", row.credits[p].empty, row.credits[p].full);
    }
    std::string progress;
    for (const std::string& what : row.in_progress)
      progress += (progress.empty() ? "" : "; ") + Shortened(what, 200);
    html += fmt::format("<td>{}</td></tr>\n", progress);
  }
  html += "</table></div>\n";
  if (pipelines < witness.pipelines.size()) {
    html += fmt::format("<p class=\"note\">Credits of {} of {} pipelines.</p>\n", pipelines,
                        witness.pipelines.size());
  }
  return html;
}

std::string PipelineFindings(const PipelineReport& report) {
  if (!report.verdict) return "";
  if (report.findings.empty()) {
    return "<p>No race, no deadlock, no clobber, no uninitialized read, no structural "
           "finding.</p>\n";
  }
  std::string html;
  std::size_t runs = 0;
  std::size_t races = 0;
  const std::size_t shown = std::min(report.findings.size(), kMostFindings);
  for (std::size_t i = 0; i < shown; ++i) {
    const task::Finding& finding = report.findings[i];
    std::string title(TitleOf(finding.kind));
    if (finding.kind == Kind::kShape) title += " " + finding.code;
    // Races have numbers, since the map refers to them.
    if (finding.kind == Kind::kRace) title = "Race" + RaceLabel(races++).substr(4);
    html += fmt::format("<h4>{}</h4>\n{}", Escape(title), Paragraphs(finding.text));
    if (finding.witness && !finding.witness->rows.empty())
      html += RunOf(*report.system, *finding.witness, runs++ < kOpenRuns);
  }
  if (shown < report.findings.size()) {
    html += fmt::format("<p class=\"note\">{} of {} findings; the JSON report lists all.</p>\n",
                        shown, Grouped(static_cast<std::int64_t>(report.findings.size())));
  }
  return html;
}

}  // namespace spillway::html
