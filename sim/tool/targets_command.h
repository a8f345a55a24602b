// `spillway targets`: the numbers of the hardware.
#pragma once

#include "sim/tool/options.h"

namespace spillway {

/// Prints every row of the targets asked for. Returns the exit status.
int TargetsCommand(const ToolOptions& options);

}  // namespace spillway
