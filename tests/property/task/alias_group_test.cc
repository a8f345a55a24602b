// Alias groups as the layout places them: rings and scratch memory whose turns exclude each other
// in time, or nearly. Source: ts_pipelines.md §3 and §14, relation 3.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/run_property.h"
#include "tests/property/task/random_system.h"
#include "tests/unit/task_replay/replay_rows.h"

namespace spillway::task {
namespace {

bool OneIn(std::int64_t n) { return Draw(0, n) == 0; }
std::size_t Below(std::size_t count) {
  return static_cast<std::size_t>(Draw(0, static_cast<std::int64_t>(count)));
}

Operation Sync(OperationKind kind, PipelineId pipeline) {
  Operation operation;
  operation.kind = kind;
  operation.pipelines = {pipeline};
  return operation;
}

Operation Work(SideKind actor, AccessKind kind, ResourceId resource) {
  Operation operation;
  operation.kind = actor == SideKind::kThread ? OperationKind::kAccess
                   : actor == SideKind::kDma  ? OperationKind::kDma
                                              : OperationKind::kMatrix;
  operation.accesses = {{kind, resource, DefaultSide(kind)}};
  return operation;
}

Operation Loop(std::int64_t trips, std::vector<Operation> body) {
  Operation loop;
  loop.kind = OperationKind::kLoop;
  loop.trips = trips;
  loop.body = std::move(body);
  return loop;
}

/// A ring by which one task hands data to another one, and scratch memory of the consumer.
struct Handover {
  PipelineId ring;
  ResourceId data;
  TaskId producer;
  TaskId consumer;
  SideKind produced = SideKind::kThread;
  SideKind consumed = SideKind::kThread;
  std::int64_t trips = 1;
  std::size_t consuming_loop = 0;  ///< index into the consumer's operations
  std::optional<ResourceId> scratch;
};

/// Two or three hand-overs one after the other, mostly in a chain: what one task got, it or its
/// successor in the same loop hands on. Their memory lies in SMEM or TMEM, in alias groups.
class AliasDrawing {
 public:
  PipelineSystem Draw() {
    system_.name = "aliased";
    for (const MemorySpace space : kMemorySpaces) system_.capacity[space] = Units(1 << 20);
    const std::int64_t storage = task::Draw(0, 5);
    system_.barriers = storage == 0  ? BarrierStorage::kNone
                       : storage < 3 ? BarrierStorage::kOwn
                                     : BarrierStorage::kCoalesced;
    if (!OneIn(4)) space_ = AnySpace();
    const auto tasks = static_cast<std::size_t>(task::Draw(2, 4));
    operations_.resize(tasks);
    for (std::size_t t = 0; t < tasks; ++t) system_.tasks.push_back({"T" + std::to_string(t), {}});
    const std::int64_t count = task::Draw(2, 4);
    for (std::int64_t i = 0; i < count; ++i) AddHandover("p" + std::to_string(i));
    AddGroup(MemorySpace::kSmem);
    AddGroup(MemorySpace::kTmem);
    if (OneIn(3)) AddGraph();
    const std::int64_t turns = OneIn(4) ? 2 : 1;
    for (std::size_t t = 0; t < tasks; ++t)
      system_.tasks[TaskId(t)].operations = {Loop(turns, std::move(operations_[t]))};
    return std::move(system_);
  }

 private:
  static MemorySpace AnySpace() { return OneIn(2) ? MemorySpace::kSmem : MemorySpace::kTmem; }
  static SideKind AnyKind() {
    return OneIn(2) ? SideKind::kThread : static_cast<SideKind>(task::Draw(0, 3));
  }

  /// `stages` 0: memory without stages.
  ResourceId AddMemory(const std::string& name, std::int64_t stages) {
    const Units each(8 * task::Draw(1, 5));
    Allocation allocation;
    allocation.name = name;
    allocation.space = space_ ? *space_ : AnySpace();
    allocation.size = stages > 0 ? Units(stages * each.value) : each;
    allocation.alignment = std::int64_t{1} << task::Draw(0, 6);
    const bool is_smem = allocation.space == MemorySpace::kSmem;
    allocation.partitions = {Partition(0), Partition(is_smem ? 1 : 128)};
    Resource resource;
    resource.name = name;
    resource.regions = {{system_.allocations.push_back(std::move(allocation)), Units(0), each,
                         stages > 0 ? each : Units(0)}};
    return system_.resources.push_back(std::move(resource));
  }

