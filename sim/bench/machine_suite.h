// How fast the model is, beside bare SystemC in the same run.
#pragma once

#include <string>

#include "model/hw/hwm.h"

namespace spillway {

/// Measures both players, the payload with data, many short runs and queries of `oracle`, and
/// returns the table; figures below their bar say so. Takes some seconds.
/// Throws ContractViolation if the process has used the SystemC machine before.
std::string RunMachineSuite(const Hwm& oracle);

}  // namespace spillway
