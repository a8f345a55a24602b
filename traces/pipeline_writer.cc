#include "traces/pipeline_writer.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "model/alloc/task/capacities.h"
#include "traces/json_print.h"

namespace spillway {

using task::AccessKind;
using task::Operation;
using task::OperationKind;
using task::PipelineSystem;
using task::Units;

namespace {

/// "[a, b, c]" of what `print` makes of each item.
template <class List, class Print>
std::string JsonList(const List& list, const Print& print) {
  std::string text;
  for (const auto& item : list) text += fmt::format("{}{}", text.empty() ? "" : ", ", print(item));
  return "[" + text + "]";
}

class Printer {
 public:
  explicit Printer(const PipelineSystem& system) : system_(system) {}

  std::string File() const {
    std::string text =
        fmt::format("{{\n  \"system\": {},\n  \"version\": 1", JsonString(system_.name));
    if (system_.note) text += ",\n  \"note\": " + JsonString(*system_.note);
    if (const std::string capacity = Capacity(); !capacity.empty())
      text += fmt::format(",\n  \"capacity\": {{{}}}", capacity);
    if (system_.barriers != task::BarrierStorage::kOwn)
      text += fmt::format(",\n  \"barriers\": \"{}\"", BarrierStorageName(system_.barriers));
    text += Section("allocations", system_.allocations, [&](const auto& a) { return Of(a); });
    text += Section("alias_groups", system_.alias_groups, [&](const auto& g) { return Of(g); });
    text += Section("pipelines", system_.pipelines, [&](const auto& p) { return Of(p); });
    text += Section("resources", system_.resources, [&](const auto& r) { return Of(r); });
    if (system_.graph) {
      std::string graph;
      for (const task::Dependency& dependency : *system_.graph) {
        graph += fmt::format("{}\"{}\": {}", graph.empty() ? "" : ", ",
                             system_.resources[dependency.downstream].name,
                             JsonList(dependency.upstream, [&](auto id) { return Name(id); }));
      }
      text += fmt::format(",\n  \"graph\": {{{}}}", graph);
    }
    text += ",\n  \"tasks\": [";
    bool first = true;
    for (const task::Task& task : system_.tasks) {
      text += fmt::format("{}\n    {{\"name\": \"{}\", \"ops\": {}}}", first ? "" : ",", task.name,
                          Operations(task.operations, 6));
      first = false;
    }
    return text + "]\n}\n";
  }

 private:
  template <class List, class Print>
  static std::string Section(std::string_view key, const List& list, const Print& print) {
    std::string text;
    for (const auto& item : list)
      text += fmt::format("{}\n    {}", text.empty() ? "" : ",", print(item));
    return text.empty() ? text : fmt::format(",\n  \"{}\": [{}]", key, text);
  }

  std::string Name(task::AllocationId id) const { return Quoted(system_.allocations[id].name); }
  std::string Name(task::PipelineId id) const { return Quoted(system_.pipelines[id].name); }
  std::string Name(task::ResourceId id) const { return Quoted(system_.resources[id].name); }
  static std::string Quoted(std::string_view name) { return fmt::format("\"{}\"", name); }

  std::string Capacity() const {
    const task::PerSpace<Units> usual = task::DefaultCapacity();
    std::string text;
    for (const task::MemorySpace space : task::kMemorySpaces) {
      if (system_.capacity[space] == usual[space]) continue;
      text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", MemorySpaceName(space),
                          system_.capacity[space].value);
    }
    return text;
  }

  static std::string Of(const task::Allocation& allocation) {
    std::string text =
        fmt::format("{{\"name\": \"{}\", \"space\": \"{}\", \"size\": {}", allocation.name,
                    MemorySpaceName(allocation.space), allocation.size.value);
    if (allocation.alignment != task::DefaultAlignment(allocation.space))
      text += fmt::format(", \"align\": {}", allocation.alignment);
    const Interval<Partition>& partitions = allocation.partitions;
    if (partitions.begin != Partition(0) ||
        partitions.end - Partition(0) != task::PartitionsOf(allocation.space)) {
      text += fmt::format(", \"partitions\": [{}, {}]", partitions.begin.value,
                          (partitions.end - partitions.begin).value);
    }
    if (allocation.at) text += fmt::format(", \"at\": {}", allocation.at->value);
    return text + "}";
  }

  std::string Of(const task::AliasGroup& group) const {
    const auto phase = [&](const auto& members) {
      return JsonList(members, [&](task::AllocationId id) { return Name(id); });
    };
    return fmt::format("{{\"phases\": {}}}", JsonList(group.phases, phase));
  }

  std::string Of(const task::SideKinds& kinds) const {
    if (kinds.by_task.empty()) return Quoted(SideKindName(kinds.kind));
    std::string text;
    for (const auto& [id, kind] : kinds.by_task) {
      text += fmt::format("{}\"{}\": \"{}\"", text.empty() ? "" : ", ", system_.tasks[id].name,
                          SideKindName(kind));
    }
    return "{" + text + "}";
  }

