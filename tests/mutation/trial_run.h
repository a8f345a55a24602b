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

}  // namespace spillway
