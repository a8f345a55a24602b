// How fast the model is, beside bare SystemC in the same run.
#pragma once

#include <string>

namespace spillway {

/// Measures both players, the payload with data, many short runs and queries of the measured
/// oracle, on trn2, and returns the table; figures below their bar say so. Takes some seconds.
/// Throws ContractViolation if the process has used the SystemC machine before.
std::string RunMachineSuite();

}  // namespace spillway
