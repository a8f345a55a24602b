#include "model/alloc/task/unroll.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/alloc/task/codes.h"
#include "model/hw/fault.h"

namespace spillway::task {
namespace {

/// What a list executes, loops unrolled.
struct Amounts {
  std::int64_t operations = 0;
  std::int64_t accesses = 0;
  std::int64_t parts = 0;
};

/// `times` as often. Anything over every bound counts as just over it.
std::int64_t Times(std::int64_t once, std::int64_t times) {
  constexpr std::int64_t kOver =
      std::max({kMaxUnrolledOperations, kMaxUnrolledAccesses, kMaxUnrolledParts}) + 1;
  std::int64_t all = 0;
  if (__builtin_mul_overflow(once, times, &all) || all > kOver) return kOver;
  return all;
}

Amounts UnrolledAmounts(const std::vector<Operation>& operations) {
  Amounts sum;
  for (const Operation& operation : operations) {
    const auto sizes = [](const auto&... lists) {
      return static_cast<std::int64_t>((lists.size() + ...));
    };
    Amounts own{1, sizes(operation.accesses),
                sizes(operation.pipelines, operation.commits, operation.releases)};
    const bool is_loop = operation.kind == OperationKind::kLoop;
    if (is_loop) own = UnrolledAmounts(operation.body);
    const std::int64_t trips = is_loop ? operation.trips : 1;
    sum.operations = Times(sum.operations + Times(own.operations, trips), 1);
    sum.accesses = Times(sum.accesses + Times(own.accesses, trips), 1);
    sum.parts = Times(sum.parts + Times(own.parts, trips), 1);
  }
  return sum;
}

/// Nothing, or which of the bounds the tasks go over.
std::optional<Error> CheckAmounts(const PipelineSystem& system) {
  Amounts sum;
  for (const Task& task : system.tasks) {
    const Amounts own = UnrolledAmounts(task.operations);
    sum.operations += own.operations;
    sum.accesses += own.accesses;
    sum.parts += own.parts;
  }
  const auto over = [](std::int64_t limit, std::string_view what) {
    return MakeError(Code::kLimit,
                     fmt::format("tasks: expected at most {} {} after unrolling, found more; fewer "
                                 "iterations show the same",
                                 limit, what));
  };
  if (sum.operations > kMaxUnrolledOperations) return over(kMaxUnrolledOperations, "operations");
  if (sum.accesses > kMaxUnrolledAccesses)
    return over(kMaxUnrolledAccesses, "accesses of operations");
  if (sum.parts > kMaxUnrolledParts)
    return over(kMaxUnrolledParts, "pipelines named by operations");
  return std::nullopt;
}

/// An operation that executes at least once; a loop of them holds at least one operation that isn't
/// a loop, so that walking a tree takes no longer than what it executes.
struct Executed {
  const Operation* operation = nullptr;
  std::size_t index = 0;  ///< in its list
  std::vector<Executed> body;
};

std::vector<Executed> Pruned(const std::vector<Operation>& operations) {
  std::vector<Executed> executed;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const bool is_loop = operations[i].kind == OperationKind::kLoop;
    if (is_loop && operations[i].trips < 1) continue;
    Executed item{&operations[i], i,
                  is_loop ? Pruned(operations[i].body) : std::vector<Executed>()};
    if (!is_loop || !item.body.empty()) executed.push_back(std::move(item));
  }
  return executed;
}

bool IsSync(OperationKind kind) {
  return kind == OperationKind::kAcquire || kind == OperationKind::kCommit ||
         kind == OperationKind::kWait || kind == OperationKind::kRelease;
}

/// Stages of the resource's memory.
std::int64_t Slots(const PipelineSystem& system, const Resource& resource) {
  const std::optional<PipelineId> ring = resource.SlotPipeline();
  return ring ? system.pipelines[*ring].stages : 1;
}

std::optional<Error> CheckFootprints(const PipelineSystem& system) {
  std::int64_t footprints = 0;
  for (const Resource& resource : system.resources) {
    const auto regions = static_cast<std::int64_t>(resource.regions.size());
    footprints += Slots(system, resource) * (regions + 1);
    if (footprints <= kMaxFootprints) continue;
    return MakeError(Code::kLimit,
                     fmt::format("resources: expected at most {} regions, each stage for itself, "
                                 "found more at resource {}",
                                 kMaxFootprints, resource.name));
  }
  return std::nullopt;
}

std::vector<std::vector<Footprint>> FootprintsOf(const PipelineSystem& system,
                                                 const SystemLayout& layout,
                                                 const Resource& resource) {
  const std::int64_t slots = Slots(system, resource);
  std::vector<std::vector<Footprint>> by_slot;
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    std::vector<Footprint>& footprints = by_slot.emplace_back();
    for (const ResourceRegion& region : resource.regions) {
      const Allocation& allocation = system.allocations[region.allocation];
      const UnitOffset begin =
          layout.offsets[region.allocation] + region.offset + slot * region.stage_stride;
      footprints.push_back({allocation.space, {begin, begin + region.size}, allocation.partitions});
    }
  }
  return by_slot;
}

