// The barriers of a run that got stuck, as a table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/task/replay_system.h"

namespace spillway::task {

/// Cells of the table. Shape: each row has as many as `head`.
struct BarrierRows {
  std::vector<std::string> head;  ///< empty: nothing is blocked
  std::vector<std::vector<std::string>> rows;
  std::size_t left_out = 0;  ///< barriers beyond the rows

  bool empty() const { return head.empty(); }
  friend bool operator==(const BarrierRows&, const BarrierRows&) = default;
};

/// A row for each barrier: generation and parity of its phase, the contributors whose arrival it
/// lacks, bytes that transfers announced and haven't brought, the operations that wait for it; for
/// each semaphore its value. Those with a waiter first; at most `max_rows`. Empty where nothing is
/// blocked. Source: ts_pipelines.md §9, engine 4.
BarrierRows BarriersAtTheEnd(const PipelineSystem& system, const Program& program,
                             const Replay& replay, std::size_t max_rows);

/// The rows in columns, and a line that says how many are left out.
std::string BarrierTable(const BarrierRows& rows);
/// The same of a replay.
std::string BarrierTable(const PipelineSystem& system, const Program& program, const Replay& replay,
                         std::size_t max_rows);

}  // namespace spillway::task
