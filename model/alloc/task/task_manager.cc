#include "model/alloc/task/task_manager.h"

#include <fmt/format.h>

#include <array>

#include "model/alloc/task/codes.h"
#include "model/alloc/task/named_words.h"

namespace spillway::task {
namespace {

constexpr std::array<std::string_view, 7> kStates = {
    "declared", "laid-out", "materialised", "barriers-bound", "set-up", "running", "done"};

}  // namespace

std::string_view LifecycleStateName(LifecycleState state) { return WordOf(kStates, state); }

LifecycleState TaskManager::State() const {
  switch (phase_) {
    case Phase::kSetUp: return LifecycleState::kSetUp;
    case Phase::kRunning: return LifecycleState::kRunning;
    case Phase::kDone: return LifecycleState::kDone;
    case Phase::kBefore: break;
  }
  if (CheckLayouts()) return LifecycleState::kDeclared;
  if (allocators_.smem == nullptr || !allocators_.smem->IsAllocated())
    return LifecycleState::kLaidOut;
  return allocators_.smem->AreBarriersAssigned() ? LifecycleState::kBarriersBound
                                                 : LifecycleState::kMaterialised;
}

Error TaskManager::OutOfOrder(std::string_view call, std::string_view expected) const {
  return MakeError(Code::kLifecycle, fmt::format("{}: expected the state {}, found {}", call,
                                                 expected, LifecycleStateName(State())));
}

std::vector<ScheduleFinding> TaskManager::Validate() const {
  std::vector<ScheduleFinding> findings = CheckSchedules(tasks_);
  for (ScheduleFinding& finding : findings)
    finding.is_warning = finding.is_warning || options_.skip_validation;
  return findings;
}

std::optional<Error> TaskManager::CheckTasks() {
  std::optional<Error> error;
  warnings_.clear();
  for (ScheduleFinding& finding : Validate()) {
    if (finding.is_warning) {
      warnings_.push_back(std::move(finding));
    } else if (error) {
      error->message += "\n" + finding.text;
    } else {
      error = MakeError(finding.code, std::move(finding.text));
    }
  }
  return error;
}

std::optional<Error> TaskManager::CheckLayouts() const {
  const auto missing = [](std::string_view which) {
    return MakeError(
        Code::kLifecycle,
        fmt::format("SetUpResourcesAndTasks: expected ComputeLayout of {} before it", which));
  };
  if (allocators_.smem != nullptr && !allocators_.smem->HasLayout()) return missing("smem");
  if (allocators_.tmem != nullptr && !allocators_.tmem->HasLayout()) return missing("tmem");
  if (allocators_.barriers != nullptr && !allocators_.barriers->HasLayout())
    return missing("barriers");
  return std::nullopt;
}

std::optional<Error> TaskManager::CheckResources() const {
  for (const TaskUse& use : tasks_) {
    for (const TaskResource* const resource : ResourcesOf(use)) {
      const bool smem = resource->SmemRequirements().empty() ||
                        (allocators_.smem != nullptr && allocators_.smem->Knows(*resource));
      const bool tmem = resource->TmemRequirements().empty() ||
                        (allocators_.tmem != nullptr && allocators_.tmem->Knows(*resource));
      if (smem && tmem) continue;
      return MakeError(Code::kResourceUnregistered,
                       fmt::format("task {} uses resource {}: expected it in the {} allocator, "
                                   "which doesn't know it; add it before the layout",
                                   use.task, resource->name(), smem ? "tmem" : "smem"));
    }
  }
  return std::nullopt;
}

std::optional<Error> TaskManager::CheckBarriers() const {
  for (const TaskUse& use : tasks_) {
    for (const TaskResource* const resource : ResourcesOf(use)) {
      const PipelinePointer pipeline = resource->pipeline();
      if (!pipeline || pipeline->barriers()) continue;
      return MakeError(Code::kBarrierMissing,
                       fmt::format("task {} uses resource {}: expected barriers of pipeline {}, "
                                   "found none; add its resource or its group to an allocator that "
                                   "has barriers on",
                                   use.task, resource->name(), pipeline->name()));
    }
  }
  return std::nullopt;
}

std::optional<Error> TaskManager::CheckCapacity() const {
  const BarrierAllocator* const barriers = allocators_.barriers;
  if (allocators_.smem == nullptr || barriers == nullptr || barriers->HasBacking())
    return std::nullopt;
  const Layout layout = *allocators_.smem->GetLayout();
  const Bytes array = *barriers->TotalBytes();
  if (!layout.capacity || layout.total.value + array.value <= layout.capacity->value)
    return std::nullopt;
  return MakeError(
      Code::kCapacity,
      fmt::format("smem: expected at most {} B, found {} (data {} + barriers {}); fewer "
                  "stages or alias groups need less",
                  layout.capacity->value, layout.total.value + array.value, layout.total.value,
                  array.value));
}

std::optional<Error> TaskManager::AskValidator() {
  validator_warnings_.clear();
  if (!options_.validator) return std::nullopt;
  std::vector<Error> findings = options_.validator(Declared());
  if (findings.empty()) return std::nullopt;
  if (options_.skip_validation) {
    validator_warnings_ = std::move(findings);
    return std::nullopt;
  }
  Error error = std::move(findings.front());
  for (std::size_t i = 1; i < findings.size(); ++i) error.message += "\n" + findings[i].message;
  return error;
}

Result<void> TaskManager::SetUpResourcesAndTasks() {
  if (phase_ != Phase::kBefore)
    return Fail(OutOfOrder("SetUpResourcesAndTasks", "laid-out to barriers-bound, once"));
  if (std::optional<Error> error = CheckTasks()) return Fail(std::move(*error));
  if (std::optional<Error> error = CheckLayouts()) return Fail(std::move(*error));
  if (std::optional<Error> error = CheckResources()) return Fail(std::move(*error));
  if (std::optional<Error> error = CheckCapacity()) return Fail(std::move(*error));
  if (std::optional<Error> error = AskValidator()) return Fail(std::move(*error));
  ByteOffset behind_block;
  if (SmemAllocator* const smem = allocators_.smem) {
    const Result<SmemBlock> block = smem->Allocate();
    if (!block) return Fail(block.error());
    Result<void> assigned = smem->AssignBarriers();
    if (!assigned) return assigned;
    context_.smem_base = block->base;
    behind_block = block->base + RoundUp(block->size, kArenaAlignment);
    if (const auto& slot = smem->tmem_slot())
      context_.tmem_slot = block->base + (*slot->offset() - ByteOffset(0));
  }
  if (allocators_.barriers != nullptr) {
    Result<void> assigned = allocators_.barriers->AssignBarriers(behind_block);
    if (!assigned) return assigned;
  }
  if (std::optional<Error> error = CheckBarriers()) return Fail(std::move(*error));
  phase_ = Phase::kSetUp;
  return {};
}

Result<StageContext> TaskManager::Context() const {
  if (phase_ == Phase::kBefore) return Fail(OutOfOrder("Context", "set-up"));
  return context_;
}

Result<void> TaskManager::Run() {
  if (phase_ != Phase::kSetUp) return Fail(OutOfOrder("Run", "set-up"));
  phase_ = Phase::kRunning;
  return {};
}

Result<void> TaskManager::Finish() {
  if (phase_ != Phase::kRunning) return Fail(OutOfOrder("Finish", "running"));
  phase_ = Phase::kDone;
  return {};
}

}  // namespace spillway::task
