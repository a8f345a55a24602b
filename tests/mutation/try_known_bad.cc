#include <algorithm>
#include <array>
#include <exception>
#include <map>

#include "model/hw/fault.h"
#include "sim/exec/compare_data.h"
#include "sim/values/inputs.h"
#include "sim/values/reference_interpreter.h"
#include "tests/mutation/trial.h"
#include "tests/mutation/trial_problems.h"

namespace spillway {
namespace {

struct Carrier {
  const char* fault;
  bool is_of_places;  ///< the code is right, and what is wrong are places
};
// Allocators that are wrong in ways which some judge, or all of them, must see.
constexpr std::array kCarriers = {
    Carrier{"none", false}, Carrier{"A1", true},   Carrier{"A3", true},   Carrier{"A5", true},
    Carrier{"A8", false},   Carrier{"A12", true},  Carrier{"B1", false},  Carrier{"B3", false},
    Carrier{"B5", true},    Carrier{"B6", true},   Carrier{"B8", false},  Carrier{"C6", false},
    Carrier{"C9", false},   Carrier{"C10", false}, Carrier{"C11", false}, Carrier{"C13", false},
    Carrier{"C15", false},  Carrier{"C16", false}};

using Verdicts = std::map<JudgeId, bool>;

Verdicts VerdictsOf(const Allocated& allocated, const std::vector<JudgeId>& judges) {
  Verdicts rejects;
  JudgedCase judged(allocated);
  for (const JudgeId judge : judges) {
    try {
      rejects[judge] = !judged.Ask(judge).empty();
    } catch (const std::exception&) {
      rejects[judge] = true;  // spill code that reaches outside its tensor
    }
  }
  return rejects;
}

// The first judge that says something else than without the fault.
std::optional<std::string> ChangedVerdict(const Verdicts& clean, const Verdicts& now,
                                          const std::string& carrier) {
  for (const auto& [judge, rejects] : now) {
    if (rejects == clean.at(judge)) continue;
    const std::string name(JudgeName(judge));
    return rejects ? name + " rejects what is right"
                   : name + " accepts the allocation of " + carrier;
  }
  return std::nullopt;
}

// Dataflow forwards and backwards are twins. What spoils a byte on one scratchpad, where only
// places are wrong, lies on another tensor's bytes.
std::optional<std::string> Disagreement(const Verdicts& now, const Carrier& carrier) {
  const std::string of = std::string(" the allocation of ") + carrier.fault;
  if (now.at(JudgeId::kDataflow) != now.at(JudgeId::kEquations)) {
    return (now.at(JudgeId::kDataflow) ? "dataflow rejects and equations accepts"
                                       : "equations rejects and dataflow accepts") +
           of;
  }
  if (carrier.is_of_places && now.at(JudgeId::kShadow) && !now.at(JudgeId::kOverlap))
    return "shadow rejects and overlap accepts" + of;
  return std::nullopt;
}

struct PoisonSeen {
  bool in_outputs = true;
  bool in_reference = true;
};

// Whether a poisoned byte is seen where it stands in the outputs, and in what they are compared
// with.
PoisonSeen ComparePoison(const Kernel& kernel, std::int64_t number) {
  const Result<Inputs> inputs = GenerateInputs(kernel, 1);
  if (!inputs) return {};
  const Result<InterpreterReport> reference = Interpret(kernel, ValueMode::kTags, *inputs);
  if (!reference) return {};
  NamedData poisoned = reference->dram;
  constexpr std::byte kPoison{0xff};
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.role != Role::kOutput) continue;
    std::vector<std::byte>& bytes = poisoned.at(tensor.name).bytes;
    if (bytes.empty()) continue;
    std::byte& byte = bytes[static_cast<std::size_t>(number) % bytes.size()];
    if (byte == kPoison) continue;
    byte = kPoison;
    return {!CompareData(kernel, poisoned, reference->dram).violations.empty(),
            !CompareData(kernel, reference->dram, poisoned).violations.empty()};
  }
  return {};
}

}  // namespace

void TryKnownBad(const TrialOptions& options, TrialLog& log) {
  std::set<std::string> killed = options.killed;
  const auto kill = [&](const std::string& column, std::int64_t number, const std::string& text) {
    if (killed.insert(column).second) log.Kill(column, number, text);
  };
  const std::vector<JudgeId> twins = {JudgeId::kOverlap, JudgeId::kDataflow, JudgeId::kEquations,
                                      JudgeId::kShadow};
  for (std::int64_t number = options.first; number <= options.cases; ++number) {
    const bool known_bad = killed.contains("known-bad");
    if (known_bad && killed.contains("relations")) return;
    if (known_bad && number > kEveryCase && number % kSampled != 0) continue;
    log.Start(number);
    const Carrier& carrier = kCarriers[static_cast<std::size_t>(number) % kCarriers.size()];
    const AllocationProblem problem = ProblemOf(carrier.fault, number);
    AllocateOptions allocate;
    allocate.sbuf_bytes = problem.sbuf_bytes;
    allocate.psum_banks = problem.psum_banks;
    std::optional<Result<Allocation>> made;
    try {
      const Planted planted(carrier.fault);
      made = BoundedAllocate()(problem.kernel, problem.target, ClosedFormFor(problem.target),
                               allocate);
    } catch (const std::exception&) {
      continue;  // an allocator that notices its own fault leaves nothing to judge
    }
    if (!made->has_value()) continue;
    const Allocated allocated{&problem.kernel, &(*made)->kernel,   &(*made)->placement,
                              &problem.target, problem.sbuf_bytes, problem.psum_banks};
    Verdicts clean;
    if (!known_bad) clean = VerdictsOf(allocated, AllJudges());
    const Planted planted(options.fault);
    const Verdicts now = VerdictsOf(allocated, known_bad ? twins : AllJudges());
    if (!known_bad) {
      if (const auto text = ChangedVerdict(clean, now, carrier.fault))
        kill("known-bad", number, *text);
      const PoisonSeen poison = ComparePoison(problem.kernel, number);
      if (!poison.in_outputs) kill("known-bad", number, "a poisoned byte passes for any other");
      if (poison.in_outputs != poison.in_reference)
        kill("relations", number, "a comparison depends on which side is which");
    }
    if (const auto text = Disagreement(now, carrier)) kill("relations", number, *text);
  }
}

}  // namespace spillway
