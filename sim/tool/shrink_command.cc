#include "sim/tool/shrink_command.h"

#include <fmt/format.h>

#include <iostream>

#include "model/alloc/ir/without_places.h"
#include "properties/campaign.h"
#include "properties/shrink_problem.h"
#include "sim/lower/check_channels.h"
#include "sim/tool/check_limits.h"
#include "sim/tool/json_report.h"
#include "sim/tool/judge_names.h"
#include "sim/tool/shrink_report.h"
#include "traces/kernel_reader.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

constexpr double kCaseSeconds = 60;

Result<AllocationProblem> ReadProblem(const ToolOptions& options) {
  Result<Kernel> kernel = ReadKernelFile(options.files.front());
  if (!kernel) return Fail(kernel.error());
  if (!options.target.empty()) kernel->target = options.target;
  if (options.reallocate) {
    *kernel = WithoutPlaces(std::move(*kernel));
  }
  Result<AllocationProblem> problem = ProblemOf(*kernel);
  if (!problem) return Fail(problem.error());
  if (options.sbuf_bytes) problem->sbuf_bytes = *options.sbuf_bytes;
  if (options.psum_banks) problem->psum_banks = *options.psum_banks;
  if (const std::optional<Error> error = CheckLimits(options, problem->target)) return Fail(*error);
  return problem;
}

int BadInput(Error error, const std::string& file) {
  if (error.file.empty()) error.file = file;
  std::cerr << error.ToString() << "\n";
  return 3;
}

}  // namespace

int ShrinkCommand(const ToolOptions& options) {
  const Result<AllocationProblem> problem = ReadProblem(options);
  if (!problem) return BadInput(problem.error(), options.files.front());
  const Result<std::vector<JudgeId>> judges = ParseJudges(options.judges);
  if (!judges) {
    std::cerr << "spillway: " << judges.error().message << "\n";
    return 2;
  }
  const AllocateFunction allocate = AllocateFunctionFor(options);
  // An allocator that is a process ends by its own limit, and is then told of as such.
  const double case_seconds = kCaseSeconds + AllocatorSecondsOf(options);
  IsolatedOutcome outcome;
  if (std::optional<Error> error = CheckChannels(problem->kernel, problem->target)) {
    outcome.refusal = std::move(error);
  } else {
    outcome = JudgeIsolated(*problem, allocate, *judges, case_seconds);
  }
  const std::vector<Finding>& findings = outcome.findings;
  const bool quiet = options.json == "-";
  ShrinkReport report{options.files.front(),
                      problem->kernel.instructions.size(),
                      {},
                      {},
                      std::move(outcome.refusal)};
  if (!findings.empty()) {
    report.finding = findings.front();
    report.shrunk = ShrinkProblem(*problem, allocate, *judges, findings.front(),
                                  {.seconds = options.seconds,
                                   .isolated = findings.front().judge == JudgeId::kProgress,
                                   .case_seconds = case_seconds});
    if (const Result<void> written =
            WriteKernelFile(WithLimits(report.shrunk->problem), options.output);
        !written) {
      return BadInput(written.error(), options.output);
    }
  }
  if (!quiet) std::cout << ToText(report, options.output);
  if (!options.json.empty()) {
    if (const Result<void> written = WriteText(options.json, ToJson(report)); !written)
      return BadInput(written.error(), options.json);
  }
  if (!findings.empty()) return 1;
  return report.refusal ? 4 : 0;
}

}  // namespace spillway
