// What all models of the process share: SystemC elaborates once, and only one of them runs at a
// time.
#pragma once

#include <mutex>

namespace spillway::detail {

/// Held by who runs SystemC's kernel.
std::mutex& KernelTurn();

/// Elaborates the processes of task pipelines; before the kernel starts.
void ElaborateTaskActors();

}  // namespace spillway::detail
