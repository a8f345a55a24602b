// The commands that take kernels: run, alloc, check, replay.
#pragma once

#include "sim/tool/options.h"

namespace spillway {

/// Processes every file, prints a line each and a summary (or JSON alone on standard output), and
/// returns the highest exit status. Several files are worked on at once with --threads; output
/// stays in the order of the files.
int KernelCommand(const ToolOptions& options);

}  // namespace spillway
