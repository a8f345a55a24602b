#include "model/alloc/task/system_of_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "model/alloc/task/capacities.h"
#include "model/alloc/task/codes.h"
#include "model/alloc/task/schedule_operations.h"
#include "model/alloc/task/schedule_parts.h"

namespace spillway::task {
namespace {

Error NameTwice(std::string_view what, const std::string& name) {
  return MakeError(Code::kDuplicateName,
                   fmt::format("{} {}: expected a name that no other has, found it twice; reports "
                               "tell them apart by name",
                               what, name));
}

class Builder {
 public:
  Builder(const DeclaredTasks& declared, const SystemOfTasksOptions& options)
      : declared_(declared), options_(options) {}

  Result<PipelineSystem> Build() {
    system_.name = options_.name;
    system_.capacity = DefaultCapacity();
    system_.barriers = BarrierStorage::kNone;
    for (auto step : {&Builder::AddAllocations, &Builder::AddPipelines, &Builder::AddResources,
                      &Builder::AddGraph, &Builder::AddTasks}) {
      if (std::optional<Error> error = (this->*step)()) return Fail(std::move(*error));
    }
    return std::move(system_);
  }

 private:
  std::optional<Error> AddAllocations() {
    const ManagedAllocators& allocators = declared_.allocators;
    if (allocators.smem != nullptr) {
      const Result<Layout> layout = allocators.smem->GetLayout();
      if (!layout) return layout.error();
      AddLayout(*layout);
    }
    if (allocators.tmem != nullptr) {
      const Result<Layout> layout = allocators.tmem->GetLayout();
      if (!layout) return layout.error();
      AddLayout(*layout);
    }
    return std::nullopt;
  }

  void AddLayout(const Layout& layout) {
    Units& capacity = system_.capacity[layout.space];
    // What the author chose not to compare, the system has room for.
    capacity = layout.capacity.value_or(std::max(capacity, layout.total));
    const Partition last(PartitionsOf(layout.space).value);
    for (const LayoutEntry& entry : layout.entries) {
      Allocation allocation;
      allocation.name = entry.name;
      // Each allocator looks after its own names alone.
      if (!allocation_names_.insert(allocation.name).second)
        allocation.name = fmt::format("{}.{}", MemorySpaceName(layout.space), entry.name);
      allocation.space = layout.space;
      allocation.size = entry.size;
      allocation.alignment = entry.alignment;
      allocation.partitions = {Partition(0), last};
      allocation.at = entry.offset;
      places_.emplace(entry.region.get(), system_.allocations.push_back(std::move(allocation)));
    }
  }

  std::optional<Error> AddPipelines() {
    for (const TaskUse& use : declared_.tasks) {
      for (const TaskResource* const resource : ResourcesOf(use)) {
        SPILLWAY_CHECK(resource != nullptr, "a task names resources that are there");
        Collect(*resource);
      }
      for (const TaskOperation* const operation : InOrder(use, 1)) {
        for (const StagedPipeline* const pipeline : PipelinesOf(*operation)) Collect(*pipeline);
      }
    }
    for (const ResourceDependency& edge :
         declared_.graph.value_or(std::vector<ResourceDependency>())) {
      SPILLWAY_CHECK(edge.downstream != nullptr, "an edge names resources that are there");
      Collect(*edge.downstream);
      for (const TaskResource* const upstream : edge.upstream) Collect(*upstream);
    }
    // What shares is found along the way.
    for (std::size_t i = 0; i < resources_.size(); ++i) {
      for (const TaskResource* const other : resources_[i]->Shares()) Collect(*other);
    }
    std::set<std::string> names;
    for (const StagedPipeline* const pipeline : pipelines_) {
      const PipelineOptions& from = pipeline->options();
      if (!names.insert(from.name).second) return NameTwice("pipeline", from.name);
      const Interleaving& strides = from.interleaving;
      for (const std::int64_t stride :
           {strides.acquire, strides.commit, strides.wait, strides.release}) {
        if (stride == 1) continue;
        return MakeError(Code::kPipelineInterleaving,
                         fmt::format("pipeline {}: expected strides of 1, found {}; what has lanes "
                                     "is checked as one pipeline for each lane",
                                     from.name, stride));
      }
      Pipeline to;
      to.name = from.name;
      to.stages = from.stages;
      to.producer.kind = from.producer;
      to.consumer.kind = from.consumer;
      to.producer_arrivals = from.producer_arrivals;
      to.consumer_arrivals = from.consumer_arrivals;
      pipeline_ids_.emplace(pipeline, system_.pipelines.push_back(std::move(to)));
    }
    return std::nullopt;
  }

  void Collect(const StagedPipeline& pipeline) {
    if (std::find(pipelines_.begin(), pipelines_.end(), &pipeline) == pipelines_.end())
      pipelines_.push_back(&pipeline);
  }

  void Collect(const TaskResource& resource) {
    if (std::find(resources_.begin(), resources_.end(), &resource) != resources_.end()) return;
    resources_.push_back(&resource);
    if (const PipelinePointer pipeline = resource.pipeline()) Collect(*pipeline);
    if (const PipelinePointer pipeline = resource.SlotOf()) Collect(*pipeline);
  }

