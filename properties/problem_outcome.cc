#include "properties/problem_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "properties/fits_unshared.h"

namespace spillway {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What a kernel may be refused for: it is too big, whatever is spilled.
bool MayBeRefused(Kind kind) {
  return kind == Kind::kCapacity || kind == Kind::kInstructionWorkingSet ||
         kind == Kind::kPartitionRange;
}

std::vector<Finding> Ask(JudgedCase& judged, JudgeId judge) {
  try {
    return judged.Ask(judge);
  } catch (const std::exception& bug) {
    return {{JudgeId::kProgress, Kind::kLimit, std::string(JudgeName(judge)),
             fmt::format("the judge {} threw: {}", JudgeName(judge), bug.what())}};
  }
}

}  // namespace

ProblemOutcome JudgeProblem(const AllocationProblem& problem, const AllocateFunction& allocate,
                            const std::vector<JudgeId>& judges) {
  ProblemOutcome outcome;
  outcome.bins = BinsOf(problem.kernel);
  AllocateOptions options;
  options.sbuf_bytes = problem.sbuf_bytes;
  options.psum_banks = problem.psum_banks;
  const auto start = std::chrono::steady_clock::now();
  std::optional<Result<Allocation>> allocation;
  try {
    allocation = allocate(problem.kernel, problem.target, ClosedFormFor(problem.target), options);
  } catch (const std::exception& bug) {
    outcome.findings.push_back({JudgeId::kProgress, Kind::kLimit, "allocator",
                                fmt::format("the allocator threw: {}", bug.what())});
    return outcome;
  }
  outcome.allocate_seconds = SecondsSince(start);
  if (!*allocation) {
    const Error& error = allocation->error();
    if (MayBeRefused(error.kind)) {
      outcome.refusal = error;
      outcome.bins |= Only(Bin::kRefused);
      if (FitsUnshared(problem)) {
        outcome.findings.push_back(
            {JudgeId::kProgress, error.kind, "refused",
             "refused although all tensors fit side by side: " + error.ToString()});
      }
    } else {
      outcome.findings.push_back({JudgeId::kProgress, error.kind, "allocator", error.ToString()});
    }
    return outcome;
  }
  const Allocation& found = **allocation;
  outcome.was_judged = true;
  outcome.bins |= BinsOf(found);
  JudgedCase judged({&problem.kernel, &found.kernel, &found.placement, &problem.target,
                     problem.sbuf_bytes, problem.psum_banks});
  for (const JudgeId judge : judges) {
    const auto asked = std::chrono::steady_clock::now();
    for (Finding& finding : Ask(judged, judge)) outcome.findings.push_back(std::move(finding));
    outcome.judge_seconds.push_back(SecondsSince(asked));
  }
  return outcome;
}

std::string KeyOf(const Finding& finding) {
  return fmt::format("{}/{}/{}", JudgeName(finding.judge), KindName(finding.kind), finding.place);
}

bool IsSameFailure(const Finding& a, const Finding& b) {
  const bool same_way = a.judge != JudgeId::kProgress || a.place == b.place;
  return a.judge == b.judge && a.kind == b.kind && a.site == b.site && same_way;
}

bool ShowsSame(const std::vector<Finding>& findings, const Finding& finding) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& other) { return IsSameFailure(other, finding); });
}

}  // namespace spillway
