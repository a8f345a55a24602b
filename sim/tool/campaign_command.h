// `spillway campaign`: very many random kernels.
#pragma once

#include "sim/tool/options.h"

namespace spillway {

/// Runs the campaign, keeps shrunk failures in the corpus directory, prints seeds, times and
/// coverage. Returns the exit status: 1 for a failure, a coverage that misses a floor, or no case
/// that could be judged.
int CampaignCommand(const ToolOptions& options);

}  // namespace spillway
