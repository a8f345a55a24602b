#include "sim/tool/targets_command.h"

#include <fmt/format.h>

#include <iostream>

#include "model/hw/target.h"
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
    if (const Result<void> written = WriteText(options.json, TargetsToJson(targets)); !written) {
      std::cerr << written.error().ToString() << "\n";
      return 3;
    }
    if (options.json == "-") return 0;
  }
  for (const Target& target : targets) Print(target);
  return 0;
}

}  // namespace spillway
