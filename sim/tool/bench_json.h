// The suites of `bench` as JSON.
#pragma once

#include <string>

#include "sim/bench/machine_suite.h"
#include "sim/bench/pipelines_suite.h"
#include "sim/bench/properties_suite.h"
#include "sim/bench/published_suite.h"

namespace spillway {

/// {"suite": "machine", "figures": [{"group", "name", "value", "unit", "bar", "meets_bar",
/// "to_bare"}]}; absent bars and ratios are null.
std::string MachineJson(const std::vector<MachineFigure>& figures);

/// {"suite": "properties", "cases", "instructions", "yardstick_seconds", "figures": [{"name",
/// "cases_per_second", "cases_per_yardstick", "bar", "meets_bar"}]}; absent bars are null.
std::string PropertiesJson(const PropertyReport& report);

/// {"suite": "pipelines", "rounds", "yardstick_seconds", "clocks": [{"system", "events",
/// "graph_seconds", "clock_seconds", "race_seconds", "seconds", "events_per_second", "growth",
/// "clobber_seconds", "bar_seconds", "meets_bar"}], "states": [{"system", "events", "states",
/// "explore_seconds", "clock_seconds", "clobber_seconds"}]}; absent bars are null.
std::string PipelinesJson(const PipelinesReport& report);

/// {"suite": "published", "holds", "in_order", "worst", "figures": [{"name", "published",
/// "simulated", "unit", "error", "bound", "holds", "source"}], "not_modelled": […]}.
std::string PublishedJson(const PublishedReport& report);

}  // namespace spillway
