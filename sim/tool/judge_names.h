// The judges and allocators that the command line names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "properties/problem_outcome.h"
#include "sim/tool/options.h"

namespace spillway {

/// "all", "static", or names with commas between them, in the order of NamedJudges().
/// Errors: kUnknownName "unknown-judge", with the names there are.
Result<std::vector<JudgeId>> ParseJudges(std::string_view names);

/// The allocator that the command line names.
AllocateFunction AllocateFunctionFor(const ToolOptions& options);
/// How long it may take by its own limit, in seconds by the clock; 0 where it isn't a process.
double AllocatorSecondsOf(const ToolOptions& options);

}  // namespace spillway
