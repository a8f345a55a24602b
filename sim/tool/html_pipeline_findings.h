// The findings of a pipeline system with the runs that show them.
#pragma once

#include <string>

#include "sim/tool/pipeline_report.h"

namespace spillway::html {

/// Every finding in words, and under it the shortest run that shows it as a table of steps: a
/// column for each task, empty and full credits of each pipeline, what is in progress. A sentence
/// where nothing was found; empty where nothing was judged.
/// Source: ts_pipelines.md §9, Report, and §10.
std::string PipelineFindings(const PipelineReport& report);

/// One run: its last rows, and how many come before them.
std::string WitnessRows(const task::PipelineSystem& system, const task::Witness& witness);

}  // namespace spillway::html
