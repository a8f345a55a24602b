#include "sim/bench/pipeline_systems.h"

#include <fmt/format.h>

#include <utility>

#include "model/alloc/task/capacities.h"

namespace spillway {
namespace {

using task::Access;
using task::AccessKind;
using task::Operation;
using task::OperationKind;

task::PipelineSystem Named(std::string name) {
  task::PipelineSystem system;
  system.name = std::move(name);
  system.capacity = task::DefaultCapacity();
  return system;
}

task::AllocationId AddMemory(task::PipelineSystem& system, const std::string& name,
                             task::MemorySpace space, std::int64_t size) {
  task::Allocation allocation;
  allocation.name = name;
  allocation.space = space;
  allocation.size = task::Units(size);
  allocation.alignment = task::DefaultAlignment(space);
  allocation.partitions = {Partition(0), Partition(task::PartitionsOf(space).value)};
  return system.allocations.push_back(std::move(allocation));
}

task::PipelineId AddPipeline(task::PipelineSystem& system, const std::string& name,
                             std::int64_t stages, task::SideKind producer,
                             task::SideKind consumer) {
  task::Pipeline pipeline;
  pipeline.name = name;
  pipeline.stages = stages;
  pipeline.producer.kind = producer;
  pipeline.consumer.kind = consumer;
  return system.pipelines.push_back(std::move(pipeline));
}

/// A resource over a whole allocation, in as many parts as `pipeline` has stages.
task::ResourceId AddResource(task::PipelineSystem& system, const std::string& name,
                             task::AllocationId memory, std::optional<task::PipelineId> pipeline) {
  task::Resource resource;
  resource.name = name;
  resource.pipeline = pipeline;
  const std::int64_t size = system.allocations[memory].size.value;
  const std::int64_t stages = pipeline ? system.pipelines[*pipeline].stages : 1;
  resource.regions.push_back({memory, task::Units(0), task::Units(size / stages),
                              task::Units(pipeline ? size / stages : 0)});
  return system.resources.push_back(std::move(resource));
}

Operation Sync(OperationKind kind, task::PipelineId pipeline) {
  Operation operation;
  operation.kind = kind;
  operation.pipelines = {pipeline};
  return operation;
}

Access Touch(AccessKind kind, task::ResourceId resource) {
  return {kind, resource, task::DefaultSide(kind)};
}

Operation Touches(OperationKind kind, std::vector<Access> accesses) {
  Operation operation;
  operation.kind = kind;
  operation.accesses = std::move(accesses);
  return operation;
}

Operation Loop(std::int64_t trips, std::vector<Operation> body) {
  Operation operation;
  operation.kind = OperationKind::kLoop;
  operation.trips = trips;
  operation.body = std::move(body);
  return operation;
}

}  // namespace

task::PipelineSystem MainLoopSystem(std::int64_t k, std::int64_t stages) {
  constexpr std::int64_t kStageBytes = 8192;
  constexpr std::int64_t kAccumulatorColumns = 128;
  task::PipelineSystem system = Named(fmt::format("main_loop_{}", k));
  const auto ab_memory = AddMemory(system, "ab", task::MemorySpace::kSmem, stages * kStageBytes);
  const auto stg_memory = AddMemory(system, "stg", task::MemorySpace::kSmem, kStageBytes);
  const auto acc_memory = AddMemory(system, "acc", task::MemorySpace::kTmem, kAccumulatorColumns);
  system.alias_groups = {{{{ab_memory}, {stg_memory}}}};
  const auto ab = AddPipeline(system, "ab", stages, task::SideKind::kDma, task::SideKind::kMatrix);
  const auto acc = AddPipeline(system, "acc", 1, task::SideKind::kMatrix, task::SideKind::kThread);
  const auto ab_data = AddResource(system, "ab", ab_memory, ab);
  const auto stg_data = AddResource(system, "stg", stg_memory, std::nullopt);
  const auto acc_data = AddResource(system, "acc", acc_memory, acc);
  system.graph = {{{acc_data, {ab_data}}, {stg_data, {acc_data}}}};

  Operation load = Touches(OperationKind::kDma, {Touch(AccessKind::kWrite, ab_data)});
  load.commits = {ab};
  system.tasks.push_back({"Load", {Loop(k, {Sync(OperationKind::kAcquire, ab), load})}});
  const Operation multiply = Touches(OperationKind::kMatrix, {Touch(AccessKind::kRead, ab_data),
                                                              Touch(AccessKind::kWrite, acc_data)});
  system.tasks.push_back(
      {"Mma",
       {Sync(OperationKind::kAcquire, acc),
        Loop(k, {Sync(OperationKind::kWait, ab), multiply, Sync(OperationKind::kRelease, ab)}),
        Sync(OperationKind::kCommit, acc)}});
  system.tasks.push_back({"Store",
                          {Sync(OperationKind::kWait, acc),
                           Touches(OperationKind::kAccess, {Touch(AccessKind::kRead, acc_data)}),
                           Sync(OperationKind::kRelease, acc),
                           Touches(OperationKind::kAccess, {Touch(AccessKind::kUse, stg_data)}),
                           Touches(OperationKind::kAccess, {Touch(AccessKind::kRead, stg_data)})}});
  return system;
}

task::PipelineSystem IndependentPairs(std::int64_t pairs, std::int64_t iterations) {
  constexpr std::int64_t kStages = 2;
  constexpr std::int64_t kStageBytes = 64;
  task::PipelineSystem system = Named(fmt::format("pairs_{}_{}", pairs, iterations));
  for (std::int64_t i = 0; i < pairs; ++i) {
    const auto memory =
        AddMemory(system, fmt::format("m{}", i), task::MemorySpace::kSmem, kStages * kStageBytes);
    const auto ring = AddPipeline(system, fmt::format("p{}", i), kStages, task::SideKind::kThread,
                                  task::SideKind::kThread);
    const auto data = AddResource(system, fmt::format("r{}", i), memory, ring);
    system.tasks.push_back(
        {fmt::format("A{}", i),
         {Loop(iterations, {Sync(OperationKind::kAcquire, ring),
                            Touches(OperationKind::kAccess, {Touch(AccessKind::kWrite, data)}),
                            Sync(OperationKind::kCommit, ring)})}});
    system.tasks.push_back(
        {fmt::format("B{}", i),
         {Loop(iterations, {Sync(OperationKind::kWait, ring),
                            Touches(OperationKind::kAccess, {Touch(AccessKind::kRead, data)}),
                            Sync(OperationKind::kRelease, ring)})}});
  }
  return system;
}

}  // namespace spillway
