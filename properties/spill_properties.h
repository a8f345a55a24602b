// What must hold for what spilling costs, and for the code that it inserts.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/target.h"

namespace spillway {

/// Prices every access to DRAM and to SBUF with a number of its own and counts, trip by trip, how
/// often each instruction of `kernel` runs: the cost of each tensor that may be spilled is the sum
/// over its accesses, and no tensor that one instruction alone touches may be. Empty where that
/// holds.
/// Source: seed 003 §1.
std::vector<std::string> CheckSpillCosts(const Kernel& kernel, Bytes capacity,
                                         const Target& target);

/// No reload of `kernel`, an allocated function, repeats one that stands in front of it, with no
/// loop's begin or end between them and no write to the home or the working copy: the bytes are
/// there already. Empty where that holds.
std::vector<std::string> CheckReloadsAreNeeded(const Kernel& kernel);

}  // namespace spillway
