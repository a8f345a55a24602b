// `spillway hwm`: the latency table of the oracles, side by side.
#pragma once

#include <string>
#include <vector>

#include "model/hw/target.h"
#include "sim/tool/hwm_table.h"
#include "sim/tool/options.h"

namespace spillway {

/// Prints the table of each target asked for. Returns the exit status.
int HwmCommand(const ToolOptions& options);

/// The table for a person: a line per probe, at most 120 columns; numbers in brackets lead to the
/// rules below it, each with its source and confidence.
std::string HwmText(const Target& target, const std::vector<HwmProbe>& probes);

/// {"targets": [{"name", "reference_hertz", "probes": [{"kind", "name", "engine", "dtype",
/// "partitions", "bytes" or "elements", "prices": {oracle: {"cycles", "source", "confidence"} or
/// null}, "difference", "differs"}]}]}.
std::string HwmJson(const std::vector<std::pair<Target, std::vector<HwmProbe>>>& tables);

}  // namespace spillway
