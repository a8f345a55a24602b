// The order of calls from the layouts to the run, with what must hold at set-up.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/task/check_schedules.h"
#include "model/alloc/task/declared_tasks.h"

namespace spillway::task {

enum class LifecycleState {
  kDeclared,
  kLaidOut,
  kMaterialised,
  kBarriersBound,
  kSetUp,
  kRunning,
  kDone
};
std::string_view LifecycleStateName(LifecycleState state);

/// What work reads at run time; it never changes.
struct StageContext {
  ByteOffset smem_base;
  std::optional<ByteOffset> tmem_slot;  ///< where the base of TMEM is found
  friend bool operator==(const StageContext&, const StageContext&) = default;
};

/// Judges the whole of what is declared, its layouts included; returns all findings. The proof that
/// aliased memory is never used twice at a time is one: `DeclaredTasksProof` of
/// model/alloc/check_task, which this folder doesn't know.
using DeclaredTasksValidator = std::function<std::vector<Error>(const DeclaredTasks&)>;

struct TaskManagerOptions {
  bool skip_validation = false;  ///< findings in declared tasks are warnings, all of them
  std::optional<std::vector<ResourceDependency>> graph = std::nullopt;
  DeclaredTasksValidator validator = nullptr;  ///< asked at set-up, behind the manager's own checks
};

/// Declared -> LaidOut -> Materialised -> BarriersBound -> SetUp -> Running -> Done.
/// Source: seed 001 (TaskManager); ts_pipelines.md §4, order of calls.
class TaskManager {
 public:
  TaskManager(std::vector<TaskUse> tasks, const ManagedAllocators& allocators,
              const TaskManagerOptions& options = {})
      : tasks_(std::move(tasks)), allocators_(allocators), options_(options) {}

  /// What a validator is asked about.
  DeclaredTasks Declared() const { return {tasks_, allocators_, options_.graph}; }

  /// Where the allocators and this manager are by now.
  LifecycleState State() const;

  /// What is wrong with the tasks as they are declared; with skip_validation all are warnings.
  std::vector<ScheduleFinding> Validate() const;
  /// Of the set-up.
  const std::vector<ScheduleFinding>& warnings() const { return warnings_; }
  /// What the validator found at a set-up that skips validation.
  const std::vector<Error>& validator_warnings() const { return validator_warnings_; }

  /// Allocates SMEM, gives all pipelines their barriers and fixes the context. Once.
  /// Errors: lifecycle (a second time, or an allocator without a layout); resource.unregistered (a
  /// task uses a resource that no allocator knows); barrier.missing; capacity (a
  /// barrier array without backing counts too); those of the allocators; the code of the first
  /// finding of `Validate` that is no warning, or else of the validator's first one, with the texts
  /// of all.
  Result<void> SetUpResourcesAndTasks();
  /// Errors: lifecycle.
  Result<StageContext> Context() const;
  Result<void> Run();
  Result<void> Finish();

 private:
  enum class Phase { kBefore, kSetUp, kRunning, kDone };

  std::optional<Error> CheckTasks();
  std::optional<Error> CheckLayouts() const;
  std::optional<Error> CheckResources() const;
  std::optional<Error> CheckBarriers() const;
  std::optional<Error> CheckCapacity() const;
  std::optional<Error> AskValidator();
  Error OutOfOrder(std::string_view call, std::string_view expected) const;

  std::vector<TaskUse> tasks_;
  ManagedAllocators allocators_;
  TaskManagerOptions options_;
  std::vector<ScheduleFinding> warnings_;
  std::vector<Error> validator_warnings_;
  Phase phase_ = Phase::kBefore;
  StageContext context_;
};

}  // namespace spillway::task
