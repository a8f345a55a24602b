// The tables of a pipeline system's section.
#pragma once

#include <string>

#include "sim/tool/pipeline_report.h"

namespace spillway::html {

/// Tasks by pipelines: who acquires, commits, waits and releases, and how often. Empty where there
/// is no system or no pipeline.
std::string RoleMatrix(const PipelineReport& report);

/// Resources with their place, their pipeline, what they depend on and who accesses them how often.
/// Empty where there is none.
std::string ResourceTable(const PipelineReport& report);

/// Allocations and barriers of one space by offset, the alias groups, and the totals: data,
/// barriers, capacity, what aliasing saves. Empty where nothing lies in the space.
/// Source: ts_pipelines.md §2, usage report.
std::string UsageTable(const PipelineReport& report, task::MemorySpace space);

/// The array of all pipelines' barriers; empty where each pipeline has its own.
std::string BarrierTable(const PipelineReport& report);

}  // namespace spillway::html
