// `spillway gen`: a random kernel as a file.
#pragma once

#include "sim/tool/options.h"

namespace spillway {

/// Writes case `first` of the run `seed`, with its limits in the origin. Returns the exit status.
int GenCommand(const ToolOptions& options);

}  // namespace spillway