  std::string Of(const task::Pipeline& pipeline) const {
    std::string text =
        fmt::format("{{\"name\": \"{}\", \"stages\": {}, \"producer\": {}, \"consumer\": {}",
                    pipeline.name, pipeline.stages, Of(pipeline.producer), Of(pipeline.consumer));
    if (pipeline.producer_arrivals != 1 || pipeline.consumer_arrivals != 1) {
      text += fmt::format(", \"arrivals\": [{}, {}]", pipeline.producer_arrivals,
                          pipeline.consumer_arrivals);
    }
    return text + "}";
  }

  std::string Of(const task::Resource& resource) const {
    std::string text = fmt::format(
        "{{\"name\": \"{}\", \"regions\": {}", resource.name,
        JsonList(resource.regions, [&](const auto& region) { return Of(region, resource); }));
    if (resource.pipeline) text += ", \"pipeline\": " + Name(*resource.pipeline);
    if (resource.slot_of) text += ", \"slot_of\": " + Name(*resource.slot_of);
    if (!resource.shares.empty())
      text += ", \"shares\": " + JsonList(resource.shares, [&](auto id) { return Name(id); });
    if (resource.initial) text += ", \"initial\": true";
    return text + "}";
  }

  std::string Of(const task::ResourceRegion& region, const task::Resource& resource) const {
    std::string text = fmt::format("{{\"allocation\": {}", Name(region.allocation));
    const Units rest = system_.allocations[region.allocation].size - region.offset;
    const auto ring = resource.SlotPipeline();
    const std::int64_t stages = ring ? system_.pipelines[*ring].stages : 1;
    const Units size = region.stage_stride > Units(0) ? region.stage_stride : rest;
    if (region.offset != Units(0)) text += fmt::format(", \"offset\": {}", region.offset.value);
    if (region.size != size) text += fmt::format(", \"size\": {}", region.size.value);
    if (ring && region.stage_stride * stages != rest)
      text += fmt::format(", \"stage_stride\": {}", region.stage_stride.value);
    return text + "}";
  }

  std::string Operations(const std::vector<Operation>& operations, int indent) const {
    std::string text;
    for (const Operation& operation : operations) {
      text +=
          fmt::format("{}\n{:{}}{}", text.empty() ? "" : ",", "", indent, Of(operation, indent));
    }
    return "[" + text + "]";
  }

  std::string Of(const Operation& operation, int indent) const {
    switch (operation.kind) {
      case OperationKind::kLoop:
        return fmt::format("{{\"loop\": {}, \"ops\": {}}}", operation.trips,
                           Operations(operation.body, indent + 2));
      case OperationKind::kAccess: return OneAccess(operation.accesses.front());
      case OperationKind::kDma:
      case OperationKind::kMatrix:
        return fmt::format("{{\"{}\": {{{}}}}}", OperationKindName(operation.kind),
                           Asynchronous(operation));
      default: break;
    }
    const std::vector<task::PipelineId>& pipelines = operation.pipelines;
    return fmt::format("{{\"{}\": {}}}", OperationKindName(operation.kind),
                       pipelines.size() == 1 ? Name(pipelines.front()) : Names(pipelines));
  }

  std::string Names(const std::vector<task::PipelineId>& pipelines) const {
    return JsonList(pipelines, [&](task::PipelineId id) { return Name(id); });
  }

  static bool HasOwnSide(const task::Access& access) {
    return access.side != task::DefaultSide(access.kind);
  }

  std::string OneAccess(const task::Access& access) const {
    std::string text =
        fmt::format("{{\"{}\": {}", AccessKindName(access.kind), Name(access.resource));
    if (HasOwnSide(access)) text += fmt::format(", \"side\": \"{}\"", SideName(access.side));
    return text + "}";
  }

  std::string Asynchronous(const Operation& operation) const {
    std::string text;
    const auto add = [&](std::string_view key, const std::string& list) {
      text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", key, list);
    };
    for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
      std::vector<task::Access> accesses;
      for (const task::Access& access : operation.accesses) {
        if (access.kind == kind) accesses.push_back(access);
      }
      if (accesses.empty()) continue;
      add(AccessKindName(kind), JsonList(accesses, [&](const task::Access& access) {
            if (!HasOwnSide(access)) return Name(access.resource);
            return fmt::format("{{\"resource\": {}, \"side\": \"{}\"}}", Name(access.resource),
                               SideName(access.side));
          }));
    }
    if (!operation.commits.empty()) add("commit", Names(operation.commits));
    if (!operation.releases.empty()) add("release", Names(operation.releases));
    return text;
  }

  const PipelineSystem& system_;
};

}  // namespace

std::string PrintPipelineFile(const PipelineSystem& system) { return Printer(system).File(); }

}  // namespace spillway
