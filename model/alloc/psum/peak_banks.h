// How many PSUM banks a placed function uses.
#pragma once

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/target.h"

namespace spillway::psum {

/// The most banks that hold something alive at one point, whoever placed it: what every report
/// calls the peak. A tensor holds the banks that its blocks touch, all of them as long as it lives;
/// a bank that several tensors hold at once counts once, and what reaches beyond the target's banks
/// doesn't count, since the check of banks reports it.
BankCount PeakBanksInUse(const LinearKernel& linear, const Placement& placement,
                         const Target& target);

}  // namespace spillway::psum
