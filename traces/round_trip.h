// What writer and reader owe each other.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// What goes wrong when `kernel` is written, read, written and printed again; empty: nothing. The
/// one body of the property, for whoever draws the kernels.
std::vector<std::string> RoundTripFaults(const Kernel& kernel);

}  // namespace spillway
