// What the sections of pipeline files and of kernels share.
#pragma once

#include <string>
#include <string_view>

#include "model/alloc/task/memory_space.h"
#include "sim/tool/pipeline_report.h"

namespace spillway::html {

/// `content` under a heading; nothing where there is none. `content` is markup.
std::string Titled(std::string_view title, const std::string& content);
/// Text that a reader mustn't miss.
std::string Message(std::string_view text);
/// The verdict with its sign.
std::string VerdictBadge(std::string_view verdict);
/// "SBUF".
std::string SpaceTitle(task::MemorySpace space);
/// "smem 16 B, tmem 64 columns"; empty where nothing is laid out.
std::string MemoryTotals(const PipelineReport& report);

/// Maps and usage of each memory, the array of barriers, who does what on which pipeline, and the
/// resources, each under its heading, where there is one. Long ones show their beginning, and say
/// of how much.
std::string PipelineParts(const PipelineReport& report);

}  // namespace spillway::html
