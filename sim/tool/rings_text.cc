#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/tool/rings_report.h"
#include "sim/tool/text_report.h"

namespace spillway {
namespace {

/// Findings of a system that a person gets to see; all of them are in the JSON.
constexpr std::size_t kMaxShown = 4;

std::string Table(const RingsReport& report) {
  std::size_t width = 6;
  bool any = false;
  for (const RingRow& row : report.rows) {
    if (row.stages < 2) continue;
    any = true;
    width = std::max(width, row.tensor.size());
  }
  if (!any) return "";
  std::string text =
      fmt::format("  {:<{}}  memory  fills  stages  needed  runs with\n", "tensor", width);
  for (const RingRow& row : report.rows) {
    if (row.stages < 2) continue;
    text += fmt::format("  {:<{}}  {:<6}  {:>5}  {:>6}  {:>6}  {:>9}  {}\n", row.tensor, width,
                        SpaceName(row.space), row.fills, row.stages,
                        row.depth ? std::to_string(row.depth->needed) : "?",
                        row.live ? std::to_string(*row.live) : "-", RingVerdict(row));
    if (row.reason) text += fmt::format("    no pipeline: {}\n", row.reason->message);
  }
  return text;
}

std::string Shown(const char* what, const SystemFindings& found) {
  std::string text;
  const std::vector<task::Finding>& findings = found.judged.findings;
  for (std::size_t i = 0; i < std::min(findings.size(), kMaxShown); ++i)
    text += fmt::format("  {}: {}: {}\n", what, findings[i].code, findings[i].text);
  if (findings.size() > kMaxShown)
    text += fmt::format("  {}: {} more\n", what, findings.size() - kMaxShown);
  return text;
}

}  // namespace

std::string RingVerdict(const RingRow& row) {
  if (row.unknown) return "depth not computed: " + row.unknown->message;
  if (!row.depth) return "";
  const rings::RingDepth& depth = *row.depth;
  if (row.IsTooShort()) return fmt::format("too short: {}", depth.as_it_is);
  if (row.reason && row.reason->code == "ring-places") return "its places take no turns";
  const std::string fewer = depth.with_fewer.empty()
                                ? std::string()
                                : fmt::format("; with {}: {}", depth.needed - 1, depth.with_fewer);
  if (row.stages == depth.needed) return "exact" + fewer;
  return fmt::format("{} more than the order needs, {} B a partition{}", row.stages - depth.needed,
                     Grouped(row.Spare().value), fewer);
}

std::string ToText(const RingsReport& report) {
  const std::string name = report.kernel.empty()
                               ? std::filesystem::path(report.file).filename().string()
                               : report.kernel;
  std::string text = fmt::format("{:<12}  {}", report.VerdictName(), name);
  if (!report.streams.empty()) {
    text += fmt::format("  {} instances on {} streams", Grouped(report.instances),
                        report.streams.size());
    text += fmt::format("  {} pipelines, {} semaphores", report.pipelines, report.semaphores);
  }
  if (report.rings) text += fmt::format("  {} events", Grouped(report.rings->events));
  if (report.is_cut) text += " of cut loops";
  text += "\n";
  if (report.error) text += "  " + report.error->ToString() + "\n";
  text += Table(report);
  if (report.rings) text += Shown("rings", *report.rings);
  if (report.placement) {
    text += Shown("placement", *report.placement);
    text +=
        fmt::format("  placement: {} findings with the {} waits that the kernel is lowered to\n",
                    report.placement->judged.findings.size(), Grouped(report.placement->waits));
  }
  if (report.not_written) text += "  not written: " + report.not_written->ToString() + "\n";
  if (!report.written.empty()) text += fmt::format("  written: {}\n", report.written);
  return text;
}

}  // namespace spillway
