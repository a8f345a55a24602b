#include "properties/played_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/exec/adversarial_effects.h"
#include "sim/exec/deadlock.h"
#include "sim/exec/kernel_effects.h"

namespace spillway {
namespace {

std::vector<Violation> Compare(const PlayedCase& played, const RunResult& run,
                               const NamedData& outputs, const std::string& when) {
  std::vector<Violation> violations = DeadlockViolations(played.kernel, played.lowered, run);
  for (const auto& [name, data] : outputs) {
    const std::vector<std::byte>& wanted = played.expected.at(name).bytes;
    if (wanted == data.bytes) continue;
    std::size_t at = 0;
    while (at < wanted.size() && at < data.bytes.size() && wanted[at] == data.bytes[at]) ++at;
    Violation violation;
    violation.kind = Kind::kDataMismatch;
    violation.tensors = {name};
    violation.text = fmt::format("{} differs from the reference from byte {} of {} on{}", name, at,
                                 wanted.size(), when);
    violations.push_back(std::move(violation));
  }
  return violations;
}

}  // namespace

std::vector<Violation> CasePlayer::Play(const PlayedCase& played) {
  KernelEffects effects(played.kernel, played.lowered, ValueMode::kTags, played.inputs);
  const RunResult run =
      machine_.Run(played.lowered.program, played.target, played.lowered.memory.use, &effects);
  return Compare(played, run, effects.TakeOutputs(), "");
}

std::vector<Violation> CasePlayer::PlayStreaming(const PlayedCase& played) {
  AdversarialEffects effects(played.kernel, played.lowered, ValueMode::kTags, played.inputs,
                             {.bytes = {}, .streaming = true});
  const RunResult run =
      machine_.Run(played.lowered.program, played.target, played.lowered.memory.use, &effects);
  std::string when;
  if (const std::optional<InstanceId> spoiled = effects.first_spoiled()) {
    when = fmt::format("; {} is the first that reads what it has just written",
                       InstanceLabel(played.kernel, played.lowered, *spoiled));
  }
  return Compare(played, run, effects.TakeOutputs(), when);
}

std::vector<Violation> CasePlayer::PlayAtOtherTimes(const PlayedCase& played, int random_plans,
                                                    std::uint64_t seed) {
  AdversarialEffects own(played.kernel, played.lowered, ValueMode::kTags, played.inputs, {});
  machine_.Run(played.lowered.program, played.target, played.lowered.memory.use, &own);
  const int plans = DirectedPlans(played.lowered.program) + random_plans;
  for (int number = 0; number < plans; ++number) {
    std::vector<Violation> violations = PlayPlan(played, number, seed, own.trace());
    if (!violations.empty()) return violations;
  }
  return {};
}

std::vector<Violation> CasePlayer::PlayPlan(const PlayedCase& played, int number,
                                            std::uint64_t seed,
                                            const std::vector<std::uint64_t>& trace) {
  const AdversarialPlan plan = MakeAdversarialPlan(played.lowered.program, number, seed);
  AdversarialEffects effects(played.kernel, played.lowered, ValueMode::kTags, played.inputs,
                             {.bytes = plan.bytes, .streaming = false});
  const RunResult run =
      machine_.Run(plan.program, played.target, played.lowered.memory.use, &effects);
  const std::string when = fmt::format(" at the times of plan {} with seed {}", number, seed);
  std::vector<Violation> violations = Compare(played, run, effects.TakeOutputs(), when);
  if (!violations.empty() || effects.trace() == trace) return violations;
  const auto differs = std::mismatch(trace.begin(), trace.end(), effects.trace().begin()).first;
  const auto at = static_cast<std::size_t>(differs - trace.begin());
  const bool ends = at >= played.lowered.sequence.size();
  Violation violation;
  violation.kind = Kind::kDataMismatch;
  violation.text =
      fmt::format("{} other values{} than at the machine's own",
                  ends ? "some place holds in the end"
                       : InstanceLabel(played.kernel, played.lowered, InstanceId(at)) + " computes",
                  when);
  violations.push_back(std::move(violation));
  return violations;
}

}  // namespace spillway
