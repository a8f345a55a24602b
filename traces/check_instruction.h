// What an instruction may not do: leave its tensors, write inputs, reach where its engine can't.
#pragma once

#include "model/alloc/ir/kernel.h"
#include "traces/decoder.h"
#include "traces/guarded_range.h"

namespace spillway {

/// Refuses through `decoder` what breaks a rule; `node` is the instruction's line. Where
/// `may_run` is false (a loop around it has no trips) operands reach nowhere and aren't bounded.
void CheckInstruction(const Instruction& instruction, const Node& node, const Kernel& kernel,
                      bool may_run, GuardedRanges& ranges, Decoder& decoder);

}  // namespace spillway
