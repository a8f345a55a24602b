#include "tests/property/task/random_system.h"

#include <rapidcheck.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spillway::task {
namespace {

constexpr std::int64_t kGranule = 32;

bool OneIn(std::int64_t n) { return Draw(0, n) == 0; }

Operation Sync(OperationKind kind, PipelineId pipeline) {
  Operation operation;
  operation.kind = kind;
  operation.pipelines = {pipeline};
  return operation;
}

Operation Work(SideKind actor, std::vector<Access> accesses) {
  Operation operation;
  operation.kind = actor == SideKind::kThread ? OperationKind::kAccess
                   : actor == SideKind::kDma  ? OperationKind::kDma
                                              : OperationKind::kMatrix;
  operation.accesses = std::move(accesses);
  std::stable_sort(operation.accesses.begin(), operation.accesses.end(),
                   [](const Access& a, const Access& b) { return a.kind < b.kind; });
  return operation;
}

Access Touch(AccessKind kind, ResourceId resource) { return {kind, resource, DefaultSide(kind)}; }

class Drawing {
 public:
  explicit Drawing(const RandomSystemOptions& options) : options_(options) {}

  PipelineSystem Draw() {
    system_.name = "random";
    for (const MemorySpace space : kMemorySpaces) system_.capacity[space] = Units(1 << 20);
    system_.barriers = BarrierStorage::kNone;
    const auto tasks = static_cast<std::size_t>(task::Draw(2, options_.max_tasks + 1));
    system_.tasks.resize(tasks);
    segments_.resize(tasks);
    for (std::size_t t = 0; t < tasks; ++t) system_.tasks[TaskId(t)].name = "T" + std::to_string(t);
    const std::int64_t rings = task::Draw(1, options_.max_pipelines + 1);
    for (std::int64_t p = 0; p < rings; ++p) AddPipeline(p);
    AddScratch();
    const std::int64_t trips = task::Draw(1, options_.max_iterations + 1);
    for (std::size_t t = 0; t < tasks; ++t) {
      Operation loop;
      loop.kind = OperationKind::kLoop;
      loop.trips = trips;
      if (!options_.equal_iterations && OneIn(20))
        loop.trips = task::Draw(1, options_.max_iterations + 1);
      loop.body = Merged(Interleaved(segments_[t]));
      system_.tasks[TaskId(t)].operations = {std::move(loop)};
    }
    return std::move(system_);
  }

 private:
  using Segment = std::deque<Operation>;
  /// Who consumes the ring before, and how.
  struct Chain {
    TaskId task;
    SideKind kind = SideKind::kThread;
  };

  ResourceId AddMemory(const std::string& name, std::int64_t size) {
    Allocation allocation;
    allocation.name = name;
    allocation.space = MemorySpace::kSbuf;
    allocation.size = Units(size * kGranule);
    allocation.partitions = {Partition(0), Partition(128)};
    if (OneIn(4)) {
      const std::int64_t band = 32 * task::Draw(0, 4);
      allocation.partitions = {Partition(band), Partition(std::min<std::int64_t>(band + 64, 128))};
    }
    const std::int64_t at = options_.disjoint ? next_place_ : task::Draw(0, 6);
    next_place_ += size;
    allocation.at = UnitOffset(at * kGranule);
    Resource resource;
    resource.name = name;
    resource.regions.push_back({system_.allocations.push_back(std::move(allocation)), Units(0),
                                Units(size * kGranule), Units(0)});
    return system_.resources.push_back(std::move(resource));
  }

  static SideKind AnyKind() { return static_cast<SideKind>(task::Draw(0, 3)); }

  /// One task, sometimes two.
  std::vector<TaskId> SomeTasks() {
    const auto count = static_cast<std::int64_t>(system_.tasks.size());
    std::vector<TaskId> tasks = {TaskId(static_cast<std::size_t>(task::Draw(0, count)))};
    if (!options_.one_contributor && OneIn(4)) {
      const TaskId other(static_cast<std::size_t>(task::Draw(0, count)));
      if (other != tasks.front()) tasks.push_back(other);
    }
    return tasks;
  }

