#include "sim/tool/pipeline_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string>

#include "sim/tool/json_report.h"
#include "sim/tool/pipeline_report.h"
#include "sim/tool/rings_report.h"

namespace spillway {
namespace {

constexpr int kBadInput = 3;

}  // namespace

int PipelineCommand(const ToolOptions& options) {
  const bool quiet = options.json == "-";
  std::string json;
  std::map<std::string, int> verdicts;
  int exit_code = 0;
  for (const std::string& file : options.files) {
    if (IsKernelFile(file)) {
      const RingsReport report = CheckKernelRings(file, options.output);
      exit_code = std::max(exit_code, report.ExitCode());
      ++verdicts[report.VerdictName()];
      if (!quiet) std::cout << ToText(report) << std::flush;
      if (!options.json.empty()) json += ToJson(report);
      continue;
    }
    const PipelineReport report = CheckPipelineFile(file, options.max_states);
    exit_code = std::max(exit_code, report.ExitCode());
    ++verdicts[report.VerdictName()];
    if (!quiet) std::cout << ToText(report) << std::flush;
    if (!options.json.empty()) json += ToJson(report);
  }
  if (!quiet) {
    std::string summary;
    for (const char* verdict : {"pass", "fail", "inconclusive", "bad-input", "cannot-allocate"})
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", verdicts[verdict], verdict);
    std::cout << summary << "\n";
  }
  if (options.json.empty()) return exit_code;
  if (const Result<void> written = WriteText(options.json, json); !written) {
    std::cerr << written.error().ToString() << "\n";
    exit_code = std::max(exit_code, kBadInput);
  }
  return exit_code;
}

}  // namespace spillway
