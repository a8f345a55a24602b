#include "sim/tool/pipeline_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/tool/json_report.h"
#include "sim/tool/pipeline_html.h"
#include "sim/tool/pipeline_report.h"
#include "sim/tool/rings_html.h"
#include "sim/tool/rings_report.h"

namespace spillway {
namespace {

constexpr int kBadInput = 3;

}  // namespace

int PipelineCommand(const ToolOptions& options) {
  const bool quiet = options.json == "-";
  std::optional<ReplayPlan> plan;
  if (options.play) {
    Result<Target> target = FindTarget(options.target.empty() ? "trn2" : options.target);
    if (!target) {
      std::cerr << target.error().ToString() << "\n";
      return kBadInput;
    }
    plan = {std::move(*target), options.seed};
  }
  std::string json;
  std::vector<PipelineSection> sections;
  std::map<std::string, int> verdicts;
  int exit_code = 0;
  for (const std::string& file : options.files) {
    if (IsKernelFile(file)) {
      const RingsReport report = CheckKernelRings(file, options.output);
      exit_code = std::max(exit_code, report.ExitCode());
      ++verdicts[report.VerdictName()];
      if (!quiet) std::cout << ToText(report) << std::flush;
      if (!options.json.empty()) json += ToJson(report);
      if (!options.report.empty()) sections.push_back(MakeRingsSection(report));
      continue;
    }
    const PipelineReport report = CheckPipelineFile(file, options.max_states, plan);
    exit_code = std::max(exit_code, report.ExitCode());
    ++verdicts[report.VerdictName()];
    if (!quiet) std::cout << ToText(report) << std::flush;
    if (!options.json.empty()) json += ToJson(report);
    if (!options.report.empty()) sections.push_back(MakePipelineSection(report));
  }
  if (!quiet) {
    std::string summary;
    for (const char* verdict : {"pass", "fail", "inconclusive", "bad-input", "cannot-allocate"})
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", verdicts[verdict], verdict);
    std::cout << summary << "\n";
  }
  const auto write = [&](const std::string& path, const std::string& text) {
    const Result<void> written = WriteText(path, text);
    if (written) return;
    std::cerr << written.error().ToString() << "\n";
    exit_code = std::max(exit_code, kBadInput);
  };
  if (!options.json.empty()) write(options.json, json);
  if (!options.report.empty()) write(options.report, PipelineHtml(sections));
  return exit_code;
}

}  // namespace spillway
