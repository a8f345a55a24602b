// What a mutation run is asked for on its command line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/hw/error.h"

namespace spillway {

struct MutationOptions {
  std::vector<std::string> faults;  ///< "none" is the run in which nothing is planted
  std::int64_t cases = 3000;
  std::string tests;  ///< folder of the test executables; empty: no named tests
  std::string out;    ///< path without its extension; empty: standard output
  std::string keep;   ///< folder with a file a fault: what is there isn't measured again
  int jobs = 2;
  bool check = false;
};

/// Without --only: nothing planted, then every fault that can be.
/// Errors: kUnknownName, unknown-option and unknown-fault; kSyntax, option-value (none, or not a
/// number in its range).
Result<MutationOptions> ParseMutationOptions(std::span<const std::string> arguments);

}  // namespace spillway
