// From a program of task pipelines to what the machine plays.
#pragma once

#include <cstdint>
#include <string>

#include "model/alloc/task/program.h"
#include "model/hw/systemc/task_machine.h"
#include "model/hw/target.h"

namespace spillway::task {

/// Which barrier or semaphore an object of the machine is.
struct SyncPlace {
  PipelineId pipeline;
  Side side = Side::kProducer;  ///< kProducer: `full`, which fills complete; kConsumer: `empty`
  std::int64_t stage = 0;       ///< of a barrier
  TaskId contributor;           ///< of a semaphore
  bool is_barrier = true;
  friend bool operator==(const SyncPlace&, const SyncPlace&) = default;
};

struct CompiledReplay {
  /// A stream for each task, with its number and its steps; an arrival's tag is its index in
  /// Program::parts.
  TaskMachineProgram machine;
  IdVector<SyncObjectId, SyncPlace> places;
};

/// A `full` and an `empty` barrier for each stage that is used; with semaphores, one for each
/// contributor of each side. Fill #k is phase k / stages of the barrier of stage k mod stages;
/// with semaphores, the value (k + 1) * step, where a transfer's step is the number of engines that
/// count it.
/// Source: ts_pipelines.md §7 (semantics, hardware form) and §16 (semaphores).
CompiledReplay CompileReplay(const PipelineSystem& system, const Program& program,
                             const Target& target);

/// "ab full[0]", "ab empty[1]"; of a semaphore "ab full of Load".
std::string SyncPlaceName(const PipelineSystem& system, const SyncPlace& place);

}  // namespace spillway::task
