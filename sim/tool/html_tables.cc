#include "sim/tool/html_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/tool/html_text.h"
#include "sim/tool/text_report.h"

namespace spillway::html {
namespace {

constexpr std::size_t kViolationRows = 200;
constexpr std::size_t kSpillRows = 200;
constexpr std::size_t kListItems = 100;
constexpr std::size_t kLongestText = 1000;

std::string Cycles(double cycles) {
  return Grouped(static_cast<std::int64_t>(std::min(std::max(cycles, 0.0), 9e18) + 0.5));
}

// `share` of the whole, or nothing where there is no whole.
std::string OfWhole(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? Percent(static_cast<double>(part) / static_cast<double>(whole)) : "";
}

std::string Row(std::string_view name, std::string_view value) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", Escape(name),
                     Shortened(value, kLongestText));
}

std::string List(const std::vector<std::string>& items) {
  std::string html = "<ul>\n";
  for (std::size_t i = 0; i < std::min(items.size(), kListItems); ++i) {
    html += fmt::format("<li>{}</li>\n", Shortened(items[i], kLongestText));
  }
  if (items.size() > kListItems)
    html += fmt::format("<li>… {} in all</li>\n", Grouped(static_cast<std::int64_t>(items.size())));
  return html + "</ul>\n";
}

std::string Tiles(const RunReport& report) {
  std::string html = "<div class=\"tiles\">\n";
  if (report.cycles > 0) {
    html += Tile("Simulated time", Duration(Picoseconds(report.nanoseconds * 1000)),
                 Grouped(report.cycles) + " cycles");
  }
  if (report.sbuf.capacity_bytes.value > 0) {
    html += Tile("SBUF high water",
                 OfWhole(report.sbuf.high_water_bytes.value, report.sbuf.capacity_bytes.value),
                 fmt::format("{} of {} B", Grouped(report.sbuf.high_water_bytes.value),
                             Grouped(report.sbuf.capacity_bytes.value)));
  }
  if (report.psum.banks.value > 0) {
    html += Tile("PSUM banks",
                 fmt::format("{} of {}", report.psum.peak_banks.value, report.psum.banks.value),
                 "at the peak");
  }
  if (report.sbuf.capacity_bytes.value > 0) {
    html += Tile("Spilled tensors", Grouped(report.spill.tensors),
                 fmt::format("{} saves, {} reloads", Grouped(report.spill.saves),
                             Grouped(report.spill.reloads)));
  }
  if (report.data.compared_bytes > 0) {
    html += Tile("Wrong bytes", Grouped(report.data.mismatched_bytes),
                 fmt::format("of {} compared", Grouped(report.data.compared_bytes)));
  }
  return html + "</div>\n";
}

std::string ViolationRow(const Violation& violation) {
  std::string tensors;
  for (std::size_t i = 0; i < std::min<std::size_t>(violation.tensors.size(), 4); ++i) {
    tensors += (i > 0 ? ", " : "") + Shortened(violation.tensors[i], 80);
  }
  if (violation.tensors.size() > 4)
    tensors += fmt::format(", … {} in all", violation.tensors.size());
  const std::string range = violation.range ? fmt::format("{}–{}", violation.range->begin.value,
                                                          violation.range->end.value)
                                            : "";
  const std::string time =
      violation.time ? fmt::format("{}–{}", violation.time->begin.value, violation.time->end.value)
                     : "";
  return fmt::format(
      "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td "
      "class=\"n\">{}</td><td>{}</td></tr>\n",
      KindName(violation.kind), tensors, violation.space ? SpaceName(*violation.space) : "", range,
      time, Shortened(violation.text, kLongestText));
}

}  // namespace

std::string Tile(std::string_view name, std::string_view value, std::string_view beside) {
  return fmt::format("<div class=\"tile\"><span>{}</span><b>{}</b><small>{}</small></div>\n",
                     Escape(name), Escape(value), Escape(beside));
}

std::string Numbers(const RunReport& report) {
  const auto& spill = report.spill;
  std::string html = Tiles(report) + "<details><summary>All numbers</summary>\n<table>\n";
  html +=
      Row("file", report.file) + Row("target", report.target) + Row("allocator", report.allocator);
  html +=
      Row("instructions", Grouped(report.instructions)) + Row("tensors", Grouped(report.tensors));
  html += Row("cycles of the reference clock", Grouped(report.cycles)) +
          Row("nanoseconds", Grouped(report.nanoseconds));
  if (const std::string estimate = EstimateText(report); !estimate.empty())
    html += Row("the compiler's own estimate", estimate);
  html += Row("SBUF capacity per partition", Size(report.sbuf.capacity_bytes));
  html += Row("SBUF high water", Size(report.sbuf.high_water_bytes));
  html += Row("SBUF live at the peak, before spilling", Size(report.sbuf.peak_live_bytes));
  for (std::size_t q = 0; q < report.sbuf.quadrant_bytes.size(); ++q) {
    html += Row(fmt::format("SBUF live at the peak of quadrant {}", q),
                Size(report.sbuf.quadrant_bytes[q]));
  }
  html += Row("PSUM banks at the peak",
              fmt::format("{} of {}", report.psum.peak_banks.value, report.psum.banks.value));
  html += Row("DRAM for spill homes", Size(report.dram.spill_bytes)) +
          Row("DRAM high water", Size(report.dram.high_water_bytes));
  html += Row("spill iterations", Grouped(spill.iterations)) +
          Row("reloads removed", Grouped(spill.reloads_removed));
  html += Row("bytes saved", Size(spill.saved_bytes)) +
          Row("bytes reloaded", Size(spill.reloaded_bytes));
  html += Row("values", report.data.mode);
  html += Row("bytes compared", Grouped(report.data.compared_bytes)) +
          Row("bytes that differ", Grouped(report.data.mismatched_bytes));
  return html + "</table></details>\n";
}