  void AddHandover(const std::string& name) {
    Handover next;
    const Handover* const last = handovers_.empty() ? nullptr : &handovers_.back();
    next.producer =
        last != nullptr && !OneIn(4) ? last->consumer : TaskId(Below(operations_.size()));
    next.consumer =
        TaskId((next.producer.value + 1 + Below(operations_.size() - 1)) % operations_.size());
    next.produced = AnyKind();
    next.consumed = AnyKind();
    next.trips = task::Draw(1, 4);
    const bool in_one_loop = last != nullptr && next.producer == last->consumer && OneIn(3);
    if (in_one_loop) {
      next.produced = last->consumed;
      next.trips = last->trips;
    }
    Pipeline pipeline;
    pipeline.name = name;
    pipeline.stages = task::Draw(1, 4);
    pipeline.producer.kind = next.produced;
    pipeline.consumer.kind = next.consumed;
    pipeline.producer_arrivals = OneIn(2) ? 1 : 32;
    pipeline.consumer_arrivals = OneIn(2) ? 1 : 32;
    const std::int64_t stages = pipeline.stages;
    next.ring = system_.pipelines.push_back(std::move(pipeline));
    next.data = AddMemory(name, stages);
    system_.resources[next.data].pipeline = next.ring;
    if (in_one_loop) {
      HandOn(operations_[last->consumer.value][last->consuming_loop].body, *last, next);
    } else {
      operations_[next.producer.value].push_back(Loop(next.trips, Produced(next)));
    }
    std::vector<Operation>& consumer = operations_[next.consumer.value];
    next.consuming_loop = consumer.size();
    consumer.push_back(Loop(next.trips, Consumed(next)));
    if (!OneIn(3)) AddScratch(name + "_scratch", next);
    handovers_.push_back(next);
  }

  static std::vector<Operation> Produced(const Handover& handover) {
    std::vector<Operation> body = {Sync(OperationKind::kAcquire, handover.ring),
                                   Work(handover.produced, AccessKind::kWrite, handover.data)};
    if (handover.produced == SideKind::kDma) {
      body.back().commits = {handover.ring};
    } else {
      body.push_back(Sync(OperationKind::kCommit, handover.ring));
    }
    return body;
  }

  static std::vector<Operation> Consumed(const Handover& handover) {
    std::vector<Operation> body = {Sync(OperationKind::kWait, handover.ring),
                                   Work(handover.consumed, AccessKind::kRead, handover.data)};
    if (handover.consumed == SideKind::kDma) {
      body.back().releases = {handover.ring};
    } else {
      body.push_back(Sync(OperationKind::kRelease, handover.ring));
      if (OneIn(8)) std::swap(body[1], body[2]);
    }
    return body;
  }

  /// The loop that consumes one ring fills the next one, too.
  static void HandOn(std::vector<Operation>& body, const Handover& last, const Handover& next) {
    body.insert(body.begin() + 1, Sync(OperationKind::kAcquire, next.ring));
    const auto work = ReadIn(body, last.data);
    Operation write = Work(next.produced, AccessKind::kWrite, next.data);
    if (next.produced == SideKind::kThread) {
      body.insert(work + 1, std::move(write));
    } else {
      work->accesses.push_back(write.accesses.front());
    }
    if (next.produced == SideKind::kDma) {
      ReadIn(body, last.data)->commits = {next.ring};
    } else {
      body.push_back(Sync(OperationKind::kCommit, next.ring));
    }
  }

  static std::vector<Operation>::iterator ReadIn(std::vector<Operation>& body, ResourceId data) {
    return std::find_if(body.begin(), body.end(), [&](const Operation& operation) {
      return !operation.accesses.empty() && operation.accesses.front().kind == AccessKind::kRead &&
             operation.accesses.front().resource == data;
    });
  }

  /// Used behind the read, at any other place of the loop's body, or behind the loop.
  void AddScratch(const std::string& name, Handover& handover) {
    const ResourceId scratch = AddMemory(name, 0);
    handover.scratch = scratch;
    std::vector<Operation> work = {Work(SideKind::kThread, AccessKind::kUse, scratch)};
    if (OneIn(2)) work.push_back(Work(SideKind::kThread, AccessKind::kRead, scratch));
    std::vector<Operation>& operations = operations_[handover.consumer.value];
    std::vector<Operation>& body = operations[handover.consuming_loop].body;
    const std::int64_t where = task::Draw(0, 4);
    if (where == 0) {
      operations.insert(operations.end(), work.begin(), work.end());
    } else if (where == 1) {
      const auto at = static_cast<std::ptrdiff_t>(1 + Below(body.size()));
      body.insert(body.begin() + at, work.begin(), work.end());
    } else {
      body.insert(ReadIn(body, handover.data) + 1, work.begin(), work.end());
    }
  }

