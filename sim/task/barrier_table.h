// The barriers of a run that got stuck, as a table.
#pragma once

#include <cstddef>
#include <string>

#include "sim/task/replay_system.h"

namespace spillway::task {

/// A row for each barrier: generation and parity of its phase, the contributors whose arrival it
/// lacks, bytes that transfers announced and haven't brought, the operations that wait for it; for
/// each semaphore its value. Those with a waiter first; at most `max_rows`, and a line that says
/// how many are left out. Empty where nothing is blocked. Source: ts_pipelines.md §9, engine 4.
std::string BarrierTable(const PipelineSystem& system, const Program& program, const Replay& replay,
                         std::size_t max_rows);

}  // namespace spillway::task
