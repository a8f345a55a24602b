#include "sim/tool/text_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/alloc/baseline/find_allocator.h"
#include "sim/tool/group_violations.h"
#include "sim/tool/stack_text.h"

namespace spillway {
namespace {

constexpr std::size_t kShownGroups = 5;

std::string Details(const RunReport& report) {
  std::string text;
  // A violation says more than the message that counts them.
  const bool violated = !AllViolations(report).empty();
  if (!violated && report.verdict != Verdict::kPass)
    text += fmt::format("      {}\n", report.message);
  for (const CheckResult& check : report.checks) {
    const std::vector<ViolationGroup> groups = GroupViolations(check.violations);
    std::size_t left = check.violations.size();
    for (std::size_t i = 0; i < std::min(groups.size(), kShownGroups); ++i) {
      const ViolationGroup& group = groups[i];
      text += fmt::format("      {}: {}\n", KindName(group.first->kind), group.first->text);
      if (!group.more.empty()) text += fmt::format("        {}\n", group.more);
      left -= group.count;
    }
    if (left > 0) {
      text +=
          fmt::format("      … and {} more of check {}; --json lists them all\n", left, check.name);
    }
  }
  return text;
}

std::string Notes(const RunReport& report) {
  std::string text;
  for (const std::string& note : report.notes) text += fmt::format("      {}\n", note);
  return text;
}

std::string Memories(const RunReport& report) {
  return fmt::format("sbuf {} of {}  psum {} of {} banks",
                     Grouped(report.sbuf.high_water_bytes.value),
                     Grouped(report.sbuf.capacity_bytes.value), report.psum.peak_banks.value,
                     report.psum.banks.value);
}

std::string EstimateLine(const RunReport& report) {
  const std::string text = EstimateText(report);
  if (text.empty()) return "";
  return fmt::format("      {}{}\n", report.estimate ? "compiler's estimate: " : "", text);
}

std::string UnpricedLine(const RunReport& report) {
  if (report.unpriced_ops.empty()) return "";
  return fmt::format("      no price is known for {}: a cycle an element, so the time is a guess\n",
                     fmt::join(report.unpriced_ops, ", "));
}

// Silent about the default and about `check` and `replay`, which have none.
std::string AllocatorLine(const RunReport& report) {
  if (report.allocator == kDefaultAllocator || report.allocator == kAsPlaced) return "";
  return fmt::format("      allocator: {}\n", report.allocator);
}

std::string Spills(const RunReport& report) {
  if (report.spill.tensors == 0 && report.spill.reloads == 0) return "no spills";
  return fmt::format("{} spilled, {} saves, {} reloads", report.spill.tensors,
                     Grouped(report.spill.saves), Grouped(report.spill.reloads));
}

}  // namespace

std::string Grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0);
       at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string ToText(const RunReport& report) {
  const std::string name = report.kernel.empty() ? report.file : report.kernel;
  std::string line = fmt::format("{:<4}  {:<24}", VerdictName(report.verdict), name);
  if (report.cycles > 0) {
    line += fmt::format("  {:>12} cycles  {}  {}", Grouped(report.cycles), Memories(report),
                        Spills(report));
  }
  if (report.data.compared_bytes > 0) {
    line += report.data.mismatched_bytes == 0
                ? fmt::format("  {} bytes equal", Grouped(report.data.compared_bytes))
                : fmt::format("  {} of {} bytes differ", Grouped(report.data.mismatched_bytes),
                              Grouped(report.data.compared_bytes));
  }
  std::string remarks;
  for (const std::string& remark : report.remarks) remarks += "      " + remark + "\n";
  return line + "\n" + AllocatorLine(report) + EstimateLine(report) + UnpricedLine(report) +
         Details(report) + remarks;
}

std::string EstimateText(const RunReport& report) {
  if (!report.estimate)
    return report.estimate_note.empty() ? "" : "no estimate: " + report.estimate_note;
  const Estimate& estimate = *report.estimate;
  std::string text = fmt::format("{} cycles", Grouped(estimate.cycles.value));
  if (report.cycles > 0) {
    text += fmt::format(" ({:.2f} x simulated)", static_cast<double>(estimate.cycles.value) /
                                                     static_cast<double>(report.cycles));
  }
  return text + fmt::format(", {} without anti-dependences (slack {:.3f})",
                            Grouped(estimate.without_anti_dependences.value), estimate.slack());
}

std::string AllocationText(const RunReport& report) {
  const std::string name = report.kernel.empty() ? report.file : report.kernel;
  std::string line = fmt::format("{:<4}  {:<24}", VerdictName(report.verdict), name);
  if (report.sbuf.capacity_bytes.value > 0)
    line += fmt::format("  {}  {}", Memories(report), Spills(report));
  std::int64_t checked = 0;
  for (const CheckResult& check : report.checks) checked += check.checked;
  if (checked > 0) line += fmt::format("  {} things checked", Grouped(checked));
  return line + "\n" + AllocatorLine(report) + StackSummary(report) + Details(report) +
         Notes(report);
}

std::string Summary(const std::vector<RunReport>& reports) {
  std::array<int, 4> counts{};
  for (const RunReport& report : reports) ++counts[static_cast<std::size_t>(report.verdict)];
  std::string text = fmt::format("{} passed, {} failed", counts[0], counts[1]);
  if (counts[2] > 0) text += fmt::format(", {} bad inputs", counts[2]);
  if (counts[3] > 0) text += fmt::format(", {} can't be allocated", counts[3]);
  return text + "\n";
}

}  // namespace spillway
