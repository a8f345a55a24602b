// What a run leaves on disk besides JSON and HTML: the timeline and the tables.
#pragma once

#include <string>
#include <vector>

#include "model/hw/error.h"
#include "sim/tool/options.h"
#include "sim/tool/pipeline.h"

namespace spillway {

/// A name for the artifacts of each file: the file's without folder and kernel suffixes, with
/// "-2", "-3", … where an earlier one has it already.
std::vector<std::string> ArtifactNames(const std::vector<std::string>& files);

/// Writes what the options ask for. With one file the paths are as given; with several the
/// timeline's gets each kernel's name before its suffix ("trace.cumsum.json") and the tables a
/// folder each ("DIR/cumsum"). A run that wasn't simulated has no timeline.
/// Errors: kFile ("cannot-write").
Result<void> WriteArtifacts(const KernelRun& run, const ToolOptions& options);

}  // namespace spillway