  void AddGroup(MemorySpace space) {
    std::vector<AllocationId> members;
    for (std::size_t a = 0; a < system_.allocations.size(); ++a) {
      if (system_.allocations[AllocationId(a)].space == space) members.emplace_back(a);
    }
    if (members.size() < 2 || OneIn(8)) return;
    for (std::size_t i = members.size(); i > 1; --i) std::swap(members[i - 1], members[Below(i)]);
    AliasGroup group;
    group.phases.resize(std::min<std::size_t>(2 + Below(2), members.size()));
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i < group.phases.size()) {
        group.phases[i].push_back(members[i]);
      } else if (OneIn(2)) {
        group.phases[Below(group.phases.size())].push_back(members[i]);
      }
    }
    system_.alias_groups.push_back(std::move(group));
  }

  void AddGraph() {
    system_.graph.emplace();
    for (std::size_t i = 0; i < handovers_.size(); ++i) {
      const Handover& handover = handovers_[i];
      if (i > 0 && handovers_[i - 1].consumer == handover.producer)
        system_.graph->push_back({handover.data, {handovers_[i - 1].data}});
      if (handover.scratch) system_.graph->push_back({*handover.scratch, {handover.data}});
    }
  }

  PipelineSystem system_;
  std::optional<MemorySpace> space_;                ///< of all memory; else each has its own
  std::vector<std::vector<Operation>> operations_;  ///< of each task
  std::vector<Handover> handovers_;
};

/// Whether accesses through two resources touch the same memory.
bool IsAliased(const Program& program) {
  std::set<std::pair<ResourceId, std::uint32_t>> touched;
  for (const StepAccess& access : program.accesses) touched.emplace(access.resource, access.slot);
  for (const auto& [one, slot] : touched) {
    for (const auto& [other, other_slot] : touched) {
      if (one != other && Overlap(program.footprints[one][slot].front(),
                                  program.footprints[other][other_slot].front()))
        return true;
    }
  }
  return false;
}

TEST(TaskReplay, AnAcceptedAliasGroupGivesTheDataOfALayoutWithoutGroups) {
  Shares shares;
  CheckProperty("task alias groups", 2000, [&] {
    const PreparedSystem grouped = Prepare(AliasDrawing().Draw());
    PipelineSystem without = grouped.system;
    without.alias_groups.clear();
    const PreparedSystem apart = Prepare(std::move(without));
    RC_ASSERT(!IsAliased(apart.program));
    const Verdict verdict = CheckSystem(grouped.system, grouped.program).value();
    const bool has_data =
        verdict.races.empty() && verdict.clobbers.empty() && verdict.uninitialized.empty();
    const ReplayProgram together =
        ReplayProgram::Prepare(grouped.system, grouped.program, ReplayTarget()).value();
    const ReplayProgram separate =
        ReplayProgram::Prepare(apart.system, apart.program, ReplayTarget()).value();
    bool differs = false;
    for (int run = 0; run < 2; ++run) {
      TaskMachineOptions one;
      TaskMachineOptions other;
      one.jitter_seed = static_cast<std::uint64_t>(Draw(0, 1000));
      other.jitter_seed = static_cast<std::uint64_t>(Draw(0, 1000));
      const bool same = together.Run(one).seen == separate.Run(other).seen;
      if (has_data) RC_ASSERT(same);
      differs = differs || !same;
    }
    const bool is_real = !grouped.system.alias_groups.empty() && IsAliased(grouped.program);
    shares.Case();
    shares.Count("a real group, accepted", is_real && verdict.IsClean());
    shares.Count("a real group, refused", is_real && !has_data);
    shares.Count("refused, and other data", is_real && !has_data && differs);
    shares.Count("accepted with a graph", verdict.IsClean() && grouped.system.graph.has_value());
    shares.Count(
        "accepted with coalesced barriers",
        is_real && verdict.IsClean() && grouped.system.barriers == BarrierStorage::kCoalesced);
    shares.Count("deadlocked", !verdict.blocked.empty());
  });
  shares.AtLeast("a real group, accepted", 10);
  shares.AtLeast("a real group, refused", 10);
  shares.AtLeast("refused, and other data", 5);
  shares.AtLeast("accepted with a graph", 3);
  shares.AtLeast("accepted with coalesced barriers", 3);
  shares.AtMost("deadlocked", 30);
}

}  // namespace
}  // namespace spillway::task
