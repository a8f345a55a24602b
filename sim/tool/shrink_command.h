// `spillway shrink`: from a kernel that fails to the smallest that does.
#pragma once

#include "sim/tool/options.h"

namespace spillway {

/// Allocates and judges the kernel, and shrinks it while the first finding's judge finds the same
/// kind. Limits come from the command line, else from the kernel's origin, else they are the
/// target's. Returns the exit status: 1 where there was something to shrink, 0 where nothing fails,
/// 3 and 4 as elsewhere.
int ShrinkCommand(const ToolOptions& options);

}  // namespace spillway