  std::optional<Error> AddResources() {
    std::set<std::string> names;
    for (const TaskResource* const resource : resources_) {
      if (!names.insert(resource->name()).second) return NameTwice("resource", resource->name());
      Resource to;
      to.name = resource->name();
      to.initial = resource->IsInitial();
      if (const PipelinePointer pipeline = resource->pipeline()) {
        to.pipeline = pipeline_ids_.at(pipeline.get());
      } else if (const PipelinePointer slots = resource->SlotOf()) {
        to.slot_of = pipeline_ids_.at(slots.get());
      }
      const auto smem = CachedSmemRequirements(*resource);
      if (!smem) return smem.error();
      if (std::optional<Error> error = AddRegions(*smem, to)) return error;
      const auto tmem = CachedTmemRequirements(*resource);
      if (!tmem) return tmem.error();
      if (std::optional<Error> error = AddRegions(*tmem, to)) return error;
      resource_ids_.emplace(resource, system_.resources.push_back(std::move(to)));
    }
    for (const TaskResource* const resource : resources_) {
      for (const TaskResource* const other : resource->Shares())
        system_.resources[resource_ids_.at(resource)].shares.push_back(resource_ids_.at(other));
    }
    return std::nullopt;
  }

  template <class Space>
  std::optional<Error> AddRegions(const std::vector<RegionHandle<Space>>& regions, Resource& to) {
    const std::optional<PipelineId> ring = to.SlotPipeline();
    for (const RegionHandle<Space>& region : regions) {
      const auto place = places_.find(region.state().get());
      if (place == places_.end()) {
        return MakeError(Code::kResourceUnregistered,
                         fmt::format("resource {}: allocation {}: expected it in the layout of the "
                                     "{} allocator, which doesn't know it; add it before the "
                                     "layout",
                                     to.name, region.name(), MemorySpaceName(Space::kSpace)));
      }
      const Units size(region.size().value);
      const std::int64_t stages = ring ? system_.pipelines[*ring].stages : 1;
      if (size.value % stages != 0) {
        return MakeError(
            Code::kRegionStages,
            fmt::format("resource {}: allocation {}: expected a size that its {} "
                        "stages divide, found {} {}",
                        to.name, region.name(), stages, size.value, UnitName(Space::kSpace)));
      }
      const Units stage(size.value / stages);
      to.regions.push_back({place->second, Units(0), stage, ring ? stage : Units(0)});
    }
    return std::nullopt;
  }

  std::optional<Error> AddGraph() {
    if (!declared_.graph) return std::nullopt;
    std::vector<Dependency>& graph = system_.graph.emplace();
    for (const ResourceDependency& edge : *declared_.graph) {
      Dependency& to = graph.emplace_back();
      to.downstream = resource_ids_.at(edge.downstream);
      for (const TaskResource* const upstream : edge.upstream)
        to.upstream.push_back(resource_ids_.at(upstream));
    }
    return std::nullopt;
  }

  std::optional<Error> AddTasks() {
    const SystemIds ids{
        [&](const TaskResource& resource) { return resource_ids_.at(&resource); },
        [&](const StagedPipeline& pipeline) { return pipeline_ids_.at(&pipeline); }};
    std::set<std::string> names;
    for (const TaskUse& use : declared_.tasks) {
      if (!names.insert(use.task).second) return NameTwice("task", use.task);
      Task task;
      task.name = use.task;
      const TaskSchedule& schedule = use.schedule;
      const std::int64_t trips = schedule.iterations.value_or(options_.iterations);
      if (trips < 0) {
        return MakeError(Code::kLimit, fmt::format("task {}: expected 0 or more iterations of its "
                                                   "loop, found {}",
                                                   use.task, trips));
      }
      for (const auto* part : {&schedule.head, &schedule.loop, &schedule.tail}) {
        Result<std::vector<Operation>> operations = OperationsOf(system_, ids, use.task, *part);
        if (!operations) return std::move(operations.error());
        if (part == &schedule.loop) {
          if (operations->empty()) continue;
          Operation loop;
          loop.kind = OperationKind::kLoop;
          loop.trips = trips;
          loop.body = std::move(*operations);
          task.operations.push_back(std::move(loop));
          continue;
        }
        for (Operation& operation : *operations) task.operations.push_back(std::move(operation));
      }
      system_.tasks.push_back(std::move(task));
    }
    return std::nullopt;
  }

  const DeclaredTasks& declared_;
  const SystemOfTasksOptions& options_;
  PipelineSystem system_;
  std::set<std::string> allocation_names_;
  std::vector<const StagedPipeline*> pipelines_;  ///< each once, as tasks name them
  std::vector<const TaskResource*> resources_;    ///< each once, as tasks name them
  // For look-up only.
  std::map<const RegionState*, AllocationId> places_;
  std::map<const StagedPipeline*, PipelineId> pipeline_ids_;
  std::map<const TaskResource*, ResourceId> resource_ids_;
};

}  // namespace

Result<PipelineSystem> SystemOfTasks(const DeclaredTasks& declared,
                                     const SystemOfTasksOptions& options) {
  return Builder(declared, options).Build();
}

}  // namespace spillway::task
