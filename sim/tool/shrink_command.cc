#include "sim/tool/shrink_command.h"

#include <fmt/format.h>

#include <iostream>

#include "properties/campaign.h"
#include "properties/shrink_problem.h"
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
    for (Tensor& tensor : kernel->tensors) tensor.at.clear();
  }
  Result<AllocationProblem> problem = ProblemOf(*kernel);
  if (!problem) return Fail(problem.error());
  if (options.sbuf_bytes) problem->sbuf_bytes = *options.sbuf_bytes;
  if (options.psum_banks) problem->psum_banks = *options.psum_banks;
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
  const std::vector<Finding> findings = JudgeIsolated(*problem, allocate, *judges, kCaseSeconds);
  const bool quiet = options.json == "-";
  ShrinkReport report{options.files.front(), problem->kernel.instructions.size(), {}, {}};
  if (!findings.empty()) {
    report.finding = findings.front();
    report.shrunk = ShrinkProblem(*problem, allocate, *judges, findings.front(),
                                  {.seconds = options.seconds,
                                   .isolated = findings.front().judge == JudgeId::kProgress,
                                   .case_seconds = kCaseSeconds});
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
  return findings.empty() ? 0 : 1;
}

}  // namespace spillway