  void AddPipeline(std::int64_t number) {
    const std::string name = "p" + std::to_string(number);
    Pipeline pipeline;
    pipeline.name = name;
    pipeline.stages = task::Draw(1, options_.max_stages + 1);
    pipeline.producer.kind = AnyKind();
    pipeline.consumer.kind = AnyKind();
    std::vector<TaskId> producers = SomeTasks();
    // Sometimes what consumed the ring before produces this one, in the same work.
    const bool is_chained = chain_.has_value() && OneIn(3);
    if (is_chained) {
      producers = {chain_->task};
      pipeline.producer.kind = chain_->kind;
    }
    std::vector<TaskId> consumers = SomeTasks();
    // Mostly from one task to another one.
    if (consumers.front() == producers.front() && !OneIn(6)) {
      const std::size_t next = (producers.front().value + 1) % system_.tasks.size();
      consumers = {TaskId(next)};
    }
    if (OneIn(4)) GiveEachItsKind(pipeline.consumer, consumers);
    const PipelineId id = system_.pipelines.push_back(pipeline);
    const ResourceId resource = AddMemory(name, pipeline.stages);
    ResourceRegion& region = system_.resources[resource].regions.front();
    region.size = Units(kGranule);
    region.stage_stride = Units(kGranule);
    system_.resources[resource].pipeline = id;
    if (is_chained) {
      Extend(segments_[chain_->task.value].back(), id, resource);
    } else {
      for (const TaskId task : producers)
        segments_[task.value].push_back(Produce(id, resource, *pipeline.producer.Of(task)));
    }
    for (const TaskId task : consumers)
      segments_[task.value].push_back(Consume(id, resource, *pipeline.consumer.Of(task)));
    chain_.reset();
    if (consumers.size() == 1)
      chain_ = Chain{consumers.front(), *pipeline.consumer.Of(consumers.front())};
    if (OneIn(3)) AddBorrower(id, consumers.front());
  }

  /// Work that reads one ring fills the next one too: wait, acquire, work, release and commit.
  static void Extend(Segment& segment, PipelineId id, ResourceId resource) {
    segment.insert(segment.begin() + 1, Sync(OperationKind::kAcquire, id));
    const auto work = std::find_if(segment.begin(), segment.end(), [](const Operation& operation) {
      return !operation.accesses.empty() && operation.accesses.front().kind == AccessKind::kRead;
    });
    const Access write = Touch(AccessKind::kWrite, resource);
    if (work->kind == OperationKind::kAccess) {
      segment.insert(work + 1, Work(SideKind::kThread, {write}));
    } else {
      work->accesses.push_back(write);
    }
    const auto transfer = std::find_if(segment.begin(), segment.end(), [](const Operation& one) {
      return one.kind == OperationKind::kDma;
    });
    if (transfer == segment.end()) {
      segment.push_back(Sync(OperationKind::kCommit, id));
    } else {
      transfer->commits = {id};
    }
  }

  static void GiveEachItsKind(SideKinds& kinds, const std::vector<TaskId>& tasks) {
    for (const TaskId task : tasks) kinds.by_task.emplace_back(task, AnyKind());
  }

  /// The work that a side of that kind waits for: now and then another actor does it.
  static SideKind ActorFor(SideKind kind) {
    if (!OneIn(8)) return kind;
    return kind == SideKind::kMatrix ? SideKind::kThread : SideKind::kMatrix;
  }

  static Segment Produce(PipelineId id, ResourceId resource, SideKind kind) {
    Segment segment = {Sync(OperationKind::kAcquire, id)};
    Operation work =
        Work(kind == SideKind::kDma ? kind : ActorFor(kind), {Touch(AccessKind::kWrite, resource)});
    if (kind == SideKind::kDma) {
      work.commits = {id};
      segment.push_back(std::move(work));
      return segment;
    }
    segment.push_back(std::move(work));
    segment.push_back(Sync(OperationKind::kCommit, id));
    return segment;
  }

  static Segment Consume(PipelineId id, ResourceId resource, SideKind kind) {
    Segment segment = {Sync(OperationKind::kWait, id)};
    Operation work =
        Work(kind == SideKind::kDma ? kind : ActorFor(kind), {Touch(AccessKind::kRead, resource)});
    if (kind == SideKind::kDma) {
      work.releases = {id};
      segment.push_back(std::move(work));
      return segment;
    }
    const bool is_early = OneIn(5);
    if (!is_early) segment.push_back(work);
    if (!OneIn(40)) segment.push_back(Sync(OperationKind::kRelease, id));
    if (is_early) segment.push_back(work);
    return segment;
  }

