// One planted fault through all parts of its trial and the named tests.
#pragma once

#include <string>

#include "tests/mutation/matrix.h"

namespace spillway {

struct TrialRunOptions {
  std::int64_t cases = 3000;
  std::string binaries;  ///< folder of the test executables; empty: no named tests
};

/// `fault` "none": nothing is planted, and every column must stay silent.
FaultResult RunTrial(const std::string& fault, const TrialRunOptions& options);

/// A result as lines, and back: what a process hands to the one that started it.
std::string ToLines(const FaultResult& result);
FaultResult FromLines(const std::string& lines);

}  // namespace spillway
