// The problems of a trial, and the allocator under test.
#pragma once

#include "properties/allocation_problem.h"
#include "properties/allocation_relations.h"
#include "properties/problem_outcome.h"

namespace spillway {

/// Plants for as long as it lives; what a generator asks the passes must be free of faults.
class Planted {
 public:
  explicit Planted(const std::string& fault);
  ~Planted();
  Planted(const Planted&) = delete;
  Planted& operator=(const Planted&) = delete;
};

/// Problem `number` for the row of `fault`, decoded without any fault, except for rows whose input
/// is the fault's own code.
AllocationProblem ProblemOf(const std::string& fault, std::int64_t number);

/// The same without a fault and without tensors that their author placed.
AllocationProblem UnplacedProblem(std::int64_t number);
/// A case of the relations. `problem` must outlive it.
RelationCase CaseOf(const AllocationProblem& problem, std::int64_t number);

/// `Allocate` that gives up where the spill loop doesn't end: it throws.
AllocateFunction BoundedAllocate();

/// The same for problems of the row of `fault`: hand-placed kernels leave nothing to allocate but
/// homes, and rows of the stack allocator are asked of that.
AllocateFunction AllocateFor(const std::string& fault);

/// What the judges say with the fault planted. A refusal that a clean allocator doesn't give is a
/// finding of kProgress.
ProblemOutcome JudgeWith(const std::string& fault, const AllocationProblem& problem,
                         const std::vector<JudgeId>& judges);

}  // namespace spillway
