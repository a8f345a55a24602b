// A pipeline file as its author would declare it in C++: resources, allocators and schedules.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/alloc/task/declared_tasks.h"
#include "model/alloc/task/lay_out_system.h"
#include "tests/unit/task/small_resources.h"

namespace spillway::task {

/// A resource of a file.
class FileResource : public TaskResource {
 public:
  explicit FileResource(std::string name) : name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  std::vector<RegionHandle<Smem>> SmemRequirements() const override { return smem; }
  std::vector<RegionHandle<Tmem>> TmemRequirements() const override { return tmem; }
  PipelinePointer pipeline() const override { return ring; }
  PipelinePointer SlotOf() const override { return slots; }
  std::vector<const TaskResource*> Shares() const override { return shares; }
  bool IsInitial() const override { return initial; }

  std::vector<RegionHandle<Smem>> smem;
  std::vector<RegionHandle<Tmem>> tmem;
  PipelinePointer ring;
  PipelinePointer slots;
  std::vector<const TaskResource*> shares;
  bool initial = false;

 private:
  std::string name_;
};

class DeclaredExample {
 public:
  explicit DeclaredExample(const PipelineSystem& system) : system_(system) {
    AddAllocations();
    for (const Pipeline& pipeline : system_.pipelines) {
      if (!pipeline.producer.by_task.empty() || !pipeline.consumer.by_task.empty())
        Refuse("kinds by task");
      PipelineOptions options;
      options.name = pipeline.name;
      options.stages = pipeline.stages;
      options.producer = pipeline.producer.kind;
      options.consumer = pipeline.consumer.kind;
      options.producer_arrivals = pipeline.producer_arrivals;
      options.consumer_arrivals = pipeline.consumer_arrivals;
      rings_.push_back(StagedPipeline::Create(std::move(options)).value());
    }
    AddResources();
    for (const Task& task : system_.tasks) AddTask(task);
    if (system_.graph) AddGraph();
    if (!why_not_) LayOut();
  }

  /// Nothing, or what the file has and the C++ surface hasn't.
  const std::optional<std::string>& why_not() const { return why_not_; }
  const DeclaredTasks& declared() const { return declared_; }

 private:
  void Refuse(const std::string& what) {
    if (!why_not_) why_not_ = what;
  }

  void AddAllocations() {
    for (const Allocation& allocation : system_.allocations) {
      smem_of_.emplace_back();
      tmem_of_.emplace_back();
      if (allocation.space == MemorySpace::kSmem) {
        smem_regions_.push_back(
            SmemRegion(allocation.name, allocation.size.value, allocation.alignment));
        smem_of_.back() = smem_regions_.back().handle();
      } else if (allocation.space == MemorySpace::kTmem) {
        tmem_regions_.push_back(TmemRegion(allocation.name, allocation.size.value));
        tmem_of_.back() = tmem_regions_.back().handle();
      } else {
        Refuse("memory of a NeuronCore");
      }
    }
  }

  void AddResources() {
    for (const Resource& from : system_.resources) {
      resources_.push_back(std::make_unique<FileResource>(from.name));
      FileResource& to = *resources_.back();
      to.initial = from.initial;
      if (from.pipeline) {
        to.ring = rings_[from.pipeline->value];
        resource_of_[*from.pipeline] = &to;
      }
      if (from.slot_of) to.slots = rings_[from.slot_of->value];
      for (const ResourceRegion& region : from.regions) {
        const Units whole = system_.allocations[region.allocation].size;
        const auto ring = from.SlotPipeline();
        const std::int64_t stages = ring ? system_.pipelines[*ring].stages : 1;
        if (region.offset != Units(0) || stages * region.size.value != whole.value)
          Refuse("a part of an allocation");
        if (const auto& handle = smem_of_[region.allocation.value]) to.smem.push_back(*handle);
        if (const auto& handle = tmem_of_[region.allocation.value]) to.tmem.push_back(*handle);
      }
    }
    for (std::size_t i = 0; i < system_.resources.size(); ++i) {
      for (const ResourceId id : system_.resources[ResourceId(i)].shares)
        resources_[i]->shares.push_back(resources_[id.value].get());
    }
    for (std::size_t p = 0; p < rings_.size(); ++p) {
      const PipelineId id(p);
      if (resource_of_.contains(id)) continue;
      // What only orders is a resource without memory.
      resources_.push_back(std::make_unique<FileResource>(rings_[p]->name() + "_order"));
      resources_.back()->ring = rings_[p];
      resource_of_[id] = resources_.back().get();
    }
  }

  void AddTask(const Task& task) {
    TaskUse use;
    use.task = task.name;
    bool has_loop = false;
    for (const Operation& operation : task.operations) {
      if (operation.kind != OperationKind::kLoop) {
        Add(operation, has_loop ? use.schedule.tail : use.schedule.head);
        continue;
      }
      if (has_loop) Refuse("two loops");
      has_loop = true;
      use.schedule.iterations = operation.trips;
      for (const Operation& inner : operation.body) {
        if (inner.kind == OperationKind::kLoop) Refuse("nested loops");
        Add(inner, use.schedule.loop);
      }
    }
    declared_.tasks.push_back(std::move(use));
  }

  static SideKind ActorOf(OperationKind kind) {
    if (kind == OperationKind::kDma) return SideKind::kDma;
    return kind == OperationKind::kMatrix ? SideKind::kMatrix : SideKind::kThread;
  }

