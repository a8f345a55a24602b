#include "sim/tool/pipeline_html.h"

#include <fmt/format.h>

#include <filesystem>

#include "sim/tool/html_page.h"
#include "sim/tool/html_pipeline_findings.h"
#include "sim/tool/html_pipeline_parts.h"
#include "sim/tool/html_replay.h"
#include "sim/tool/html_tables.h"
#include "sim/tool/html_text.h"
#include "sim/tool/text_report.h"

namespace spillway {
namespace {

using html::Counted;
using html::Message;
using html::Shortened;
using html::Titled;

constexpr std::string_view kMoreStyle = R"(.unsure { color: var(--ink2); }
.race { fill: var(--bad); } .cut { stroke: var(--surface); stroke-opacity: .7; }
.shared { fill: var(--bad); fill-opacity: .85; } .box { fill-opacity: .8; }
.box:hover, .race:hover, .shared:hover { stroke: var(--ink); stroke-width: 1; }
.wide { overflow-x: auto; }
table.run td, table.matrix td, table.matrix th, table.contents td, table.barriers td { white-space: nowrap; }
table.run td:last-child, table.barriers td:last-child, table.contents td.codes { white-space: normal; min-width: 150px; }
table.rings th { white-space: nowrap; }
table.rings td:first-child { min-width: 130px; } table.replay td { min-width: 90px; }
table.run tr.last td { font-weight: 600; border-bottom: 2px solid var(--bad); }
.node { fill: var(--track); stroke: var(--axis); }
.edge { fill: none; stroke: var(--axis); stroke-width: 1.5; } .arrow { fill: var(--axis); }
.produces, .consumes { border-left: 4px solid var(--blue); padding-left: 6px; }
.consumes { border-color: var(--aqua); }
th small { font-weight: 400; }
h4 { margin-top: 22px; }
)";

std::string StatesText(const PipelineReport& report) {
  if (report.exploration.complete) return Grouped(report.exploration.states);
  return "more than " + Grouped(report.exploration.states - 1);
}

std::string Tiles(const PipelineReport& report) {
  std::string tiles;
  if (report.verdict) {
    const auto counted = [](std::size_t count, std::string_view noun) {
      return count == 0 ? fmt::format("no {}", noun)
                        : Counted(static_cast<std::int64_t>(count), noun);
    };
    const task::Verdict& verdict = *report.verdict;
    tiles += html::Tile("Findings", Grouped(static_cast<std::int64_t>(report.findings.size())),
                        fmt::format("{}, {}, {}", counted(verdict.races.size(), "race"),
                                    verdict.blocked.empty() ? "no deadlock" : "a deadlock",
                                    counted(verdict.clobbers.size(), "clobber")));
    tiles += html::Tile("Events", Grouped(report.verdict->events), "executed or not");
    tiles += html::Tile("States", StatesText(report),
                        report.exploration.complete ? "explored, and both engines agree"
                                                    : "exploration stopped at its bound");
  }
  if (report.iterations) {
    const std::string beside =
        !report.cut_off ? "no number that can be checked speaks for longer loops"
        : *report.iterations >= *report.cut_off
            ? "speak for longer loops as well"
            : fmt::format("{} would speak for longer loops", Grouped(*report.cut_off));
    tiles += html::Tile("Iterations", Grouped(*report.iterations), beside);
  }
  if (report.system && report.layout) {
    for (const task::MemorySpace space : task::kMemorySpaces) {
      if (!report.layout->totals[space]) continue;
      tiles += html::Tile(html::SpaceTitle(space), Grouped(report.layout->totals[space]->value),
                          fmt::format("of {} {}", Grouped(report.system->capacity[space].value),
                                      task::UnitName(space)));
    }
  }
  return tiles.empty() ? tiles : fmt::format("<div class=\"tiles\">\n{}</div>\n", tiles);
}

std::string Cell(const std::string& text) { return fmt::format("<td class=\"n\">{}</td>", text); }

/// The codes of the findings, or of what stopped the checks.
std::string CodesOf(const PipelineReport& report) {
  constexpr std::size_t kMost = 6;
  std::string codes = report.error ? report.error->code : "";
  std::size_t listed = 0;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const std::string& code = report.findings[i].code;
    if (i > 0 && report.findings[i - 1].code == code) continue;
    if (listed++ == kMost) return codes + ", …";
    codes += (codes.empty() ? "" : ", ") + code;
  }
  return codes;
}

std::string Overview(const PipelineReport& report) {
  std::string cells = fmt::format("<td class=\"codes\">{}</td>", Shortened(CodesOf(report), 200));
  cells += Cell(report.verdict ? Grouped(report.verdict->events) : "");
  cells += Cell(report.verdict ? StatesText(report) : "");
  return cells + fmt::format("<td>{}</td><td>{}</td>", html::MemoryTotals(report),
                             html::ReplayWord(report));
}

}  // namespace

PipelineSection MakePipelineSection(const PipelineReport& report) {
  PipelineSection section;
  section.name =
      report.system ? report.system->name : std::filesystem::path(report.file).filename().string();
  section.badge = html::VerdictBadge(report.VerdictName());
  section.overview = Overview(report);
  section.body += fmt::format("<p class=\"note\">{}</p>\n", Shortened(report.file, 300));
  if (report.system && report.system->note)
    section.body += fmt::format("<p>{}</p>\n", Shortened(*report.system->note, 2000));
  if (report.error) section.body += Message(report.error->ToString());
  if (report.verdict && report.IsInconclusive())
    section.body += Message(WhyInconclusive(report.exploration));
  section.body += Tiles(report);
  section.body += Titled("Findings", html::PipelineFindings(report));
  section.body += Titled("Replay", html::ReplaySection(report));
  section.body += html::PipelineParts(report);
  return section;
}

std::string PipelineHtml(const std::vector<PipelineSection>& sections) {
  const std::string title = sections.size() == 1
                                ? "Spillway: " + sections.front().name
                                : fmt::format("Spillway: {} pipeline systems", sections.size());
  std::string body;
  if (sections.size() != 1) {
    body += fmt::format(
        "<h1>{} pipeline systems</h1>\n<div class=\"wide\"><table "
        "class=\"contents\">\n<tr><th>system</th>"
        "<th>verdict</th><th>findings</th><th class=\"n\">events</th><th class=\"n\">states</th>"
        "<th>memory</th><th>replay</th></tr>\n",
        sections.size());
    for (std::size_t i = 0; i < sections.size(); ++i) {
      body += fmt::format("<tr><td><a href=\"#system{}\">{}</a></td><td>{}</td>{}</tr>\n", i + 1,
                          Shortened(sections[i].name), sections[i].badge, sections[i].overview);
    }
    body += "</table></div>\n";
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    body += fmt::format("<section id=\"system{}\">\n<h2>{} {}</h2>\n{}</section>\n", i + 1,
                        Shortened(sections[i].name), sections[i].badge, sections[i].body);
  }
  return html::Page(title, body, kMoreStyle);
}

}  // namespace spillway
