#include "sim/tool/targets_command.h"

#include <fmt/format.h>

#include <iostream>

#include "model/hw/target.h"
#include "model/hw/timing/timing_rules.h"
#include "sim/tool/json_report.h"
#include "sim/tool/text_report.h"

namespace spillway {
namespace {

void Print(const Target& target) {
  std::string aliases;
  for (const std::string& alias : target.aliases) aliases += (aliases.empty() ? "" : ", ") + alias;
  std::cout << fmt::format("{} (architecture level {}; also {})\n", target.name,
                           target.architecture_level, aliases);
  for (const TargetRow& row : Rows(target)) {
    std::cout << fmt::format("  {:<28} {:>16} {:<12} {:<10} {}\n", row.key, Grouped(row.value),
                             row.unit, ConfidenceName(row.confidence), row.source);
  }
}

void PrintRules(const Target& target) {
  std::cout << fmt::format("rules of time on {}\n  {:<14} {:<38} {:<58} {:<11} {:<10} {}\n",
                           target.name, "resource", "rule", "expression", "unit", "confidence",
                           "source");
  for (const TimingRule& rule : TimingRules(target)) {
    std::cout << fmt::format("  {:<14} {:<38} {:<58} {:<11} {:<10} {}\n", rule.resource, rule.rule,
                             rule.expression, rule.unit, ConfidenceName(rule.confidence),
                             rule.source);
  }
}

}  // namespace

int TargetsCommand(const ToolOptions& options) {
  std::vector<Target> targets;
  if (options.target.empty()) {
    targets = BuiltInTargets();
  } else {
    Result<Target> found = FindTarget(options.target);
    if (!found) {
      std::cerr << found.error().ToString() << "\n";
      return 3;
    }
    targets.push_back(std::move(*found));
  }
  if (!options.json.empty()) {
    if (const Result<void> written = WriteText(options.json, TargetsToJson(targets, options.rules));
        !written) {
      std::cerr << written.error().ToString() << "\n";
      return 3;
    }
    if (options.json == "-") return 0;
  }
  for (const Target& target : targets) {
    Print(target);
    if (options.rules) PrintRules(target);
  }
  return 0;
}

}  // namespace spillway
