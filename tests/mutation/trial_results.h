// Results of trials on their way from process to process.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/hw/error.h"
#include "tests/mutation/matrix.h"
#include "tests/mutation/process.h"

namespace spillway {

/// A result as lines, the last of which says that it is whole, and back.
/// Errors: kSyntax, trial-lines (cut off, or not such lines).
std::string ToLines(const FaultResult& result);
Result<FaultResult> FromLines(const std::string& lines);

/// One result a fault that was asked for, from the ends of the processes that measured them. A row
/// that is lost would leave the score as it is.
/// Errors: kLimit, trial-lost: names every fault whose process died, or gave another one's result
/// or none.
Result<std::vector<FaultResult>> CollectResults(std::span<const std::string> faults,
                                                std::span<const ProcessEnd> ends);

}  // namespace spillway
