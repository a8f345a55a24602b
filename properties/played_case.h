// Plays lowered kernels with data and compares their outputs, case after case.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/hw/timing/event_machine.h"
#include "model/hw/violation.h"
#include "sim/exec/adversarial_plan.h"
#include "sim/lower/lower_kernel.h"
#include "sim/values/inputs.h"

namespace spillway {

/// A lowered kernel with what it gets and what it must give.
struct PlayedCase {
  const Kernel& kernel;  ///< the allocated function
  const LoweredKernel& lowered;
  const Target& target;
  const Inputs& inputs;
  const NamedData& expected;  ///< the reference's bytes of every output, with tags as values
};

/// Objections to one run: kDataMismatch for each output that differs, kDeadlock for a run that
/// stopped. Values are tags; the memory is poisoned before.
/// One object serves one thread and keeps its machine from case to case.
class CasePlayer {
 public:
  /// At the machine's own times.
  std::vector<Violation> Play(const PlayedCase& played);
  /// The same, where instructions read and write element by element.
  std::vector<Violation> PlayStreaming(const PlayedCase& played);
  /// At the times of every directed plan and of `random_plans` others; stops at the first plan with
  /// objections. Every instance must compute, and every place hold at the end, what they do at the
  /// machine's own times, whether an output depends on it or not.
  std::vector<Violation> PlayAtOtherTimes(const PlayedCase& played, int random_plans,
                                          std::uint64_t seed);

 private:
  std::vector<Violation> PlayPlan(const PlayedCase& played, int number, std::uint64_t seed,
                                  const std::vector<std::uint64_t>& trace);

  EventMachine machine_;
};

}  // namespace spillway
