// One run of a program on the machine, and what its shadows saw.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/hw/error.h"
#include "model/hw/systemc/task_machine.h"
#include "sim/task/compile_replay.h"
#include "sim/task/memory_cells.h"
#include "sim/task/shadow_memory.h"

namespace spillway::task {

/// What one run showed. But for `time`, `overlaps` and what reads found in racing memory, it is the
/// same for every run of a program: no operation chooses.
struct ReplayRun {
  Picoseconds time;
  SeenFindings findings;
  std::vector<LaggingWait> lagging;    ///< phase-skew; of barriers
  std::vector<LaggingWait> overflows;  ///< of semaphores: who contributes, `number` is the value
  std::vector<std::string> broken;     ///< what barriers did that they must not; else empty
  IdVector<TaskId, std::uint32_t> steps_begun;
  IdVector<SyncObjectId, SyncObjectEnd> objects;  ///< as the run left them
  /// By index into Program::accesses: what each read saw, summed over its bytes; 0 for others.
  /// Independent of where the memory lies.
  std::vector<std::uint64_t> seen;
};

/// A program that is ready to be played, many times.
class ReplayProgram {
 public:
  /// Errors: limit (kLimit), where the shadows would need too much memory or time, the steps would
  /// take longer than kMaxReplayTime or what the machine's clock has left, or there are more tasks
  /// than the machine has streams. `system` and `program` must outlive it.
  static Result<ReplayProgram> Prepare(const PipelineSystem& system, const Program& program,
                                       const Target& target);

  /// Plays it once. Every write's value is a hash of what its actor has read before, so that two
  /// layouts of one program can be compared by what their reads saw.
  ReplayRun Run(const TaskMachineOptions& options = {}) const { return Run(compiled_, options); }
  /// The same on barriers of the caller's making: `compiled` is a changed copy of `compiled()`.
  ReplayRun Run(const CompiledReplay& compiled, const TaskMachineOptions& options) const;

  const CompiledReplay& compiled() const { return compiled_; }
  const std::vector<AccessDetail>& details() const { return details_; }
  /// Steps of all tasks, and what the shadows look at for them: what a run costs.
  std::int64_t work() const { return work_; }
  /// No run takes longer, whatever is held back or jittered.
  Picoseconds longest() const { return longest_; }

 private:
  ReplayProgram(const PipelineSystem& system, const Program& program, MemoryCells cells,
                CompiledReplay compiled);

  const PipelineSystem* system_;
  const Program* program_;
  MemoryCells cells_;
  CompiledReplay compiled_;
  std::vector<AccessDetail> details_;
  std::int64_t work_ = 0;
  Picoseconds longest_;
};

/// Pieces of memory, and numbers of clocks, that one run may look at: a bound on time and memory.
inline constexpr std::int64_t kMaxReplayWork = 100'000'000;
/// What the steps of a run may take one after the other: hundreds of runs then fit into what
/// SystemC's clock counts, and no time overflows.
inline constexpr Picoseconds kMaxReplayTime{16'000'000'000'000};

}  // namespace spillway::task
