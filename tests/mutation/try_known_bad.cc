#include <array>
#include <exception>
#include <map>

#include "model/hw/fault.h"
#include "tests/mutation/trial.h"
#include "tests/mutation/trial_problems.h"

namespace spillway {
namespace {

// Allocators that are wrong in ways which some judge, or all of them, must see.
constexpr std::array kCarriers = {"none", "A1", "A3", "A5", "A8",  "A12", "B1",  "B3",  "B5",
                                  "B6",   "B8", "C6", "C9", "C10", "C11", "C13", "C15", "C16"};

std::map<std::string, bool> VerdictsOf(const Allocated& allocated) {
  std::map<std::string, bool> rejects;
  JudgedCase judged(allocated);
  for (const JudgeId judge : AllJudges()) {
    bool& rejected = rejects[std::string(JudgeName(judge))];
    try {
      rejected = !judged.Ask(judge).empty();
    } catch (const std::exception&) {
      rejected = true;  // spill code that reaches outside its tensor
    }
  }
  return rejects;
}

}  // namespace

void TryKnownBad(const TrialOptions& options, TrialLog& log) {
  for (std::int64_t number = options.first; number <= options.cases; ++number) {
    log.Start(number);
    const std::string carrier = kCarriers[static_cast<std::size_t>(number) % kCarriers.size()];
    const AllocationProblem problem = ProblemOf(carrier, number);
    AllocateOptions allocate;
    allocate.sbuf_bytes = problem.sbuf_bytes;
    allocate.psum_banks = problem.psum_banks;
    std::optional<Result<Allocation>> made;
    try {
      const Planted planted(carrier);
      made = BoundedAllocate()(problem.kernel, problem.target, ClosedFormFor(problem.target),
                               allocate);
    } catch (const std::exception&) {
      continue;  // an allocator that notices its own fault leaves nothing to judge
    }
    if (!made->has_value()) continue;
    const Allocated allocated{&problem.kernel, &(*made)->kernel,   &(*made)->placement,
                              &problem.target, problem.sbuf_bytes, problem.psum_banks};
    const std::map<std::string, bool> clean = VerdictsOf(allocated);
    const Planted planted(options.fault);
    for (const auto& [judge, rejects] : VerdictsOf(allocated)) {
      if (rejects == clean.at(judge)) continue;
      return log.Kill("known-bad", number,
                      judge + (rejects ? " rejects what is right" : " accepts the allocation of ") +
                          (rejects ? "" : carrier));
    }
  }
}

}  // namespace spillway
