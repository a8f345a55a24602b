// Pictures of the engines and the DMA queues over simulated time.
#pragma once

#include <string>

#include "sim/tool/pipeline.h"

namespace spillway::html {

/// A bar per engine: its busy share of the run. Empty without a simulation.
std::string EngineBars(const RunReport& report);

/// A row per engine and queue over simulated time, saves and reloads in colours of their own. A row
/// of few instances shows each with a tooltip; a fuller row shows the busy share per pixel column.
std::string EngineTimeline(const KernelRun& run);

}  // namespace spillway::html
