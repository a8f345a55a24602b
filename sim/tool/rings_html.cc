#include "sim/tool/rings_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/tool/html_pipeline_findings.h"
#include "sim/tool/html_pipeline_parts.h"
#include "sim/tool/html_tables.h"
#include "sim/tool/html_text.h"
#include "sim/tool/text_report.h"

namespace spillway {
namespace {

using html::Counted;
using html::Message;
using html::Shortened;

constexpr std::size_t kMostRows = 200;
constexpr std::size_t kLongestText = 400;

std::string Number(const std::string& text) { return fmt::format("<td class=\"n\">{}</td>", text); }

std::string Note(const std::string& text) {
  return fmt::format("<p class=\"note\">{}</p>\n", text);
}

std::string More(std::size_t all, std::size_t shown, std::string_view noun) {
  if (all <= shown) return "";
  return Note(fmt::format("{} of {} {}; the JSON report lists all.",
                          Grouped(static_cast<std::int64_t>(shown)),
                          Grouped(static_cast<std::int64_t>(all)), noun));
}

std::vector<const RingRow*> RowsWith(const RingsReport& report, bool several_places) {
  std::vector<const RingRow*> rows;
  for (const RingRow& row : report.rows) {
    if ((row.stages > 1) == several_places) rows.push_back(&row);
  }
  return rows;
}

std::string RingCells(const RingRow& row) {
  std::string cells =
      fmt::format("<td>{}</td><td>{}</td>", Shortened(row.tensor, 60), SpaceName(row.space)) +
      Number(Grouped(row.fills)) + Number(Grouped(row.stages)) +
      Number(row.depth ? Grouped(row.depth->needed) : "?") +
      Number(row.depth ? Grouped(row.depth->skew) : "?") +
      Number(row.live ? Grouped(*row.live) : "-");
  std::string verdict = Shortened(RingVerdict(row), kLongestText);
  if (row.IsTooShort()) verdict = fmt::format("<span class=\"bad\">{}</span>", verdict);
  if (row.reason) {
    verdict +=
        fmt::format("<br/><small>no pipeline: {}</small>", Shortened(row.reason->message, 400));
  }
  return cells +
         fmt::format("<td>{}</td><td>{}</td>", verdict, Shortened(RingAdvice(row), kLongestText));
}

std::string RingTable(const RingsReport& report) {
  const std::vector<const RingRow*> rows = RowsWith(report, true);
  if (rows.empty()) return "<p>No tensor has more than one place.</p>\n";
  std::string html =
      "<div class=\"scroll\"><table class=\"rings\">\n<tr><th>tensor</th><th>memory</th><th "
      "class=\"n\">fills</th><th class=\"n\">stages</th><th class=\"n\">needed</th><th "
      "class=\"n\">skew</th><th class=\"n\">runs with</th><th>verdict</th><th>what to change</th>"
      "</tr>\n";
  const std::size_t shown = std::min(rows.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) html += fmt::format("<tr>{}</tr>\n", RingCells(*rows[i]));
  return html + "</table></div>\n" + More(rows.size(), shown, "tensors") +
         Note(
             "Needed: the fewest stages where the streams wait for each other as the program's "
             "order asks for. Skew: later fills that have begun when one is used for the last "
             "time. Runs with: the fewest where the streams wait for a free stage before they fill "
             "it.");
}

std::string OtherTensors(const RingsReport& report) {
  const std::vector<const RingRow*> rows = RowsWith(report, false);
  if (rows.empty()) return "";
  std::string html = fmt::format(
      "<details><summary>{} with one place</summary>\n<div class=\"scroll\"><table>\n<tr>"
      "<th>tensor</th><th>memory</th><th class=\"n\">fills</th><th>a pipeline</th></tr>\n",
      Counted(static_cast<std::int64_t>(rows.size()), "tensor"));
  const std::size_t shown = std::min(rows.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const RingRow& row = *rows[i];
    html += fmt::format("<tr><td>{}</td><td>{}</td>{}<td>{}</td></tr>\n", Shortened(row.tensor, 60),
                        SpaceName(row.space), Number(Grouped(row.fills)),
                        row.reason ? "no: " + Shortened(row.reason->message, kLongestText) : "yes");
  }
  return html + "</table></div>\n" + More(rows.size(), shown, "tensors") + "</details>\n";
}

std::string Tiles(const RingsReport& report) {
  if (report.streams.empty()) return "";
  std::string tiles = html::Tile(
      "Instances", Grouped(report.instances),
      fmt::format("on {}", Counted(static_cast<std::int64_t>(report.streams.size()), "stream")));
  std::int64_t rings = 0;
  std::int64_t too_short = 0;
  for (const RingRow& row : report.rows) {
    rings += row.stages > 1 ? 1 : 0;
    too_short += row.IsTooShort() ? 1 : 0;
  }
  tiles += html::Tile(
      "Tensors with stages", Grouped(rings),
      too_short == 0 ? "none too short" : fmt::format("{} too short", Grouped(too_short)));
  tiles += html::Tile("Pipelines", Grouped(report.pipelines),
                      "and " + Counted(report.semaphores, "semaphore"));
  if (report.rings) {
    tiles += html::Tile("Events", Grouped(report.rings->events),
                        report.is_cut ? "of the rings, with cut loops" : "of the rings");
  }
  const auto findings = [&](const char* name, const SystemFindings& found,
                            const std::string& beside) {
    tiles +=
        html::Tile(name, Grouped(static_cast<std::int64_t>(found.judged.findings.size())), beside);
  };
  if (report.rings) findings("Findings", *report.rings, "of the rings");
  if (report.placement) {
    findings("Findings", *report.placement,
             fmt::format("of the placement, with {}", Counted(report.placement->waits, "wait")));
  }
  return fmt::format("<div class=\"tiles\">\n{}</div>\n", tiles);
}

std::string Findings(const SystemFindings& found) {
  std::string html = html::PipelineFindings(found.judged);
  if (!found.judged.findings.empty() && found.events > kMostWitnessEvents) {
    html += Note(fmt::format(
        "Runs that show findings are left out: they are drawn for up to {} events, and this "
        "system has {}.",
        Grouped(kMostWitnessEvents), Grouped(found.events)));
  }
  return html;
}

std::string SizeText(const PipelineReport& judged) {
  const task::PipelineSystem& system = *judged.system;
  const auto counted = [](std::size_t count, std::string_view noun) {
    return Counted(static_cast<std::int64_t>(count), noun);
  };
  return fmt::format(
      "<p>{}, {}, {}, {}. Where that is more than a picture or a table holds, it shows the first "
      "and says of how many.</p>\n",
      counted(system.tasks.size(), "task"), counted(system.pipelines.size(), "pipeline"),
      counted(system.allocations.size(), "allocation"),
      counted(system.resources.size(), "resource"));
}

/// What was found, or what stopped the checks; rings that are too short have no code.
std::string CodesOf(const RingsReport& report) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> codes;
  const auto add = [&](const std::string& code) {
    if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
  };
  if (report.error) add(report.error->code);
  for (const RingRow& row : report.rows) {
    if (row.IsTooShort()) add("too short");
  }
  for (const std::optional<SystemFindings>* found : {&report.rings, &report.placement}) {
    if (!*found) continue;
    for (const task::Finding& finding : (*found)->judged.findings) add(finding.code);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(codes.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + codes[i];
  return codes.size() > kMost ? text + ", …" : text;
}

std::string Overview(const RingsReport& report) {
  return fmt::format("<td class=\"codes\">{}</td>{}<td></td><td>{}</td><td>not played</td>",
                     Shortened(CodesOf(report), 200),
                     Number(report.rings ? Grouped(report.rings->events) : ""),
                     report.rings ? html::MemoryTotals(report.rings->judged) : "");
}

}  // namespace

std::string RingAdvice(const RingRow& row) {
  if (!row.depth) return "";
  const std::int64_t missing = row.depth->needed - row.stages;
  if (row.IsTooShort()) {
    std::string advice =
        fmt::format("give it {}, {} B a partition more", Counted(row.depth->needed, "stage"),
                    Grouped((row.stage_bytes * std::max<std::int64_t>(missing, 0)).value));
    if (row.live && *row.live <= row.stages)
      advice += ", or let the streams wait for a free stage before they fill it";
    return advice;
  }
  if (row.reason && row.reason->code == "ring-places")
    return "put fill k in place k mod stages, so that its places take turns";
  if (missing >= 0) return "nothing";
  return fmt::format(
      "nothing must: {} would be enough and give back {} B a partition, and fills would wait for "
      "the reads before them",
      Counted(row.depth->needed, "stage"), Grouped(row.Spare().value));
}

PipelineSection MakeRingsSection(const RingsReport& report) {
  PipelineSection section;
  section.name = report.kernel.empty() ? std::filesystem::path(report.file).filename().string()
                                       : report.kernel;
  section.badge = html::VerdictBadge(report.VerdictName());
  section.overview = Overview(report);
  std::string& body = section.body;
  body += Note(Shortened(report.file, 300));
  if (report.error) body += Message(report.error->ToString());
  if (report.is_cut) {
    body += Message(
        "The longest loops are cut for the check of the rings: the trips that are left show what "
        "all would. Findings, roles and counts of the rings are those of the cut system; the "
        "stages that a ring needs come from the whole kernel.");
  }
  body += Tiles(report);
  if (report.not_written) body += Message("not written: " + report.not_written->ToString());
  if (!report.written.empty())
    body += Note("The system of the rings is in " + Shortened(report.written, 300) + ".");
  if (!report.streams.empty())
    body += html::Titled("Rings", RingTable(report) + OtherTensors(report));
  if (report.rings) body += html::Titled("Findings of the rings", Findings(*report.rings));
  if (report.placement) {
    body += html::Titled("Findings of the placement", Findings(*report.placement));
  }
  if (!report.streams.empty()) {
    body += html::Titled("Replay",
                         "<p>Not played: only pipeline files are. The file that -o writes is "
                         "played; spillway replay "
                         "simulates the kernel itself.</p>\n");
  }
  if (report.rings) {
    body += html::Titled("System of the rings", SizeText(report.rings->judged));
    body += html::PipelineParts(report.rings->judged);
  }
  if (report.placement) {
    body += fmt::format("<details><summary>System of the placement</summary>\n{}{}</details>\n",
                        SizeText(report.placement->judged),
                        html::PipelineParts(report.placement->judged));
  }
  return section;
}

}  // namespace spillway
