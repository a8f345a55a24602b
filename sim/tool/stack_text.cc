#include "sim/tool/stack_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace spillway {
namespace {

constexpr std::size_t kShownOverlaps = 5;
// As the library calls its manager in its own log.
constexpr const char* kTitle = "SBM";

std::string Indented(const std::string& text) {
  std::string indented;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) indented += "      " + line + "\n";
  return indented;
}

std::string Overlaps(const nki::StackAccount& stack) {
  std::vector<std::string> texts;
  for (const nki::SectionOverlap& overlap : stack.overlaps) texts.push_back(overlap.text);
  for (const nki::HeapOverlap& overlap : stack.heap_overlaps) texts.push_back(overlap.text);
  if (texts.empty()) return fmt::format("[{}] no section shares bytes with a neighbour\n", kTitle);
  std::string text;
  for (std::size_t i = 0; i < std::min(texts.size(), kShownOverlaps); ++i)
    text += fmt::format("[{}] {}\n", kTitle, texts[i]);
  if (texts.size() > kShownOverlaps) {
    text += fmt::format("[{}] … and {} more; --json lists them all\n", kTitle,
                        texts.size() - kShownOverlaps);
  }
  return text;
}

}  // namespace

std::string StackSummary(const RunReport& report) {
  if (!report.stack) return "";
  return Indented(report.stack->statistics.ToText(kTitle) + Overlaps(*report.stack));
}

std::string StackTree(const RunReport& report) {
  return report.stack ? Indented(report.stack->tree) : "";
}

}  // namespace spillway
