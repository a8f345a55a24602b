// The judges and allocators that the command line names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "properties/problem_outcome.h"

namespace spillway {

/// "all", "static", or names with commas between them, in the order of AllJudges().
/// Errors: kUnknownName "unknown-judge", with the names there are.
Result<std::vector<JudgeId>> ParseJudges(std::string_view names);

/// The allocator of that name.
AllocateFunction AllocateFunctionFor(const std::string& name);

}  // namespace spillway
