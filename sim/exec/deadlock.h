// A run that stopped early, in the kernel's own words.
#pragma once

#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/timing/run_result.h"
#include "model/hw/violation.h"
#include "sim/lower/lower_kernel.h"

namespace spillway {

/// One kDeadlock violation per stream that stopped with work left: the instruction at its head, the
/// semaphore that it waits for, and the instruction that would signal it. Empty for a finished run.
std::vector<Violation> DeadlockViolations(const Kernel& kernel, const LoweredKernel& lowered,
                                          const RunResult& run);

/// "tensor_copy #12 of kernel.py:30".
std::string InstanceLabel(const Kernel& kernel, const LoweredKernel& lowered, InstanceId instance);

}  // namespace spillway
