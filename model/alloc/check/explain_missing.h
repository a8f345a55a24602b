// Says why an operand doesn't find its value: the violation, with its cause.
#pragma once

#include "model/alloc/check/value_step.h"
#include "model/hw/violation.h"

namespace spillway::check {

/// The state of the judge at the read.
struct WalkState {
  const ProgramValues& values;
  const PlacedMemory& memory;
  const LinearKernel& allocated;
  const std::vector<ValueStep>& steps;
  const HeldValues& held;
  const std::vector<std::int64_t>& loop_values;
};

/// `missing`, of what `use` of step `index` reads (or, past the last step, what the caller reads),
/// isn't where `resolved` says. The cause is told by who wrote there last before the step.
Violation ExplainMissing(const WalkState& state, std::size_t index, const OperandUse& use,
                         const ResolvedUse& resolved, const PlaneSet& missing);

}  // namespace spillway::check
