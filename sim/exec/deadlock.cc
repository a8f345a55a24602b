#include "sim/exec/deadlock.h"

#include <fmt/format.h>

namespace spillway {
namespace {

const Instruction& InstructionOf(const Kernel& kernel, const LoweredKernel& lowered,
                                 InstanceId instance) {
  return kernel.instructions[lowered.sequence.instances[instance.value].instruction];
}

std::vector<std::string> Written(const Kernel& kernel, const Instruction& instruction) {
  std::vector<std::string> names;
  for (const OperandGroup& group : instruction.outputs) {
    for (const Operand& operand : group.operands)
      names.push_back(kernel.tensors[operand.tensor].name);
  }
  return names;
}

// The instance whose end brings the semaphore to the value, if the program has one.
std::string Signaller(const Kernel& kernel, const LoweredKernel& lowered,
                      const SemaphoreWait& wait) {
  const HwProgram& program = lowered.program;
  if (wait.semaphore.value < kComputeStreams) {
    const auto stream = program.StreamOf(StreamId{static_cast<int>(wait.semaphore.value)});
    if (wait.at_least < 1 || static_cast<std::size_t>(wait.at_least) > stream.size())
      return "nothing";
    return InstanceLabel(kernel, lowered, stream[static_cast<std::size_t>(wait.at_least) - 1]);
  }
  for (std::size_t i = 0; i < program.instances().size(); ++i) {
    if (program.instances()[i].signal == wait.semaphore)
      return InstanceLabel(kernel, lowered, InstanceId(i));
  }
  return "nothing";
}

}  // namespace

std::string InstanceLabel(const Kernel& kernel, const LoweredKernel& lowered, InstanceId instance) {
  const Instruction& instruction = InstructionOf(kernel, lowered, instance);
  if (instruction.src.empty()) return fmt::format("{} #{}", instruction.op, instance.value);
  return fmt::format("{} #{} of {}", instruction.op, instance.value, instruction.src);
}

std::vector<Violation> DeadlockViolations(const Kernel& kernel, const LoweredKernel& lowered,
                                          const RunResult& run) {
  std::vector<Violation> violations;
  if (run.outcome == RunOutcome::kFinished) return violations;
  const char* why =
      run.outcome == RunOutcome::kDeadlock ? "no event is left" : "the watchdog ended the run";
  for (const BlockedStream& blocked : run.blocked) {
    Violation violation;
    violation.kind = Kind::kDeadlock;
    violation.tensors = Written(kernel, InstructionOf(kernel, lowered, blocked.instance));
    violation.text = fmt::format(
        "{}: {} ({}), signalled by {}; {}", InstanceLabel(kernel, lowered, blocked.instance),
        DescribeBlocked(lowered.program, blocked), StreamName(blocked.stream),
        Signaller(kernel, lowered, blocked.wait), why);
    violations.push_back(std::move(violation));
  }
  if (violations.empty()) {
    Violation violation;
    violation.kind = Kind::kDeadlock;
    violation.text = fmt::format("instances never ended: {} after {} ps", why, run.makespan.value);
    violations.push_back(std::move(violation));
  }
  return violations;
}

}  // namespace spillway
