#include "sim/tool/html_pipeline_parts.h"

#include <fmt/format.h>

#include "sim/tool/html_pipeline_graph.h"
#include "sim/tool/html_pipeline_map.h"
#include "sim/tool/html_pipeline_tables.h"
#include "sim/tool/html_text.h"
#include "sim/tool/text_report.h"

namespace spillway::html {

std::string Titled(std::string_view title, const std::string& content) {
  return content.empty() ? std::string() : fmt::format("<h3>{}</h3>\n{}", title, content);
}

std::string Message(std::string_view text) {
  return fmt::format("<p class=\"message\">{}</p>\n", Shortened(text, 2000));
}

std::string VerdictBadge(std::string_view verdict) {
  if (verdict == "pass") return "<span class=\"good\">✓ pass</span>";
  if (verdict == "inconclusive") return "<span class=\"unsure\">? inconclusive</span>";
  if (verdict == "cannot-allocate") return "<span class=\"bad\">✗ can't be allocated</span>";
  if (verdict == "bad-input") return "<span class=\"bad\">✗ bad input</span>";
  return "<span class=\"bad\">✗ fail</span>";
}

std::string SpaceTitle(task::MemorySpace space) {
  std::string upper(task::MemorySpaceName(space));
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return upper;
}

std::string MemoryTotals(const PipelineReport& report) {
  std::string memory;
  if (!report.system || !report.layout) return memory;
  for (const task::MemorySpace space : task::kMemorySpaces) {
    if (!report.layout->totals[space]) continue;
    memory += fmt::format("{}{} {} {}", memory.empty() ? "" : ", ", task::MemorySpaceName(space),
                          Grouped(report.layout->totals[space]->value), task::UnitName(space));
  }
  return memory;
}

std::string PipelineParts(const PipelineReport& report) {
  std::string html;
  for (const task::MemorySpace space : task::kMemorySpaces) {
    html += Titled(SpaceTitle(space) + " layout", LayoutMap(report, space));
    html += PartitionMap(report, space);
    html += UsageTable(report, space);
  }
  html += Titled("Barrier array", BarrierTable(report));
  html += Titled("Tasks and pipelines", RoleMatrix(report));
  return html + Titled("Resources", DependencyGraph(report) + ResourceTable(report));
}

}  // namespace spillway::html
