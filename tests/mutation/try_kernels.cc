#include <algorithm>

#include "model/hw/fault.h"
#include "properties/reduce_kernel.h"
#include "tests/mutation/trial.h"
#include "tests/mutation/trial_problems.h"

namespace spillway {
namespace {

std::vector<JudgeId> JudgesWithout(const std::set<std::string>& killed) {
  std::vector<JudgeId> judges;
  for (const JudgeId judge : AllJudges()) {
    if (!killed.contains(std::string(JudgeName(judge)))) judges.push_back(judge);
  }
  return judges;
}

}  // namespace

void TryKernels(const TrialOptions& options, TrialLog& log) {
  std::set<std::string> killed = options.killed;
  std::vector<JudgeId> judges = JudgesWithout(killed);
  for (std::int64_t number = options.first; number <= options.cases && !judges.empty(); ++number) {
    if (!killed.empty() && number > kEveryCase && number % kSampled != 0) continue;
    log.Start(number);
    const AllocationProblem problem = ProblemOf(options.fault, number);
    const ProblemOutcome outcome = JudgeWith(options.fault, problem, judges);
    for (const Finding& finding : outcome.findings) {
      const std::string name(JudgeName(finding.judge));
      if (killed.insert(name).second) log.Kill(name, number, finding.text);
    }
    if (!outcome.findings.empty()) judges = JudgesWithout(killed);
  }
}

std::int64_t ShrinkKernel(const std::string& fault, std::int64_t number, const std::string& judge) {
  const AllocationProblem problem = ProblemOf(fault, number);
  std::vector<JudgeId> asked;
  for (const JudgeId id : AllJudges()) {
    if (JudgeName(id) == judge) asked.push_back(id);
  }
  const auto objects = [&](const Kernel& kernel, Bytes sbuf_bytes) {
    AllocationProblem smaller = problem;
    smaller.kernel = kernel;
    smaller.sbuf_bytes = sbuf_bytes;
    for (const Finding& finding : JudgeWith(fault, smaller, asked).findings) {
      if (JudgeName(finding.judge) == judge) return true;
    }
    return false;
  };
  // A smaller kernel needs less memory: pressure has to shrink with it.
  constexpr std::uint8_t kTight = 255;
  constexpr std::uint8_t kHalf = 128;
  const StillFails still_fails = [&](const Kernel& kernel) {
    if (objects(kernel, problem.sbuf_bytes)) return true;
    const bool fixed = std::any_of(kernel.tensors.begin(), kernel.tensors.end(),
                                   [](const Tensor& tensor) { return !tensor.at.empty(); });
    if (fixed) return false;
    return objects(kernel, CapacityBetween(kernel, problem.target, kTight)) ||
           objects(kernel, CapacityBetween(kernel, problem.target, kHalf));
  };
  if (!still_fails(problem.kernel)) return 0;
  constexpr std::int64_t kMostTries = 1500;
  const Reduced reduced =
      ReduceKernel(problem.kernel, still_fails, {.seconds = 60, .most_tries = kMostTries});
  return static_cast<std::int64_t>(reduced.kernel.instructions.size());
}

}  // namespace spillway
