// What playing a pipeline file on the machine showed, as a section of its page.
#pragma once

#include <string>

#include "sim/tool/pipeline_report.h"

namespace spillway::html {

/// The line of the text report, how the runs differed, a table of what they showed with what the
/// checks say of each, and the barriers of a deadlock; or why nothing was played. Never empty.
std::string ReplaySection(const PipelineReport& report);

/// "agrees", "contradicts", "skipped" or "not played".
std::string ReplayWord(const PipelineReport& report);

}  // namespace spillway::html
