// The smallest problem that still shows a finding.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "properties/isolated.h"
#include "properties/problem_outcome.h"

namespace spillway {

struct ShrinkOptions {
  double seconds = 10;
  /// Each candidate in a process of its own: for findings that crash or hang.
  bool isolated = false;
  double case_seconds = 20;
};

struct ShrunkProblem {
  AllocationProblem problem;
  Finding finding;  ///< as the shrunk problem shows it
  std::int64_t tries = 0;
  bool finished = false;
};

/// Shrinks the kernel of `problem`, and with it its memory: a candidate gets as much as `problem`
/// gives, or as tight a fit to its own needs as the problem's is. `finding` must be among what
/// `judges` find in `problem`.
ShrunkProblem ShrinkProblem(const AllocationProblem& problem, const AllocateFunction& allocate,
                            const std::vector<JudgeId>& judges, const Finding& finding,
                            const ShrinkOptions& options = {});

/// What a process of its own has to say of a problem.
struct IsolatedOutcome {
  std::vector<Finding> findings;
  std::optional<Error> refusal;
};

/// JudgeProblem in a process of its own that has `seconds` by the clock; a crash or a hang is a
/// finding of kProgress.
IsolatedOutcome JudgeIsolated(const AllocationProblem& problem, const AllocateFunction& allocate,
                              const std::vector<JudgeId>& judges, double seconds);

}  // namespace spillway
