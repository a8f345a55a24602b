// The dependency graph of a pipeline system as a picture.
#pragma once

#include <string>

#include "sim/tool/pipeline_report.h"

namespace spillway::html {

/// Resources as boxes, those upstream to the left of what depends on them, an arrow for each edge;
/// a loop at a box is a self-edge. Empty where the system has no graph or one that is too large to
/// read; the table of resources has all edges.
/// Source: ts_pipelines.md §7, Dependency graph.
std::string DependencyGraph(const PipelineReport& report);

}  // namespace spillway::html
