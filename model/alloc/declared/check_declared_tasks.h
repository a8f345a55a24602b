// One call that proves what an author declares in C++: from tasks and layouts to all findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/alloc/check_task/check_tmem_duties.h"
#include "model/alloc/check_task/describe_verdict.h"
#include "model/alloc/task/declared_tasks.h"
#include "model/alloc/task/registers.h"
#include "model/alloc/task/task_manager.h"

namespace spillway::task {

/// What else is declared, and judged where it is.
struct DeclaredChecks {
  std::vector<TaskRegisters> registers;   ///< empty: no task asks
  std::optional<TmemDuties> tmem_duties;  ///< without columns of the layout: the allocator's
  std::size_t max_witnesses = 10;         ///< findings that have a run
};

struct DeclaredVerdict {
  PipelineSystem system;
  /// Iterations that loops without a number of their own were given; nothing: all have one. Where
  /// tasks have heads or tails, no findings say that this many iterations are clean, and no more.
  std::optional<std::int64_t> assumed_iterations;
  Program program;
  Verdict verdict;
  /// Of the verdict, of the registers, of the duties around TMEM; empty: everything holds.
  std::vector<Finding> findings;
};

/// Every finding in `declared`, whose allocators have their layouts: deadlocks, races, clobbers,
/// uninitialised reads and structure of the system that it is, then registers and TMEM duties.
/// Loops whose schedule names no iterations have as many as IterationCutOff of all pipelines; that
/// these show everything is proved by no one, where tasks have heads and tails. `CheckSchedules` is
/// the manager's own part: `TaskManager::Validate`. Errors: lifecycle (no task declares an
/// operation, so that nothing would be proved); those of SystemOfTasks, LayOutSystem, Unroll and
/// CheckSystem; limit (stages whose rings meet too late). Source: seed 001; ts_pipelines.md §7 to
/// §9.
Result<DeclaredVerdict> CheckDeclaredTasks(const DeclaredTasks& declared,
                                           const DeclaredChecks& checks = {});

/// The same as a validator of TaskManager's set-up: `{.validator = DeclaredTasksProof()}`. What
/// can't be judged is a finding too.
DeclaredTasksValidator DeclaredTasksProof(DeclaredChecks checks = {});

}  // namespace spillway::task