std::string SpilledTensors(const RunReport& report) {
  const SpillReport& spill = report.spill;
  if (spill.tensors == 0 && spill.per_tensor.empty()) return "<p>Nothing was spilled.</p>\n";
  auto tensors = spill.per_tensor;
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  const std::size_t shown = std::min(tensors.size(), kSpillRows);
  std::string html =
      fmt::format("<p>Predicted: {} cycles for the saves and reloads of the final function.",
                  Cycles(spill.predicted_cycles));
  if (report.cycles > 0) {
    html += fmt::format(" Measured: {} cycles with a save or reload in flight",
                        Grouped(spill.measured_cycles));
    if (spill.predicted_cycles > 0) {
      html +=
          fmt::format(", {} of the prediction",
                      Percent(static_cast<double>(spill.measured_cycles) / spill.predicted_cycles));
    }
    html += fmt::format(" and {} of the run", OfWhole(spill.measured_cycles, report.cycles)) + ".";
  }
  html +=
      "</p>\n<p class=\"note\">A tensor's own cycles are its spill cost when it was chosen, "
      "before reloads of bytes that were still there came off.</p>\n";
  if (shown < tensors.size()) {
    html += fmt::format(
        "<p class=\"note\">The {} dearest of {} tensors; the JSON report lists all.</p>\n", shown,
        Grouped(static_cast<std::int64_t>(tensors.size())));
  }
  html +=
      "<div class=\"scroll\"><table>\n<tr><th>tensor</th><th class=\"n\">predicted cycles</th><th "
      "class=\"n\">share</th></tr>\n";
  double total = 0;
  for (const auto& [name, cycles] : tensors) total += cycles;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [name, cycles] = tensors[i];
    html += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                        Shortened(name), Cycles(cycles), total > 0 ? Percent(cycles / total) : "");
  }
  return html + fmt::format(
                    "<tr class=\"total\"><td>sum of {} tensors</td><td "
                    "class=\"n\">{}</td><td></td></tr>\n</table></div>\n",
                    Grouped(static_cast<std::int64_t>(tensors.size())), Cycles(total));
}

std::string Checks(const RunReport& report) {
  if (report.checks.empty()) return "<p>No check ran.</p>\n";
  std::string html =
      "<table>\n<tr><th>check</th><th class=\"n\">looked at</th><th "
      "class=\"n\">violations</th><th></th></tr>\n";
  for (const CheckResult& check : report.checks) {
    const auto found = static_cast<std::int64_t>(check.violations.size());
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"{}\">{}</td></tr>\n",
        Shortened(check.name), Grouped(check.checked), Grouped(found),
        found > 0           ? "bad"
        : check.checked > 0 ? "good"
                            : "idle",
        found > 0           ? "✗ broken"
        : check.checked > 0 ? "✓ holds"
                            : "– doesn't apply");
  }
  html += "</table>\n";
  const std::vector<Violation> all = AllViolations(report);
  if (all.empty()) return html;
  const std::size_t shown = std::min(all.size(), kViolationRows);
  html += fmt::format("<h4>Violations</h4>\n<p class=\"note\">{} of {}{}</p>\n", shown,
                      Grouped(static_cast<std::int64_t>(all.size())),
                      shown < all.size() ? "; the JSON report lists all." : ".");
  html +=
      "<div class=\"scroll\"><table>\n<tr><th>kind</th><th>tensors</th><th>memory</th><th "
      "class=\"n\">bytes</th><th class=\"n\">points</th><th>what</th></tr>\n";
  for (std::size_t i = 0; i < shown; ++i) html += ViolationRow(all[i]);
  return html + "</table></div>\n";
}

std::string Notes(const RunReport& report) {
  std::string html;
  if (!report.notes.empty()) html += "<h3>Notes</h3>\n" + List(report.notes);
  if (!report.unpriced_ops.empty()) {
    html +=
        "<h3>Operations without a price</h3>\n<p class=\"note\">They took a cycle an element; "
        "their "
        "time is a guess.</p>\n" +
        List(report.unpriced_ops);
  }
  if (!report.data.opaque_ops.empty()) {
    html +=
        "<h3>Opaque operations</h3>\n<p class=\"note\">Without numerics: their results are hashes "
        "of their inputs.</p>\n" +
        List(report.data.opaque_ops);
  }
  return html;
}

}  // namespace spillway::html
