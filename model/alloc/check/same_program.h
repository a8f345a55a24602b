// Judges whether an allocator left the program as its author wrote it.
#pragma once

#include "model/alloc/ir/kernel.h"
#include "model/hw/violation.h"

namespace spillway {

/// The rule "program": `allocated` is `original` with places and spill code and nothing else
/// (ir/match_program.h says what that is). One kChangedKernel a difference; of the body's, the
/// first.
CheckResult CheckSameProgram(const Kernel& original, const Kernel& allocated);

}  // namespace spillway
