// What the stack allocator tells of its work, for people.
#pragma once

#include <string>

#include "sim/tool/run_report.h"

namespace spillway {

/// The statistics and the sections that share bytes, below a kernel's line and indented like all
/// that stands there; empty where another allocator worked.
std::string StackSummary(const RunReport& report);

/// The tree of scopes and tiles, indented as well; empty where there is none.
std::string StackTree(const RunReport& report);

}  // namespace spillway
