// One operand's elements to another's places, in one pass.
#pragma once

#include "sim/values/pattern.h"

namespace spillway {

/// What Scatter(to, Gather(from)) does, without the bytes between: contiguous runs move as a whole,
/// in element order, so that a place that `to` visits twice keeps the last. The two must have
/// equally many bytes, and in `memory` no byte may belong to both.
void CopyPattern(const Pattern& from, const Pattern& to, MemoryView& memory);

}  // namespace spillway
