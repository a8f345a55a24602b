// Pipelines, resources and the graph of pipeline files.
#include <fmt/format.h>

#include "traces/decode_pipeline.h"

namespace spillway {

using task::Code;
using task::PipelineId;
using task::ResourceId;
using task::SideKinds;
using task::Units;

namespace {

constexpr std::int64_t kMaxStages = 64;  // of the format: ts_pipelines.md §15
constexpr std::string_view kKindWords = "thread, dma or matrix";

task::SideKind DecodeKind(const Node& node, Decoder& decoder) {
  const std::string_view text = decoder.String(node);
  if (!decoder.ok()) return {};
  const std::optional<task::SideKind> kind = task::ParseSideKind(text);
  if (!kind) Refuse(decoder, Code::kUnknownName, node, kKindWords, Decoder::Quoted(text));
  return kind.value_or(task::SideKind::kThread);
}

SideKinds DecodeKinds(const Node& node, Decoder& decoder, const PipelineNames& names) {
  SideKinds kinds;
  if (!decoder.ok()) return kinds;
  if (!node.present() || node.value->type != JsonType::kObject) {
    kinds.kind = DecodeKind(node, decoder);
    return kinds;
  }
  if (node.size() == 0)
    Refuse(decoder, Code::kSyntax, node, "the kind of at least one task", "an empty object");
  for (std::size_t i = 0; i < node.size() && decoder.ok(); ++i) {
    const Node item = node.Item(i);
    const task::TaskId* const id = names.tasks.Find(item.key);
    if (id == nullptr) {
      Refuse(decoder, Code::kUnknownName, item, "the name of a task", Decoder::Quoted(item.key));
      break;
    }
    kinds.by_task.emplace_back(*id, DecodeKind(item, decoder));
  }
  return kinds;
}

/// One region of a resource whose ring has `stages`; 0: it has no slot number.
task::ResourceRegion DecodeRegion(const Node& node, Decoder& decoder, const PipelineNames& names,
                                  const task::PipelineSystem& system, std::int64_t stages) {
  if (!decoder.Fields(node, {"allocation"}, {"offset", "size", "stage_stride"})) return {};
  task::ResourceRegion region;
  region.allocation =
      Reference(node.Member("allocation"), decoder, names.allocations, "the name of an allocation");
  if (!decoder.ok()) return {};
  const task::Allocation& allocation = system.allocations[region.allocation];
  const Node offset = node.Member("offset");
  const Node size = node.Member("size");
  const Node stride = node.Member("stage_stride");
  if (offset.present()) region.offset = Units(decoder.Integer(offset, 0, kMaxBytes));
  if (size.present()) region.size = Units(decoder.Integer(size, 1, kMaxBytes));
  if (stride.present()) region.stage_stride = Units(decoder.Integer(stride, 0, kMaxBytes));
  if (!decoder.ok()) return {};
  const Units rest = allocation.size - region.offset;
  const std::string inside = fmt::format("a range inside the {} units of allocation {}",
                                         allocation.size.value, allocation.name);
  if (rest < Units(1)) {
    Refuse(decoder, Code::kRegionRange, offset, inside, Decoder::Found(offset));
    return {};
  }
  if (stages == 0 && stride.present()) {
    Refuse(decoder, Code::kRegionStages, stride, "no stride without a slot number",
           Decoder::Found(stride));
  }
  if (stages > 0 && !stride.present()) {
    if (rest.value % stages != 0) {
      Refuse(decoder, Code::kRegionStages, node,
             fmt::format("a size that {} stages divide, or the key stage_stride", stages),
             fmt::format("{} units of allocation {}", rest.value, allocation.name));
    }
    region.stage_stride = Units(rest.value / stages);
  }
  if (!size.present()) region.size = region.stage_stride > Units(0) ? region.stage_stride : rest;
  const Units last = region.offset + (stages > 0 ? stages - 1 : 0) * region.stage_stride;
  if (last + region.size > allocation.size) {
    Refuse(decoder, Code::kRegionRange, node, inside,
           fmt::format("units [{}, {}){}", last.value, (last + region.size).value,
                       stages > 1 ? fmt::format(" at stage {}", stages - 1) : ""));
  }
  return region;
}

}  // namespace

task::Pipeline DecodePipeline(const Node& node, Decoder& decoder, const PipelineNames& names) {
  if (!decoder.Fields(node, {"name", "stages", "producer", "consumer"}, {"arrivals"})) return {};
  task::Pipeline pipeline;
  pipeline.name = decoder.String(node.Member("name"));
  const Node stages = node.Member("stages");
  pipeline.stages = decoder.Integer(stages, 1, kMaxIndex);
  if (pipeline.stages > kMaxStages) {
    Refuse(decoder, Code::kLimit, stages, fmt::format("at most {} stages", kMaxStages),
           Decoder::Found(stages));
  }
  pipeline.producer = DecodeKinds(node.Member("producer"), decoder, names);
  pipeline.consumer = DecodeKinds(node.Member("consumer"), decoder, names);
  if (const Node arrivals = node.Member("arrivals"); arrivals.present()) {
    if (!decoder.IsListOf(arrivals, 2)) return {};
    pipeline.producer_arrivals = decoder.Integer(arrivals.Item(0), 1, kMaxIndex);
    pipeline.consumer_arrivals = decoder.Integer(arrivals.Item(1), 1, kMaxIndex);
  }
  return pipeline;
}

task::Resource DecodeResource(const Node& node, Decoder& decoder, const PipelineNames& names,
                              const task::PipelineSystem& system) {
  if (!decoder.Fields(node, {"name", "regions"}, {"pipeline", "slot_of", "shares", "initial"}))
    return {};
  task::Resource resource;
  resource.name = decoder.String(node.Member("name"));
  const Node pipeline = node.Member("pipeline");
  const Node slot_of = node.Member("slot_of");
  if (pipeline.present() && slot_of.present()) {
    Refuse(decoder, Code::kSyntax, slot_of, "either pipeline or slot_of", "both");
  }
  if (pipeline.present())
    resource.pipeline = Reference(pipeline, decoder, names.pipelines, "the name of a pipeline");
  if (slot_of.present())
    resource.slot_of = Reference(slot_of, decoder, names.pipelines, "the name of a pipeline");
  const Node regions = node.Member("regions");
  if (!decoder.Is(regions, JsonType::kList)) return {};
  const std::optional<PipelineId> ring = resource.SlotPipeline();
  const std::int64_t stages = ring ? system.pipelines[*ring].stages : 0;
  for (std::size_t i = 0; i < regions.size() && decoder.ok(); ++i)
    resource.regions.push_back(DecodeRegion(regions.Item(i), decoder, names, system, stages));
  if (const Node shares = node.Member("shares"); shares.present()) {
    resource.shares =
        DistinctReferences(shares, decoder, names.resources, "the name of a resource");
  }
  if (const Node initial = node.Member("initial"); initial.present())
    resource.initial = decoder.Is(initial, JsonType::kBool) && initial.value->boolean;
  return resource;
}

std::vector<task::Dependency> DecodeGraph(const Node& node, Decoder& decoder,
                                          const PipelineNames& names) {
  std::vector<task::Dependency> graph;
  if (!decoder.Is(node, JsonType::kObject)) return graph;
  for (std::size_t i = 0; i < node.size() && decoder.ok(); ++i) {
    const Node item = node.Item(i);
    const ResourceId* const downstream = names.resources.Find(item.key);
    if (downstream == nullptr) {
      Refuse(decoder, Code::kUnknownName, item, "the name of a resource",
             Decoder::Quoted(item.key));
      break;
    }
    graph.push_back({*downstream,
                     DistinctReferences(item, decoder, names.resources, "the name of a resource")});
  }
  return graph;
}

}  // namespace spillway
