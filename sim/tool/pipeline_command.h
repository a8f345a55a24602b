// `spillway pipeline`: the checks of task pipelines.
#pragma once

#include "sim/tool/options.h"

namespace spillway {

/// Judges every file: a line each with what was found below it, or with --json an object a line;
/// with
/// --report a page of all files. Returns the highest exit status.
int PipelineCommand(const ToolOptions& options);

}  // namespace spillway