/// One task's way through its operations.
class TaskUnroller {
 public:
  TaskUnroller(const PipelineSystem& system, TaskId task, Program& program)
      : system_(system), task_(task), program_(program), counts_(system.pipelines.size()) {
    path_ = fmt::format("tasks[{}]", task.value);
  }

  /// Nothing, or why the task can't run.
  std::optional<Error> Run() {
    const std::vector<Operation>& operations = system_.tasks[task_].operations;
    if (std::optional<Error> error = CheckForms(operations, path_)) return error;
    const std::vector<Executed> executed = Pruned(operations);
    FindSides(executed);
    return Walk(executed, path_);
  }

 private:
  struct Counts {
    std::int64_t acquires = 0;
    std::int64_t commits = 0;
    std::int64_t waits = 0;
    std::int64_t releases = 0;
    bool ever_acquires = false;
    bool ever_waits = false;
    bool ever_commits = false;
    bool ever_releases = false;

    std::int64_t& Of(OperationKind kind) {
      switch (kind) {
        case OperationKind::kAcquire: return acquires;
        case OperationKind::kCommit: return commits;
        case OperationKind::kWait: return waits;
        default: return releases;
      }
    }
  };

  Error At(const std::string& path, Code code, std::string text) const {
    return MakeError(
        code, fmt::format("{} of task {}: {}", path, system_.tasks[task_].name, std::move(text)));
  }

