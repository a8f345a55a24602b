#include "tests/mutation/trial_problems.h"

#include <algorithm>
#include <stdexcept>

#include "model/alloc/allocate.h"
#include "model/alloc/nki/stack_allocator.h"
#include "model/alloc/place_homes.h"
#include "model/hw/fault.h"
#include "properties/fault_catalogue.h"
#include "properties/rotating_kernel.h"

namespace spillway {
namespace {

constexpr std::uint64_t kSeed = 85;
// No problem of these sizes needs a tenth of it.
constexpr int kMostRounds = 200;

Result<Allocation> StackAllocate(const Kernel& kernel, const Target& target, const Hwm& hwm,
                                 const AllocateOptions& options) {
  return nki::MakeStackAllocator()->Allocate(kernel, target, hwm, options);
}

// Room for the stack alone, less a few bytes in most: what is measured wrongly no longer fits.
AllocationProblem StackProblem(AllocationProblem problem, std::int64_t number) {
  AllocateOptions options;
  options.psum_banks = problem.psum_banks;
  const Result<Allocation> roomy =
      StackAllocate(problem.kernel, problem.target, ClosedFormFor(problem.target), options);
  if (!roomy) return problem;
  const Bytes granule = problem.target.sbuf_granule;
  problem.sbuf_bytes =
      std::max(granule, roomy->sbuf.high_water_bytes - Bytes(number % granule.value));
  return problem;
}

}  // namespace

Planted::Planted(const std::string& fault) { PlantFault(fault == "none" ? "" : fault); }
Planted::~Planted() { PlantFault(""); }

AllocationProblem ProblemOf(const std::string& fault, std::int64_t number) {
  const std::vector<std::uint8_t> bytes = ProblemBytes(kSeed, static_cast<std::uint64_t>(number));
  const FaultRow* row = FindFault(fault);
  if (row != nullptr && row->input == FaultInput::kStack)
    return StackProblem(DecodeProblem(bytes), number);
  if (row == nullptr || row->input != FaultInput::kRotating) return DecodeProblem(bytes);
  const Planted planted(fault);
  return DecodeRotating(bytes);
}

AllocationProblem UnplacedProblem(std::int64_t number) {
  std::vector<std::uint8_t> bytes = ProblemBytes(kSeed, static_cast<std::uint64_t>(number));
  bytes[kKnobBytes - 1] = 0;
  return DecodeProblem(bytes);
}

RelationCase CaseOf(const AllocationProblem& problem, std::int64_t number) {
  return {problem.kernel, problem.sbuf_bytes, problem.target, ClosedFormFor(problem.target),
          static_cast<std::uint64_t>(number) * 2654435761u};
}

AllocateFunction AllocateFor(const std::string& fault) {
  const FaultRow* row = FindFault(fault);
  if (row != nullptr && row->input == FaultInput::kStack) return StackAllocate;
  if (row == nullptr || row->input != FaultInput::kRotating) return BoundedAllocate();
  return [](const Kernel& kernel, const Target& target, const Hwm& /*hwm*/,
            const AllocateOptions& /*options*/) { return AllocateHomes(kernel, target); };
}

AllocateFunction BoundedAllocate() {
  return [](const Kernel& kernel, const Target& target, const Hwm& hwm,
            const AllocateOptions& options) {
    AllocateOptions bounded = options;
    int rounds = 0;
    bounded.progress = [&rounds](const std::string&) {
      if (++rounds > kMostRounds) throw std::runtime_error("the spill loop doesn't end");
    };
    return Allocate(kernel, target, hwm, bounded);
  };
}

ProblemOutcome JudgeWith(const std::string& fault, const AllocationProblem& problem,
                         const std::vector<JudgeId>& judges) {
  ProblemOutcome outcome;
  {
    const Planted planted(fault);
    outcome = JudgeProblem(problem, AllocateFor(fault), judges);
  }
  if (outcome.refusal && fault != "none") {
    const ProblemOutcome clean = JudgeProblem(problem, AllocateFor(fault), {});
    if (!clean.refusal) {
      outcome.findings.push_back({JudgeId::kProgress, outcome.refusal->kind, "allocator",
                                  "refused: " + outcome.refusal->ToString()});
    }
  }
  return outcome;
}

}  // namespace spillway