  /// Memory whose stage the pipeline selects, used behind the wait.
  void AddBorrower(PipelineId id, TaskId task) {
    const std::int64_t stages = system_.pipelines[id].stages;
    const ResourceId borrower = AddMemory("b" + system_.pipelines[id].name, stages);
    Resource& resource = system_.resources[borrower];
    resource.slot_of = id;
    resource.regions.front().size = Units(kGranule);
    resource.regions.front().stage_stride = Units(kGranule);
    Segment& segment = segments_[task.value].back();
    const auto behind =
        static_cast<std::ptrdiff_t>(task::Draw(1, static_cast<std::int64_t>(segment.size()) + 1));
    segment.insert(segment.begin() + behind,
                   Work(SideKind::kThread, {Touch(AccessKind::kUse, borrower)}));
  }

  void AddScratch() {
    const ResourceId scratch = AddMemory("scratch", task::Draw(1, 3));
    system_.resources[scratch].initial = OneIn(2);
    for (std::int64_t n = task::Draw(0, 4); n > 0; --n) {
      const auto kind = static_cast<AccessKind>(task::Draw(0, 3));
      const SideKind actor = kind == AccessKind::kUse || OneIn(2) ? SideKind::kThread : AnyKind();
      const auto task =
          static_cast<std::size_t>(task::Draw(0, static_cast<std::int64_t>(system_.tasks.size())));
      segments_[task].push_back({Work(actor, {Touch(kind, scratch)})});
    }
    if (system_.resources.size() > 1 && OneIn(3))
      system_.resources[scratch].shares.push_back(ResourceId(0));
  }

  /// The segments one after the other or into each other; each keeps its order.
  static std::vector<Operation> Interleaved(std::vector<Segment> segments) {
    std::vector<Operation> body;
    while (!segments.empty()) {
      const auto count = static_cast<std::int64_t>(segments.size());
      const auto pick = OneIn(2) ? static_cast<std::size_t>(task::Draw(0, count)) : std::size_t{0};
      // Mostly in order and in whole segments, so that most systems are live.
      std::size_t take = segments[pick].size();
      if (OneIn(4))
        take = static_cast<std::size_t>(task::Draw(1, static_cast<std::int64_t>(take) + 1));
      for (; take > 0; --take) {
        body.push_back(std::move(segments[pick].front()));
        segments[pick].pop_front();
      }
      if (segments[pick].empty())
        segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    return body;
  }

  /// Neighbours as one operation, where the format has that: one event for several pipelines, one
  /// transfer that releases and commits, matrix work with several operands.
  static std::vector<Operation> Merged(const std::vector<Operation>& body) {
    const auto meet = [](const std::vector<PipelineId>& a, const std::vector<PipelineId>& b) {
      return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
    };
    std::vector<Operation> merged;
    for (const Operation& next : body) {
      if (merged.empty() || merged.back().kind != next.kind ||
          next.kind == OperationKind::kAccess || meet(merged.back().pipelines, next.pipelines) ||
          meet(merged.back().commits, next.commits) ||
          meet(merged.back().releases, next.releases) || OneIn(3)) {
        merged.push_back(next);
        continue;
      }
      Operation& last = merged.back();
      const auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      append(last.pipelines, next.pipelines);
      append(last.commits, next.commits);
      append(last.releases, next.releases);
      append(last.accesses, next.accesses);
      std::stable_sort(last.accesses.begin(), last.accesses.end(),
                       [](const Access& a, const Access& b) { return a.kind < b.kind; });
    }
    return merged;
  }

  const RandomSystemOptions options_;
  PipelineSystem system_;
  std::vector<std::vector<Segment>> segments_;
  std::int64_t next_place_ = 0;
  std::optional<Chain> chain_;
};

}  // namespace

std::int64_t Draw(std::int64_t from, std::int64_t below) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(from, below));
}

PipelineSystem RandomSystem(const RandomSystemOptions& options) { return Drawing(options).Draw(); }

}  // namespace spillway::task
