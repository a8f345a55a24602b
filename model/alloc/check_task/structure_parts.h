// The parts of the structural checks, and what they share.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/check_task/check_structure.h"

namespace spillway::task {

/// How often a task acquires, commits, waits for and releases a pipeline.
struct SyncCounts {
  std::int64_t acquires = 0;
  std::int64_t commits = 0;
  std::int64_t waits = 0;
  std::int64_t releases = 0;

  void Add(OperationKind kind);
  std::int64_t Opens(Side side) const { return side == Side::kProducer ? acquires : waits; }
  std::int64_t Closes(Side side) const { return side == Side::kProducer ? commits : releases; }
};

/// Counts of whole tasks: [task][pipeline].
IdVector<TaskId, IdVector<PipelineId, SyncCounts>> CountSyncs(const PipelineSystem& system,
                                                              const Program& program);

/// The operations that a task executes, none a loop: one for each of its steps.
std::vector<const Operation*> UnrolledOperations(const Task& task);

/// kNoProducer and kUnbalanced.
std::vector<StructureFinding> CheckBalance(const PipelineSystem& system, const Program& program);
/// kOutside, kUnopened, kTooDeep and kPipelineKind.
std::vector<StructureFinding> CheckBrackets(const PipelineSystem& system, const Program& program);
/// kEarlyRelease: the first ten thousand, and how many more.
std::vector<StructureFinding> CheckEarlyReleases(const PipelineSystem& system,
                                                 const Program& program);
/// kEdgeUnbacked.
std::vector<StructureFinding> CheckGraph(const PipelineSystem& system, const Program& program);

}  // namespace spillway::task
