#include "model/alloc/task/schedule_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/alloc/task/codes.h"
#include "model/alloc/task/schedule_parts.h"

namespace spillway::task {
namespace {

OperationKind KindOf(TaskVerb verb) {
  switch (verb) {
    case TaskVerb::kAcquire: return OperationKind::kAcquire;
    case TaskVerb::kCommit: return OperationKind::kCommit;
    case TaskVerb::kWait: return OperationKind::kWait;
    case TaskVerb::kRelease: return OperationKind::kRelease;
    default: return OperationKind::kAccess;
  }
}

AccessKind AccessOf(TaskVerb verb) {
  if (verb == TaskVerb::kWrite) return AccessKind::kWrite;
  return verb == TaskVerb::kRead ? AccessKind::kRead : AccessKind::kUse;
}

template <class T>
bool Has(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// Adds what isn't there yet; reads stand before writes.
void AddAccess(Operation& operation, const Access& access) {
  if (Has(operation.accesses, access)) return;
  operation.accesses.push_back(access);
  std::stable_sort(operation.accesses.begin(), operation.accesses.end(),
                   [](const Access& a, const Access& b) { return a.kind < b.kind; });
}

bool OnlyReads(const Operation& operation) {
  return std::all_of(operation.accesses.begin(), operation.accesses.end(),
                     [](const Access& access) { return access.kind == AccessKind::kRead; });
}

/// Where two resources meet; nothing: they share no memory. Of one ring the slots are the same,
/// else they may be any. All allocations have their places.
std::optional<std::string> MeetingOf(const PipelineSystem& system, const Resource& a,
                                     const Resource& b) {
  const auto stages = [&](const Resource& resource) {
    const std::optional<PipelineId> ring = resource.SlotPipeline();
    return ring ? system.pipelines[*ring].stages : 1;
  };
  const bool same_slot = a.SlotPipeline().has_value() && a.SlotPipeline() == b.SlotPipeline();
  const auto begin = [&](const ResourceRegion& region, std::int64_t slot) {
    return system.allocations[region.allocation].at.value() + region.offset +
           Units(slot * region.stage_stride.value);
  };
  for (const ResourceRegion& one : a.regions) {
    for (const ResourceRegion& other : b.regions) {
      const MemorySpace space = system.allocations[one.allocation].space;
      if (system.allocations[other.allocation].space != space) continue;
      for (std::int64_t i = 0; i < stages(a); ++i) {
        for (std::int64_t k = same_slot ? i : 0; k < (same_slot ? i + 1 : stages(b)); ++k) {
          const UnitOffset from = std::max(begin(one, i), begin(other, k));
          const UnitOffset to = std::min(begin(one, i) + one.size, begin(other, k) + other.size);
          if (from < to)
            return fmt::format("{}[{}:{})", MemorySpaceName(space), from.value, to.value);
        }
      }
    }
  }
  return std::nullopt;
}

class PartWalk {
 public:
  PartWalk(const PipelineSystem& system, const SystemIds& ids, const std::string& task)
      : system_(system), ids_(ids), task_(task) {}

  Result<std::vector<Operation>> Run(const std::vector<TaskOperation>& part) {
    for (const TaskOperation& operation : part) {
      if (operation.verb == TaskVerb::kAuxiliary || operation.verb == TaskVerb::kTryAcquire ||
          operation.verb == TaskVerb::kTryWait)
        continue;
      std::optional<Error> error =
          IsSync(operation.verb) ? Synchronise(operation) : Work(operation);
      if (error) return Fail(std::move(*error));
    }
    return std::move(operations_);
  }

 private:
  Error At(const TaskOperation& operation, Code code, std::string_view text) const {
    return MakeError(code, fmt::format("task {}: {} of {}: {}", task_, TaskVerbName(operation.verb),
                                       NameOf(operation), text));
  }

  std::optional<Error> Synchronise(const TaskOperation& operation) {
    std::vector<PipelineId> pipelines;
    for (const StagedPipeline* const pipeline : PipelinesOf(operation))
      pipelines.push_back(ids_.pipeline(*pipeline));
    if (pipelines.empty()) {
      return At(operation, Code::kResourceNoPipeline,
                "expected a resource with a pipeline, found none");
    }
    given_.clear();
    is_adjacent_ = false;
    const bool closes = operation.verb == TaskVerb::kCommit || operation.verb == TaskVerb::kRelease;
    const Side side = *SideOf(operation.verb);
    // Members of a group agree on the side that they share.
    const SideKind kind = system_.pipelines[pipelines.front()].Kinds(side).kind;
    if (closes && kind == SideKind::kDma) return Complete(operation, side, pipelines);
    Operation sync;
    sync.kind = KindOf(operation.verb);
    sync.pipelines = std::move(pipelines);
    operations_.push_back(std::move(sync));
    return std::nullopt;
  }

  /// Whether the transfer does what the side of one of `pipelines` waits for, and nobody has asked
  /// for its completion there yet.
  bool IsOpenFor(const Operation& operation, Side side,
                 const std::vector<PipelineId>& pipelines) const {
    if (operation.kind != OperationKind::kDma) return false;
    const bool commits = side == Side::kProducer;
    const auto& done = commits ? operation.commits : operation.releases;
    if (std::any_of(pipelines.begin(), pipelines.end(),
                    [&](PipelineId id) { return Has(done, id); }))
      return false;
    return std::any_of(
        operation.accesses.begin(), operation.accesses.end(), [&](const Access& access) {
          const std::optional<PipelineId>& ring = system_.resources[access.resource].pipeline;
          return access.side == side && ring && Has(pipelines, *ring);
        });
  }

  std::optional<Error> Complete(const TaskOperation& operation, Side side,
                                const std::vector<PipelineId>& pipelines) {
    const std::string_view work = side == Side::kProducer ? "writes" : "reads";
    std::vector<std::size_t> transfers;  // descending
    for (std::size_t i = operations_.size(); i-- > 0;) {
      if (IsOpenFor(operations_[i], side, pipelines)) transfers.push_back(i);
    }
    if (transfers.empty()) {
      return At(operation, Code::kPipelineKind,
                fmt::format("the side is dma, so a transfer's end gives it: expected a transfer "
                            "that {} its memory before it in the same part of the schedule, found "
                            "none",
                            work));
    }
    const std::size_t first = transfers.back();
    if (transfers.front() - first + 1 != transfers.size()) {
      return At(operation, Code::kPipelineKind,
                fmt::format("expected the {} transfers that it completes next to each other, found "
                            "others' operations between them; acquire first, then issue them",
                            transfers.size()));
    }
    for (std::size_t i = first; i <= transfers.front(); ++i) {
      for (std::size_t k = i + 1; k <= transfers.front(); ++k) {
        if (auto error = CheckApart(operation, operations_[i], operations_[k])) return error;
      }
    }
    Operation& whole = operations_[first];
    for (std::size_t i = first + 1; i <= transfers.front(); ++i) {
      for (const Access& access : operations_[i].accesses) AddAccess(whole, access);
      const auto take = [](std::vector<PipelineId>& to, const std::vector<PipelineId>& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      take(whole.commits, operations_[i].commits);
      take(whole.releases, operations_[i].releases);
    }
    std::vector<PipelineId>& completes = side == Side::kProducer ? whole.commits : whole.releases;
    completes.insert(completes.end(), pipelines.begin(), pipelines.end());
    const auto from = operations_.begin() + static_cast<std::ptrdiff_t>(first);
    operations_.erase(from + 1, from + static_cast<std::ptrdiff_t>(transfers.size()));
    return std::nullopt;
  }

  /// What one commit completes becomes one transfer, and a transfer doesn't race with itself; so
  /// those that it is made of may not meet. Several writes of one resource are its parts.
  /// Source: ts_pipelines.md §8, Conflict.
  std::optional<Error> CheckApart(const TaskOperation& operation, const Operation& one,
                                  const Operation& other) const {
    for (const Access& a : one.accesses) {
      for (const Access& b : other.accesses) {
        const bool are_parts = a.resource == b.resource && a.kind == b.kind;
        if (are_parts || (a.kind == AccessKind::kRead && b.kind == AccessKind::kRead)) continue;
        const Resource& first = system_.resources[a.resource];
        const Resource& second = system_.resources[b.resource];
        const auto where = MeetingOf(system_, first, second);
        if (!where) continue;
        return Error{Kind::kRace, std::string(KindName(Kind::kRace)),
                     fmt::format("task {}: {} of {}: expected the transfers that it completes "
                                 "to touch different memory, found {} {} and {} {} on {}; nothing "
                                 "orders them",
                                 task_, TaskVerbName(operation.verb), NameOf(operation),
                                 AccessKindName(a.kind), first.name, AccessKindName(b.kind),
                                 second.name, *where),
                     "", 0};
      }
    }
    return std::nullopt;
  }

  std::optional<Error> Work(const TaskOperation& operation) {
    const auto* const on = std::get_if<const TaskResource*>(&operation.on);
    if (on == nullptr) {
      return At(operation, Code::kGroupOperation,
                "expected work on a member's resource, found it on the group");
    }
    const AccessKind kind = AccessOf(operation.verb);
    const Access access{kind, ids_.resource(**on), DefaultSide(kind)};
    const std::optional<PipelineId>& ring = system_.resources[access.resource].pipeline;
    SideKind actor = SideKind::kThread;
    if (operation.by) {
      actor = *operation.by;
    } else if (ring && kind != AccessKind::kUse) {
      actor = system_.pipelines[*ring].Kinds(access.side).kind;
    }
    if (kind == AccessKind::kUse && actor != SideKind::kThread) {
      return At(operation, Code::kPipelineKind,
                fmt::format("expected the task itself, whose scratch work it is, found {}",
                            SideKindName(actor)));
    }
    const bool joins = is_adjacent_ && JoinsLast(operation, access, actor);
    if (!joins) {
      given_.clear();
      Operation work;
      work.kind = actor == SideKind::kThread ? OperationKind::kAccess
                  : actor == SideKind::kDma  ? OperationKind::kDma
                                             : OperationKind::kMatrix;
      operations_.push_back(std::move(work));
    }
    AddAccess(operations_.back(), access);
    given_.insert(given_.end(), operation.gives.begin(), operation.gives.end());
    is_adjacent_ = true;
    return std::nullopt;
  }

  /// Whether the work is part of the operation before it.
  bool JoinsLast(const TaskOperation& operation, const Access& access, SideKind actor) const {
    const Operation& last = operations_.back();
    // Matrix work retires in order: reads and then writes next to each other end as one would.
    if (actor == SideKind::kMatrix && last.kind == OperationKind::kMatrix)
      return access.kind == AccessKind::kWrite || OnlyReads(last);
    // Transfers end in any order: only what hands its data on is one.
    if (actor != SideKind::kDma || last.kind != OperationKind::kDma) return false;
    return access.kind == AccessKind::kWrite && OnlyReads(last) &&
           std::any_of(operation.takes.begin(), operation.takes.end(),
                       [&](const std::string& value) { return Has(given_, value); });
  }

  const PipelineSystem& system_;
  const SystemIds& ids_;
  const std::string& task_;
  std::vector<Operation> operations_;
  bool is_adjacent_ = false;        ///< nothing but work since the last operation
  std::vector<std::string> given_;  ///< values that the last operation hands on
};

}  // namespace

Result<std::vector<Operation>> OperationsOf(const PipelineSystem& system, const SystemIds& ids,
                                            const std::string& task,
                                            const std::vector<TaskOperation>& part) {
  return PartWalk(system, ids, task).Run(part);
}

}  // namespace spillway::task
