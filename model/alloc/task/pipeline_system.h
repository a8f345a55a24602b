// A system of task pipelines: memory, pipelines, resources and tasks as trees of operations. What a
// pipeline file holds, and what every check and the replay start from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/alloc/task/memory_space.h"
#include "model/hw/interval.h"

namespace spillway::task {

using AllocationId = Id<struct AllocationIdTag>;
using PipelineId = Id<struct PipelineIdTag>;
using ResourceId = Id<struct ResourceIdTag>;
using TaskId = Id<struct TaskIdTag>;

/// When the commits (or releases) of a side complete: with the instruction, when the transfer's
/// bytes have arrived, or when the matrix work issued before it has retired.
/// Source: ts_pipelines.md §7, Kinds.
enum class SideKind { kThread, kDma, kMatrix };
std::string_view SideKindName(SideKind kind);
std::optional<SideKind> ParseSideKind(std::string_view name);

enum class Side { kProducer, kConsumer };
std::string_view SideName(Side side);
std::optional<Side> ParseSide(std::string_view name);

/// A piece of one memory, all stages together.
struct Allocation {
  std::string name;
  MemorySpace space = MemorySpace::kSmem;
  Units size;
  std::int64_t alignment = 1;      ///< in units; a power of two
  Interval<Partition> partitions;  ///< lanes for TMEM; SMEM has no partitions: [0, 1)
  std::optional<UnitOffset> at;    ///< fixed by the author; absent: placed by the layout

  friend bool operator==(const Allocation&, const Allocation&) = default;
};

/// Phases that share one place; the members of a phase coexist. At least two phases, none empty.
struct AliasGroup {
  std::vector<std::vector<AllocationId>> phases;
  friend bool operator==(const AliasGroup&, const AliasGroup&) = default;
};

/// The kind of one side: one for all tasks, or each contributing task's own.
struct SideKinds {
  SideKind kind = SideKind::kThread;                 ///< where `by_task` is empty
  std::vector<std::pair<TaskId, SideKind>> by_task;  ///< in file order; empty: one kind for all

  /// The kind of `task`'s commits or releases; nothing: `by_task` doesn't name the task.
  std::optional<SideKind> Of(TaskId task) const;
  friend bool operator==(const SideKinds&, const SideKinds&) = default;
};

/// A ring of stages with a producer and a consumer side.
struct Pipeline {
  std::string name;
  std::int64_t stages = 1;
  SideKinds producer;
  SideKinds consumer;
  std::int64_t producer_arrivals = 1;  ///< only the barrier layout uses them
  std::int64_t consumer_arrivals = 1;

  const SideKinds& Kinds(Side side) const { return side == Side::kProducer ? producer : consumer; }
  friend bool operator==(const Pipeline&, const Pipeline&) = default;
};

/// The part of an allocation that a resource covers. With slot k it is `size` units at
/// offset + (k mod stages) * stage_stride of the allocation; every stage lies inside it.
struct ResourceRegion {
  AllocationId allocation;
  Units offset;
  Units size;
  Units stage_stride;  ///< 0 where the resource has no slot number, or all stages share a range

  friend bool operator==(const ResourceRegion&, const ResourceRegion&) = default;
};

/// Memory that tasks access under one name.
struct Resource {
  std::string name;
  std::vector<ResourceRegion> regions;  ///< may be empty: a resource that only orders
  std::optional<PipelineId> pipeline;   ///< whose data this is: checks brackets, kinds; gives slots
  std::optional<PipelineId> slot_of;    ///< instead of `pipeline`: borrows the slot number alone
  std::vector<ResourceId> shares;       ///< whose writes a read through this one may see
  bool initial = false;                 ///< holds data before the first event

  /// The pipeline whose slot number selects the stage; nothing: there is one stage.
  std::optional<PipelineId> SlotPipeline() const { return pipeline ? pipeline : slot_of; }
  friend bool operator==(const Resource&, const Resource&) = default;
};

/// `use` is scratch work: it writes, then reads back what it wrote.
enum class AccessKind { kRead, kWrite, kUse };
std::string_view AccessKindName(AccessKind kind);

struct Access {
  AccessKind kind = AccessKind::kRead;
  ResourceId resource;
  Side side = Side::kConsumer;  ///< whose counter gives the slot number

  friend bool operator==(const Access&, const Access&) = default;
};

/// The side where the file names none: a write's is the producer, others' the consumer.
constexpr Side DefaultSide(AccessKind kind) {
  return kind == AccessKind::kWrite ? Side::kProducer : Side::kConsumer;
}

enum class OperationKind {
  kAcquire,
  kCommit,
  kWait,
  kRelease,
  kAccess,  ///< a synchronous read, write or use
  kDma,     ///< an asynchronous transfer
  kMatrix,  ///< asynchronous matrix work
  kLoop,
};
/// "acquire", "commit", …; "access", "dma", "matrix", "loop".
std::string_view OperationKindName(OperationKind kind);

/// One operation of a task, or a loop over operations.
struct Operation {
  OperationKind kind = OperationKind::kAccess;
  /// Of acquire, commit, wait and release: one event for all of them. Distinct.
  std::vector<PipelineId> pipelines;
  /// One for kAccess; in file order for kDma and kMatrix, reads first.
  std::vector<Access> accesses;
  std::vector<PipelineId> commits;   ///< of a transfer, at its completion. Distinct
  std::vector<PipelineId> releases;  ///< of a transfer, at its completion. Distinct
  std::int64_t trips = 0;            ///< of a loop
  std::vector<Operation> body;       ///< of a loop

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// A sequence of operations run by one instruction stream.
struct Task {
  std::string name;
  std::vector<Operation> operations;
  friend bool operator==(const Task&, const Task&) = default;
};

/// Where the barriers of the pipelines lie: 16 bytes a stage for each pipeline in SMEM, one array
/// for all in SMEM, or nowhere, as semaphores.
enum class BarrierStorage { kOwn, kCoalesced, kNone };
std::string_view BarrierStorageName(BarrierStorage storage);
std::optional<BarrierStorage> ParseBarrierStorage(std::string_view name);

/// The resources upstream of one downstream resource.
struct Dependency {
  ResourceId downstream;
  std::vector<ResourceId> upstream;
  friend bool operator==(const Dependency&, const Dependency&) = default;
};

/// Everything of one pipeline file. All ids are valid, names are unique in their kind.
/// Source: ts_pipelines.md §7 and §11.
struct PipelineSystem {
  std::string name;
  std::optional<std::string> note;
  PerSpace<Units> capacity;
  BarrierStorage barriers = BarrierStorage::kOwn;
  IdVector<AllocationId, Allocation> allocations;
  std::vector<AliasGroup> alias_groups;
  IdVector<PipelineId, Pipeline> pipelines;
  IdVector<ResourceId, Resource> resources;
  /// Absent: the checks that need it are skipped, and no split consumer is licensed.
  std::optional<std::vector<Dependency>> graph;
  IdVector<TaskId, Task> tasks;

  friend bool operator==(const PipelineSystem&, const PipelineSystem&) = default;
};

/// Who touches memory: a task itself, its transfers, or its matrix unit.
struct Actor {
  TaskId task;
  SideKind kind = SideKind::kThread;

  friend constexpr auto operator<=>(const Actor&, const Actor&) = default;
};

/// "T", "T.dma" or "T.matrix".
std::string ActorName(const PipelineSystem& system, const Actor& actor);

}  // namespace spillway::task
