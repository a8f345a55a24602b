#include "sim/tool/pipeline_boxes.h"

#include <algorithm>

namespace spillway {
namespace {

/// Which box each allocation of the space is.
using BoxOf = IdVector<task::AllocationId, std::optional<std::size_t>>;

void SetGroups(const task::PipelineSystem& system, const BoxOf& box_of,
               std::vector<MemoryBox>& boxes) {
  for (std::size_t g = 0; g < system.alias_groups.size(); ++g) {
    const auto& phases = system.alias_groups[g].phases;
    for (std::size_t p = 0; p < phases.size(); ++p) {
      for (const task::AllocationId id : phases[p]) {
        if (!box_of[id]) continue;
        MemoryBox& box = boxes[*box_of[id]];
        box.kind = MemoryBoxKind::kAliased;
        box.group = g;
        box.phase = p;
        box.phases = phases.size();
      }
    }
  }
}

void SetResources(const task::PipelineSystem& system, const BoxOf& box_of,
                  std::vector<MemoryBox>& boxes) {
  for (const task::Resource& resource : system.resources) {
    const auto pipeline = resource.SlotPipeline();
    for (const task::ResourceRegion& region : resource.regions) {
      if (!box_of[region.allocation]) continue;
      MemoryBox& box = boxes[*box_of[region.allocation]];
      if (box.resources.empty() || box.resources.back() != resource.name)
        box.resources.push_back(resource.name);
      if (!pipeline || region.stage_stride.value == 0) continue;
      for (std::int64_t k = 0; k < system.pipelines[*pipeline].stages; ++k) {
        const std::int64_t cut = box.begin + region.offset.value + k * region.stage_stride.value;
        if (cut > box.begin && cut < box.end) box.cuts.push_back(cut);
      }
    }
  }
  for (MemoryBox& box : boxes) {
    std::sort(box.cuts.begin(), box.cuts.end());
    box.cuts.erase(std::unique(box.cuts.begin(), box.cuts.end()), box.cuts.end());
  }
}

}  // namespace

std::vector<MemoryBox> MemoryBoxes(const PipelineReport& report, task::MemorySpace space) {
  std::vector<MemoryBox> boxes;
  if (!report.system || !report.layout) return boxes;
  const task::PipelineSystem& system = *report.system;
  BoxOf box_of(system.allocations.size());
  for (std::size_t i = 0; i < system.allocations.size(); ++i) {
    const task::AllocationId id(i);
    const task::Allocation& allocation = system.allocations[id];
    if (allocation.space != space) continue;
    MemoryBox box;
    box.name = allocation.name;
    box.kind = allocation.at ? MemoryBoxKind::kFixed : MemoryBoxKind::kPlaced;
    box.begin = report.layout->offsets[id].value;
    box.end = box.begin + allocation.size.value;
    box.alignment = allocation.alignment;
    box.partitions = allocation.partitions;
    box_of[id] = boxes.size();
    boxes.push_back(std::move(box));
  }
  SetGroups(system, box_of, boxes);
  SetResources(system, box_of, boxes);
  if (space == task::MemorySpace::kSmem) {
    for (const task::BarrierStoragePlace& place : report.layout->barriers) {
      MemoryBox box;
      box.name = place.name;
      box.kind = MemoryBoxKind::kBarriers;
      box.begin = place.offset.value;
      box.end = box.begin + place.size.value;
      box.partitions = {Partition(0), Partition(1)};
      boxes.push_back(std::move(box));
    }
  }
  std::stable_sort(boxes.begin(), boxes.end(),
                   [](const MemoryBox& a, const MemoryBox& b) { return a.begin < b.begin; });
  return boxes;
}

std::int64_t SavedUnits(const std::vector<MemoryBox>& boxes, std::int64_t total) {
  std::int64_t sum = 0;
  bool any_group = false;
  for (const MemoryBox& box : boxes) {
    sum += box.size();
    any_group = any_group || box.kind == MemoryBoxKind::kAliased;
  }
  return any_group ? std::max<std::int64_t>(0, sum - total) : 0;
}

}  // namespace spillway