  std::optional<Error> CheckForms(const std::vector<Operation>& operations,
                                  const std::string& before) const {
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const Operation& operation = operations[i];
      const std::string path = fmt::format("{}.ops[{}]", before, i);
      std::optional<Error> error;
      if (operation.kind == OperationKind::kLoop) error = CheckForms(operation.body, path);
      const bool is_dma = operation.kind == OperationKind::kDma;
      if (operation.kind == OperationKind::kCommit)
        error = CheckForm(operation.pipelines, Side::kProducer, is_dma, path);
      if (operation.kind == OperationKind::kRelease)
        error = CheckForm(operation.pipelines, Side::kConsumer, is_dma, path);
      if (is_dma) {
        error = CheckForm(operation.commits, Side::kProducer, is_dma, path);
        if (!error) error = CheckForm(operation.releases, Side::kConsumer, is_dma, path);
      }
      if (error) return error;
    }
    return std::nullopt;
  }

  std::optional<Error> CheckForm(const std::vector<PipelineId>& pipelines, Side side, bool is_dma,
                                 const std::string& path) const {
    const std::string_view closes = side == Side::kProducer ? "commit" : "release";
    for (const PipelineId id : pipelines) {
      const Pipeline& pipeline = system_.pipelines[id];
      const std::optional<SideKind> kind = pipeline.Kinds(side).Of(task_);
      if (!kind) {
        return At(path, Code::kPipelineKind,
                  fmt::format("{} of pipeline {}: expected a kind for this task among its {} kinds",
                              closes, pipeline.name, SideName(side)));
      }
      if ((*kind == SideKind::kDma) == is_dma) continue;
      return At(path, Code::kPipelineKind,
                fmt::format("{} of pipeline {}, whose {} is {}: expected {}, found {}", closes,
                            pipeline.name, SideName(side), SideKindName(*kind),
                            is_dma ? "an operation of its own" : "it as part of a transfer",
                            is_dma ? "it as part of a transfer" : "an operation of its own"));
    }
    return std::nullopt;
  }

  void FindSides(const std::vector<Executed>& executed) {
    for (const Executed& item : executed) {
      const Operation& operation = *item.operation;
      FindSides(item.body);
      for (const PipelineId id : operation.pipelines) {
        Counts& counts = counts_[id];
        counts.ever_acquires |= operation.kind == OperationKind::kAcquire;
        counts.ever_commits |= operation.kind == OperationKind::kCommit;
        counts.ever_waits |= operation.kind == OperationKind::kWait;
        counts.ever_releases |= operation.kind == OperationKind::kRelease;
      }
      for (const PipelineId id : operation.commits) counts_[id].ever_commits = true;
      for (const PipelineId id : operation.releases) counts_[id].ever_releases = true;
    }
  }

  std::optional<Error> Walk(const std::vector<Executed>& executed, const std::string& before) {
    for (const Executed& item : executed) {
      const auto path = [&] { return fmt::format("{}.ops[{}]", before, item.index); };
      if (item.operation->kind != OperationKind::kLoop) {
        if (std::optional<Error> error = Execute(*item.operation, path)) return error;
        continue;
      }
      const std::string inside = path();
      for (std::int64_t trip = 0; trip < item.operation->trips; ++trip) {
        if (std::optional<Error> error = Walk(item.body, inside)) return error;
      }
    }
    return std::nullopt;
  }

  template <class Path>
  std::optional<Error> Execute(const Operation& operation, const Path& path) {
    Step step;
    step.kind = operation.kind;
    step.first_part = static_cast<std::uint32_t>(program_.parts.size());
    step.first_access = static_cast<std::uint32_t>(program_.accesses.size());
    // Slots first: a transfer's own commits and releases come after its accesses.
    const Actor actor = ActorOf(task_, step);
    for (const Access& access : operation.accesses) {
      const std::optional<std::uint32_t> slot = SlotOf(access);
      if (!slot) return NoSlot(access, path());
      std::int64_t& next = occurrences_[{actor.kind, access.kind, access.resource}];
      program_.accesses.push_back({access.kind, access.resource, *slot, next++});
    }
    if (IsSync(operation.kind)) AddParts(operation.kind, operation.pipelines);
    AddParts(OperationKind::kCommit, operation.commits);
    AddParts(OperationKind::kRelease, operation.releases);
    step.part_count = static_cast<std::uint32_t>(program_.parts.size()) - step.first_part;
    step.access_count = static_cast<std::uint32_t>(program_.accesses.size()) - step.first_access;
    program_.steps[task_].push_back(step);
    return std::nullopt;
  }

  void AddParts(OperationKind kind, const std::vector<PipelineId>& pipelines) {
    for (const PipelineId id : pipelines) {
      SyncPart part{kind, id, counts_[id].Of(kind)++, SideKind::kThread};
      const auto contribute = [&](const SideKinds& kinds, std::vector<TaskId>& tasks) {
        part.completion = *kinds.Of(task_);
        if (tasks.empty() || tasks.back() != task_) tasks.push_back(task_);
      };
      if (kind == OperationKind::kCommit)
        contribute(system_.pipelines[id].producer, program_.contributors[id].fill);
      if (kind == OperationKind::kRelease)
        contribute(system_.pipelines[id].consumer, program_.contributors[id].drain);
      program_.parts.push_back(part);
    }
  }

  /// The slot of an access now; nothing: the task holds none.
  std::optional<std::uint32_t> SlotOf(const Access& access) const {
    const std::optional<PipelineId> ring = system_.resources[access.resource].SlotPipeline();
    if (!ring) return 0;
    const Counts& counts = counts_[*ring];
    const bool producer = access.side == Side::kProducer;
    const bool ever_opens = producer ? counts.ever_acquires : counts.ever_waits;
    const bool ever_closes = producer ? counts.ever_commits : counts.ever_releases;
    const std::int64_t opens = producer ? counts.acquires : counts.waits;
    const std::int64_t closes = producer ? counts.commits : counts.releases;
    if (ever_opens ? opens == 0 : !ever_closes) return std::nullopt;
    const std::int64_t number = ever_opens ? opens - 1 : closes;
    // N80.0 reads and uses the stage behind the one that was opened.
    const std::int64_t counted =
        SPILLWAY_FAULT(N80, number, !producer && fault::IsVariant(0) ? number + 1 : number);
    return static_cast<std::uint32_t>(counted % system_.pipelines[*ring].stages);
  }

  Error NoSlot(const Access& access, const std::string& path) const {
    const Resource& resource = system_.resources[access.resource];
    const bool producer = access.side == Side::kProducer;
    return At(path, Code::kAccessNoSlot,
              fmt::format("{} of resource {} on the {} side of pipeline {}: expected {} before it, "
                          "or {} somewhere in the task",
                          AccessKindName(access.kind), resource.name, SideName(access.side),
                          system_.pipelines[*resource.SlotPipeline()].name,
                          producer ? "an acquire" : "a wait", producer ? "a commit" : "a release"));
  }

  const PipelineSystem& system_;
  const TaskId task_;
  Program& program_;
  std::string path_;
  IdVector<PipelineId, Counts> counts_;
  std::map<std::tuple<SideKind, AccessKind, ResourceId>, std::int64_t> occurrences_;
};

}  // namespace

Result<Program> Unroll(const PipelineSystem& system, const SystemLayout& layout) {
  if (std::optional<Error> error = CheckAmounts(system)) return Fail(std::move(*error));
  Program program;
  program.steps.resize(system.tasks.size());
  program.contributors.resize(system.pipelines.size());
  if (std::optional<Error> error = CheckFootprints(system)) return Fail(std::move(*error));
  for (const Resource& resource : system.resources)
    program.footprints.push_back(FootprintsOf(system, layout, resource));
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    if (std::optional<Error> error = TaskUnroller(system, TaskId(i), program).Run())
      return Fail(std::move(*error));
  }
  return program;
}

}  // namespace spillway::task