  void Add(const Operation& from, std::vector<TaskOperation>& to) {
    const auto sync = [&](TaskVerb verb, const std::vector<PipelineId>& pipelines) {
      if (pipelines.size() == 1) {
        to.push_back({verb, resource_of_.at(pipelines.front()), {}, {}, {}});
      } else if (!pipelines.empty()) {
        to.push_back({verb, &GroupOf(verb, pipelines), {}, {}, {}});
      }
    };
    switch (from.kind) {
      case OperationKind::kAcquire: return sync(TaskVerb::kAcquire, from.pipelines);
      case OperationKind::kCommit: return sync(TaskVerb::kCommit, from.pipelines);
      case OperationKind::kWait: return sync(TaskVerb::kWait, from.pipelines);
      case OperationKind::kRelease: return sync(TaskVerb::kRelease, from.pipelines);
      default: break;
    }
    for (const Access& access : from.accesses) {
      if (access.side != DefaultSide(access.kind)) Refuse("a side of its own");
      const FileResource* const resource = resources_[access.resource.value].get();
      TaskOperation work{access.kind == AccessKind::kRead    ? TaskVerb::kRead
                         : access.kind == AccessKind::kWrite ? TaskVerb::kWrite
                                                             : TaskVerb::kUse,
                         resource,
                         {},
                         {},
                         {}};
      SideKind usual = SideKind::kThread;
      if (resource->ring && access.kind != AccessKind::kUse) {
        const PipelineOptions& options = resource->ring->options();
        usual = access.side == Side::kProducer ? options.producer : options.consumer;
      }
      // Only what the pipeline's kind doesn't say.
      if (usual != ActorOf(from.kind)) work.by = ActorOf(from.kind);
      to.push_back(std::move(work));
    }
    sync(TaskVerb::kCommit, from.commits);
    sync(TaskVerb::kRelease, from.releases);
  }

  const PipelineGroup& GroupOf(TaskVerb verb, const std::vector<PipelineId>& pipelines) {
    auto& group = groups_[pipelines];
    if (!group) {
      std::vector<PipelinePointer> members;
      for (const PipelineId id : pipelines) members.push_back(rings_[id.value]);
      group = std::make_unique<PipelineGroup>(
          PipelineGroup::Create("group" + std::to_string(groups_.size()),
                                verb == TaskVerb::kCommit ? GroupMode::kFork : GroupMode::kMerge,
                                std::move(members))
              .value());
    }
    return *group;
  }

  void AddGraph() {
    declared_.graph.emplace();
    for (const Dependency& edge : *system_.graph) {
      ResourceDependency& to = declared_.graph->emplace_back();
      to.downstream = resources_[edge.downstream.value].get();
      for (const ResourceId id : edge.upstream) to.upstream.push_back(resources_[id.value].get());
    }
  }

  void LayOut() {
    for (const AliasGroup& group : system_.alias_groups) {
      AliasPhases<Smem> smem;
      AliasPhases<Tmem> tmem;
      for (const std::vector<AllocationId>& phase : group.phases) {
        smem.emplace_back();
        tmem.emplace_back();
        for (const AllocationId id : phase) {
          if (smem_of_[id.value]) smem.back().push_back(*smem_of_[id.value]);
          if (tmem_of_[id.value]) tmem.back().push_back(*tmem_of_[id.value]);
        }
      }
      const bool in_smem = !smem.front().empty();
      EXPECT_EQ(CodeOf(in_smem ? smem_.AddAliasGroup(smem) : tmem_.AddAliasGroup(tmem)), "");
    }
    const bool is_coalesced = system_.barriers == BarrierStorage::kCoalesced;
    for (const auto& resource : resources_) {
      EXPECT_EQ(CodeOf(smem_.AddResource(*resource, !is_coalesced)), "");
      EXPECT_EQ(CodeOf(tmem_.AddResource(*resource)), "");
      if (is_coalesced && resource->ring) {
        EXPECT_EQ(CodeOf(barriers_.AddResource(*resource)), "");
      }
    }
    if (is_coalesced) {
      EXPECT_EQ(CodeOf(barriers_.ComputeLayout()), "");
      EXPECT_EQ(CodeOf(barriers_.SetBacking(smem_)), "");
    }
    EXPECT_EQ(CodeOf(smem_.ComputeLayout()), "");
    EXPECT_EQ(CodeOf(tmem_.ComputeLayout()), "");
    declared_.allocators = {&smem_, &tmem_, is_coalesced ? &barriers_ : nullptr};
    const SystemLayout wanted = LayOutSystem(system_).value();
    for (std::size_t i = 0; i < system_.allocations.size(); ++i) {
      const std::int64_t offset =
          smem_of_[i] ? smem_of_[i]->offset()->value : tmem_of_[i]->offset()->value;
      if (wanted.offsets[AllocationId(i)].value != offset) Refuse("fixed places");
    }
  }

  PipelineSystem system_;
  std::optional<std::string> why_not_;
  std::vector<Region<Smem>> smem_regions_;
  std::vector<Region<Tmem>> tmem_regions_;
  std::vector<std::optional<RegionHandle<Smem>>> smem_of_;
  std::vector<std::optional<RegionHandle<Tmem>>> tmem_of_;
  std::vector<PipelinePointer> rings_;
  std::vector<std::unique_ptr<FileResource>> resources_;
  std::map<PipelineId, const FileResource*> resource_of_;
  std::map<std::vector<PipelineId>, std::unique_ptr<PipelineGroup>> groups_;
  SmemAllocator smem_;
  TmemAllocator tmem_;
  BarrierAllocator barriers_;
  DeclaredTasks declared_;
};

}  // namespace spillway::task
