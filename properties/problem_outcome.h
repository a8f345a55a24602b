// One problem through an allocator and its judges: the body that every driver shares.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/allocate.h"
#include "properties/allocation_problem.h"
#include "properties/coverage.h"
#include "properties/judge.h"

namespace spillway {

/// The allocator under test.
using AllocateFunction = std::function<Result<Allocation>(const Kernel&, const Target&, const Hwm&,
                                                          const AllocateOptions&)>;

struct ProblemOutcome {
  std::vector<Finding> findings;  ///< in the order of the judges
  std::optional<Error> refusal;   ///< for want of memory: then no judge was asked
  bool was_judged = false;        ///< the allocator answered, and the judges were asked
  BinSet bins = 0;
  double allocate_seconds = 0;
  std::vector<double> judge_seconds;  ///< a judge asked
};

/// Allocates and asks `judges`. A refusal for want of memory is an outcome of its own, neither for
/// nor against the allocator, and a finding of kProgress ("refused") only where FitsUnshared. Any
/// other error, and what the allocator or a judge throws, is a finding of kProgress.
ProblemOutcome JudgeProblem(const AllocationProblem& problem, const AllocateFunction& allocate,
                            const std::vector<JudgeId>& judges);

/// The failure under which equal ones are kept together: "dataflow/wrong-value/t3".
std::string KeyOf(const Finding& finding);
/// Whether two findings are of the same judge and kind at the same site, whatever the names of the
/// tensors; for kProgress, of the same way to fail.
bool IsSameFailure(const Finding& a, const Finding& b);
/// Whether a finding like `finding` is among `findings`: what a smaller kernel must still show.
bool ShowsSame(const std::vector<Finding>& findings, const Finding& finding);

}  // namespace spillway
