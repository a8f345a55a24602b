// `spillway bench`: how fast the tool is, beside a yardstick of the same run.
#pragma once

#include "sim/tool/options.h"

namespace spillway {

/// Per kernel: seconds to read, to allocate with --reallocate, and to run with tags (read,
/// allocate, check, simulate, compare), each the best of several rounds, as ratios to the
/// yardstick too: sorting a fixed million of 64-bit keys. Then the peak of memory.
/// Returns the exit status: 0, or that of a kernel that didn't pass.
int BenchCommand(const ToolOptions& options);

}  // namespace spillway
