// What a run leaves on disk besides JSON and HTML: the timeline and the tables.
#pragma once

#include "model/hw/error.h"
#include "sim/tool/options.h"
#include "sim/tool/pipeline.h"

namespace spillway {

/// Writes the timeline and the tables, where the options ask for them. A run that wasn't simulated
/// has no timeline.
/// Errors: kFile ("cannot-write").
Result<void> WriteArtifacts(const KernelRun& run, const ToolOptions& options);

}  // namespace spillway
