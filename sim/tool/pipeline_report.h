// What the checks say about one pipeline file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/check_task/describe_verdict.h"
#include "model/alloc/check_task/explore_states.h"
#include "model/alloc/task/system_layout.h"
#include "sim/tool/replay_report.h"

namespace spillway {

struct PipelineReport {
  std::string file;
  /// Why the file can't be read, laid out or judged; what follows is then as far as it got.
  std::optional<Error> error;
  std::optional<task::PipelineSystem> system;
  std::optional<task::SystemLayout> layout;
  std::optional<task::Verdict> verdict;
  task::Exploration exploration;
  std::vector<task::Finding> findings;
  std::optional<ReplayReport> replay;  ///< where it was asked for
  /// Where every task is one loop of the same length: its iterations, and how many would show what
  /// longer loops do; nothing: none that an analysis may have.
  std::optional<std::int64_t> iterations;
  std::optional<std::int64_t> cut_off;

  /// Neither clean nor unclean: a bound of an engine was reached first.
  bool IsInconclusive() const;
  /// "pass", "fail", "inconclusive", "bad-input" or "cannot-allocate".
  std::string VerdictName() const;
  /// 0, 1, 1, 3 or 4.
  int ExitCode() const;
};

/// Reads, lays out and judges one file, and plays it as `plan` says; without one it isn't played.
/// Engine 2 stops after `max_states`; where it doesn't, both static engines must agree. The replay
/// is held against them, and a contradiction is a failure.
PipelineReport CheckPipelineFile(const std::string& file, std::int64_t max_states,
                                 const std::optional<ReplayPlan>& plan = std::nullopt);

/// Findings that a run could show and that have none, since there are many.
std::int64_t WithoutRun(const PipelineReport& report);

/// Which bound ended the exploration, and what helps.
std::string WhyInconclusive(const task::Exploration& exploration);

/// "fail  e0_seed  20 events  29 states  smem 16 B, tmem 64 columns" on one line; below it,
/// indented, each finding with the run that shows it, and what the replay saw.
std::string ToText(const PipelineReport& report);

/// One JSON object on one line, with a line's end. Source: ts_pipelines.md §12.
std::string ToJson(const PipelineReport& report);

}  // namespace spillway
