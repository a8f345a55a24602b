#include "sim/tool/html_report.h"

#include <fmt/format.h>

#include "sim/tool/html_engines.h"
#include "sim/tool/html_memory.h"
#include "sim/tool/html_page.h"
#include "sim/tool/html_tables.h"
#include "sim/tool/html_text.h"
#include "sim/tool/json_report.h"
#include "sim/tool/placed_blocks.h"
#include "sim/tool/text_report.h"

namespace spillway {
namespace {

using html::Shortened;

std::string_view VerdictText(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass: return "✓ pass";
    case Verdict::kFail: return "✗ fail";
    case Verdict::kBadInput: return "✗ bad input";
    case Verdict::kCannotAllocate: return "✗ can't be allocated";
  }
  return "";
}

std::string Badge(Verdict verdict) {
  return fmt::format("<span class=\"{}\">{}</span>", verdict == Verdict::kPass ? "good" : "bad",
                     VerdictText(verdict));
}

std::string Titled(std::string_view title, const std::string& content) {
  return content.empty() ? std::string() : fmt::format("<h3>{}</h3>\n{}", title, content);
}

std::string Overview(const RunReport& report) {
  const auto number = [](std::int64_t value, bool known) {
    return fmt::format("<td class=\"n\">{}</td>", known ? Grouped(value) : "");
  };
  const bool simulated = report.cycles > 0;
  const bool allocated = report.sbuf.capacity_bytes.value > 0;
  return fmt::format("<td>{}</td>", Shortened(report.target, 40)) +
         number(report.cycles, simulated) + number(report.sbuf.high_water_bytes.value, allocated) +
         number(report.psum.peak_banks.value, allocated) + number(report.spill.tensors, allocated) +
         number(static_cast<std::int64_t>(AllViolations(report).size()), !report.checks.empty());
}

}  // namespace

ReportSection MakeSection(const KernelRun& run) {
  const RunReport& report = run.report;
  ReportSection section{report.kernel.empty() ? report.file : report.kernel, report.verdict,
                        Overview(report), ""};
  if (!report.message.empty() && report.verdict != Verdict::kPass) {
    section.body += fmt::format("<p class=\"message\">{}</p>\n", Shortened(report.message, 2000));
  }
  section.body += html::Numbers(report);
  if (run.allocation && run.target) {
    const std::vector<PlacedBlock> blocks = PlacedBlocks(run);
    section.body += Titled("SBUF map", html::SbufMap(run, blocks));
    section.body += Titled("SBUF pressure", html::SbufPressure(run, blocks));
    section.body += Titled("PSUM banks", html::PsumBanks(run, blocks));
  }
  section.body += Titled("Engines", html::EngineBars(report));
  section.body += Titled("Timeline", html::EngineTimeline(run));
  if (run.allocation) section.body += Titled("Spills", html::SpilledTensors(report));
  section.body += Titled("Checks", html::Checks(report)) + html::Notes(report);
  return section;
}

std::string HtmlReport(const std::vector<ReportSection>& sections) {
  const std::string title = sections.size() == 1
                                ? "Spillway: " + sections.front().name
                                : fmt::format("Spillway: {} kernels", sections.size());
  std::string page;
  if (sections.size() != 1) {
    page += fmt::format(
        "<h1>{} kernels</h1>\n<div "
        "class=\"scroll\"><table>\n<tr><th>kernel</th><th>verdict</th><th>target</th><th "
        "class=\"n\">cycles</th>"
        "<th class=\"n\">SBUF high water</th><th class=\"n\">PSUM banks</th><th "
        "class=\"n\">spilled</th><th class=\"n\">violations</th></tr>\n",
        sections.size());
    for (std::size_t i = 0; i < sections.size(); ++i) {
      page += fmt::format("<tr><td><a href=\"#kernel{}\">{}</a></td><td>{}</td>{}</tr>\n", i + 1,
                          Shortened(sections[i].name), Badge(sections[i].verdict),
                          sections[i].overview);
    }
    page += "</table></div>\n";
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    page += fmt::format("<section id=\"kernel{}\">\n<h2>{} {}</h2>\n{}</section>\n", i + 1,
                        Shortened(sections[i].name), Badge(sections[i].verdict), sections[i].body);
  }
  return html::Page(title, page);
}

Result<void> WriteHtmlReport(const std::vector<ReportSection>& sections, const std::string& path) {
  return WriteText(path, HtmlReport(sections));
}

}  // namespace spillway
