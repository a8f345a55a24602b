#include "sim/tool/pipeline_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "model/alloc/check_task/iteration_cut_off.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "traces/pipeline_reader.h"

namespace spillway {
namespace {

/// Findings that get a run of their own; the others are of the same kinds.
constexpr std::size_t kMaxWitnesses = 16;
/// Rows of a run that a person gets to see.
constexpr std::size_t kMaxTableRows = 24;

std::string Indented(const std::string& text, const std::string& by) {
  std::istringstream lines(text);
  std::string indented;
  for (std::string line; std::getline(lines, line);) indented += by + line + "\n";
  return indented;
}

/// What a verdict on loops of `iterations` says about longer ones; empty: all.
std::string AboutLongerLoops(const PipelineReport& report) {
  if (!report.verdict || !report.verdict->IsClean() || !report.iterations) return "";
  if (!report.cut_off) {
    return fmt::format(
        "  clean for {} iterations; the rings meet too seldom to say anything about "
        "more\n",
        *report.iterations);
  }
  if (*report.iterations >= *report.cut_off) return "";
  return fmt::format("  clean for {} iterations; if there may be more, check {}\n",
                     *report.iterations, *report.cut_off);
}

/// Both engines saw the same races and the same blocked tasks.
bool Agree(const task::Verdict& verdict, const task::Exploration& exploration) {
  std::vector<std::pair<task::TaskId, std::uint32_t>> blocked;
  for (const task::BlockedTask& one : verdict.blocked) blocked.emplace_back(one.task, one.step);
  return verdict.races == exploration.races && blocked == exploration.blocked;
}

}  // namespace

bool PipelineReport::IsInconclusive() const {
  if (verdict.has_value()) return !exploration.complete;
  return system.has_value() && error.has_value() && error->kind == Kind::kLimit;
}

std::string PipelineReport::VerdictName() const {
  if (verdict.has_value() && !verdict->IsClean()) return "fail";
  if (replay.has_value() && !replay->IsClean()) return "fail";
  if (IsInconclusive()) return "inconclusive";
  if (!error) return "pass";
  return error->kind == Kind::kCapacity ? "cannot-allocate" : "bad-input";
}

int PipelineReport::ExitCode() const {
  if (error && !IsInconclusive()) return error->kind == Kind::kCapacity ? 4 : 3;
  return VerdictName() == "pass" ? 0 : 1;
}

PipelineReport CheckPipelineFile(const std::string& file, std::int64_t max_states,
                                 const std::optional<ReplayPlan>& plan) {
  PipelineReport report;
  report.file = file;
  const auto refuse = [&](Error error) {
    if (error.file.empty()) error.file = file;
    report.error = std::move(error);
    return std::move(report);
  };
  Result<task::PipelineSystem> system = ReadPipelineFile(file);
  if (!system) return refuse(std::move(system.error()));
  Result<task::SystemLayout> layout = task::LayOutSystem(*system);
  if (!layout) return refuse(std::move(layout.error()));
  Result<task::Program> program = task::Unroll(*system, *layout);
  if (!program) return refuse(std::move(program.error()));
  report.system = std::move(*system);
  report.layout = std::move(*layout);
  Result<task::Verdict> verdict = task::CheckSystem(*report.system, *program);
  if (!verdict) return refuse(std::move(verdict.error()));
  auto findings = task::DescribeVerdict(*report.system, *program, *verdict, kMaxWitnesses);
  if (!findings) return refuse(std::move(findings.error()));
  task::ExplorationOptions options;
  options.max_states = max_states;
  report.exploration = task::ExploreStates(*report.system, *program, options);
  SPILLWAY_CHECK(!report.exploration.complete || Agree(*verdict, report.exploration),
                 "clocks and exploration agree on races and deadlocks of " + file);
  report.iterations = task::CommonIterations(*report.system);
  if (report.iterations) {
    if (const Result<std::int64_t> cut_off = task::IterationCutOff(*report.system))
      report.cut_off = *cut_off;
  }
  if (plan) report.replay = PlayPipeline(*report.system, *program, *verdict, *plan);
  report.verdict = std::move(*verdict);
  report.findings = std::move(*findings);
  return report;
}

std::int64_t WithoutRun(const PipelineReport& report) {
  // No run shows what is wrong with the structure.
  return std::count_if(report.findings.begin(), report.findings.end(),
                       [](const task::Finding& finding) {
                         return finding.kind != Kind::kShape && !finding.witness;
                       });
}

std::string WhyInconclusive(const task::Exploration& exploration) {
  constexpr std::string_view kClocks = "What the clocks found is complete";
  switch (exploration.bound) {
    case task::ExplorationBound::kNone: break;
    case task::ExplorationBound::kStates:
      return fmt::format(
          "the exploration stopped at its bound of states. {}; --states N explores "
          "further",
          kClocks);
    // The first line says how many states there are at least.
    case task::ExplorationBound::kNumbers:
      return fmt::format(
          "the exploration stopped, since its states take more memory than it may use. {}; fewer "
          "iterations may fit",
          kClocks);
    case task::ExplorationBound::kComparisons:
      return fmt::format(
          "the exploration stopped, since it may compare no more accesses. {}; fewer iterations "
          "may fit",
          kClocks);
  }
  return "the exploration reached no bound";
}

std::string ToText(const PipelineReport& report) {
  const std::string name =
      report.system ? report.system->name : std::filesystem::path(report.file).filename().string();
  std::string text = fmt::format("{:<12}  {}", report.VerdictName(), name);
  if (report.verdict) {
    text += fmt::format("  {} events  ", report.verdict->events);
    text += report.exploration.complete
                ? fmt::format("{} state{}", report.exploration.states,
                              report.exploration.states == 1 ? "" : "s")
                : fmt::format("more than {} states", report.exploration.states - 1);
  }
  if (report.layout) {
    std::string memory;
    for (const task::MemorySpace space : task::kMemorySpaces) {
      if (const auto total = report.layout->totals[space]) {
        memory += fmt::format("{}{} {} {}", memory.empty() ? "  " : ", ",
                              task::MemorySpaceName(space), total->value, task::UnitName(space));
      }
    }
    text += memory;
  }
  text += "\n";
  if (report.error) text += "  " + report.error->ToString() + "\n";
  for (const task::Finding& finding : report.findings) {
    text += Indented(fmt::format("{}: {}", finding.code, finding.text), "  ");
    if (finding.witness && !finding.witness->rows.empty())
      text += Indented(task::WitnessTable(*report.system, *finding.witness, kMaxTableRows), "    ");
  }
  if (const std::int64_t count = WithoutRun(report); count > 0) {
    text += fmt::format(
        "  {} more findings have no run beside them: of each kind the first {} have "
        "one\n",
        count, kMaxWitnesses);
  }
  if (report.replay) text += Indented(ReplayText(*report.replay), "  ");
  text += AboutLongerLoops(report);
  if (report.verdict && report.IsInconclusive())
    text += "  " + WhyInconclusive(report.exploration) + "\n";
  return text;
}

}  // namespace spillway
