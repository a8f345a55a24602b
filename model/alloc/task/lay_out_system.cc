#include "model/alloc/task/lay_out_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/alloc/task/codes.h"
#include "model/alloc/task/layout_blocks.h"
#include "model/alloc/task/place_barriers.h"

namespace spillway::task {
namespace {

/// A pipeline's own barriers: full and empty of each stage. Source: ts_pipelines.md §4.
constexpr std::int64_t kBarriersPerStage = 2;

/// Nothing, or what is wrong with the alias groups.
std::optional<Error> CheckAliasGroups(const PipelineSystem& system) {
  IdVector<AllocationId, std::optional<std::size_t>> group_of(system.allocations.size());
  for (std::size_t g = 0; g < system.alias_groups.size(); ++g) {
    const AliasGroup& group = system.alias_groups[g];
    if (group.phases.size() < 2) {
      return MakeError(Code::kAliasTooFewPhases,
                       fmt::format("alias_groups[{}]: expected at least 2 phases, found {}", g,
                                   group.phases.size()));
    }
    std::optional<AllocationId> first;
    for (std::size_t p = 0; p < group.phases.size(); ++p) {
      if (group.phases[p].empty()) {
        return MakeError(Code::kAliasEmptyPhase,
                         fmt::format("alias_groups[{}].phases[{}]: expected at least 1 allocation, "
                                     "found none",
                                     g, p));
      }
      for (const AllocationId id : group.phases[p]) {
        const Allocation& allocation = system.allocations[id];
        const std::string where =
            fmt::format("alias_groups[{}].phases[{}]: allocation {}", g, p, allocation.name);
        if (group_of[id]) {
          return MakeError(Code::kAliasDuplicate,
                           fmt::format("{}: expected in one phase of one group, found in group {} "
                                       "before",
                                       where, *group_of[id]));
        }
        group_of[id] = g;
        if (!first) first = id;
        const Allocation& other = system.allocations[*first];
        if (allocation.space != other.space) {
          return MakeError(
              Code::kAliasMixedSpaces,
              fmt::format("{}: expected {} as {}, found {}", where, MemorySpaceName(other.space),
                          other.name, MemorySpaceName(allocation.space)));
        }
        if (allocation.at) {
          return MakeError(Code::kLayoutMixed,
                           fmt::format("{}: expected one that the layout places, found it fixed at "
                                       "{}; leave out its key at",
                                       where, allocation.at->value));
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<Error> CheckAllocations(const PipelineSystem& system) {
  PerSpace<const Allocation*> first;
  for (const Allocation& allocation : system.allocations) {
    const std::int64_t alignment = allocation.alignment;
    if (alignment < 1 || (alignment & (alignment - 1)) != 0) {
      return MakeError(Code::kLayoutAlignment,
                       fmt::format("allocation {}: expected an alignment that is a power of two, "
                                   "found {}",
                                   allocation.name, alignment));
    }
    if (allocation.size < Units(1)) {
      return MakeError(Code::kLayoutSize,
                       fmt::format("allocation {}: expected a size of at least 1, found {}",
                                   allocation.name, allocation.size.value));
    }
    const Allocation*& other = first[allocation.space];
    if (other == nullptr) other = &allocation;
    if (allocation.at.has_value() != other->at.has_value()) {
      const auto how = [](const Allocation& a) { return a.at ? "fixed" : "placed by the layout"; };
      return MakeError(Code::kLayoutMixed,
                       fmt::format("allocation {}: expected {} as {}, found it {}; in one space "
                                   "all or none are fixed",
                                   allocation.name, how(*other), other->name, how(allocation)));
    }
  }
  return std::nullopt;
}

/// Whether the pipelines' barriers need memory.
bool HasBarrierStorage(const PipelineSystem& system) {
  if (system.barriers == BarrierStorage::kNone || system.pipelines.empty()) return false;
  if (system.allocations.empty()) return true;
  return std::any_of(system.allocations.begin(), system.allocations.end(), [](const auto& a) {
    return a.space == MemorySpace::kSmem || a.space == MemorySpace::kTmem;
  });
}

BarrierLayout Arena(const PipelineSystem& system) {
  std::vector<BarrierAllocation> barriers;
  for (const Pipeline& pipeline : system.pipelines) {
    const BarrierCount count(pipeline.stages);
    barriers.push_back(
        {pipeline.name + ".full", count, pipeline.producer_arrivals, BarrierClass::kV0});
    barriers.push_back(
        {pipeline.name + ".empty", count, pipeline.consumer_arrivals, BarrierClass::kV0});
  }
  return PlaceBarriers(barriers);
}

struct Storage {
  std::string name;
  LayoutItem item;
};

std::vector<Storage> BarrierStorages(const PipelineSystem& system, const SystemLayout& layout) {
  if (layout.arena) {
    return {{"arena.barriers",
             {Units(layout.arena->padded.value * kBarrierBytes), kArenaAlignment.value}}};
  }
  std::vector<Storage> storages;
  for (const Pipeline& pipeline : system.pipelines) {
    storages.push_back(
        {pipeline.name + ".barriers",
         {Units(pipeline.stages * kBarriersPerStage * kBarrierBytes), kBarrierBytes}});
  }
  return storages;
}

/// Places what lies in `space`: `storages` behind its data.
void LayOutSpace(const PipelineSystem& system, MemorySpace space,
                 const std::vector<Storage>& storages, SystemLayout& layout) {
  std::vector<LayoutItem> items;
  IdVector<AllocationId, std::size_t> item_of(system.allocations.size());
  std::vector<AllocationId> members;
  Units fixed_end;
  bool used = !storages.empty();
  for (std::size_t i = 0; i < system.allocations.size(); ++i) {
    const AllocationId id(i);
    const Allocation& allocation = system.allocations[id];
    if (allocation.space != space) continue;
    used = true;
    if (allocation.at) {
      layout.offsets[id] = *allocation.at;
      fixed_end = std::max(fixed_end, *allocation.at + allocation.size - UnitOffset());
      continue;
    }
    item_of[id] = items.size();
    members.push_back(id);
    items.push_back({allocation.size, allocation.alignment});
  }
  if (!used) return;
  if (members.empty() && fixed_end > Units(0)) {
    // Fixed data as one block that no alignment moves away from 0.
    Units cursor = fixed_end;
    for (const Storage& storage : storages) {
      cursor = Units(RoundUp(cursor.value, storage.item.alignment));
      layout.barriers.push_back({storage.name, UnitOffset(cursor.value), storage.item.size});
      cursor += storage.item.size;
    }
    layout.totals[space] = cursor;
    return;
  }
  for (const Storage& storage : storages) items.push_back(storage.item);
  std::vector<GroupBlock> groups;
  for (const AliasGroup& group : system.alias_groups) {
    if (system.allocations[group.phases.front().front()].space != space) continue;
    std::vector<std::vector<std::size_t>> phases;
    for (const std::vector<AllocationId>& phase : group.phases) {
      std::vector<std::size_t>& indices = phases.emplace_back();
      for (const AllocationId id : phase) indices.push_back(item_of[id]);
    }
    groups.push_back(MeasurePhases(items, phases));
  }
  const PlacedBlocks placed = PlaceBlocks(items, groups);
  for (std::size_t i = 0; i < members.size(); ++i) layout.offsets[members[i]] = placed.offsets[i];
  for (std::size_t i = 0; i < storages.size(); ++i) {
    layout.barriers.push_back(
        {storages[i].name, placed.offsets[members.size() + i], storages[i].item.size});
  }
  layout.totals[space] = placed.total;
}

}  // namespace

Result<SystemLayout> LayOutSystem(const PipelineSystem& system) {
  if (std::optional<Error> error = CheckAllocations(system)) return Fail(std::move(*error));
  if (std::optional<Error> error = CheckAliasGroups(system)) return Fail(std::move(*error));
  SystemLayout layout;
  layout.offsets.resize(system.allocations.size());
  std::vector<Storage> storages;
  if (HasBarrierStorage(system)) {
    if (system.barriers == BarrierStorage::kCoalesced) layout.arena = Arena(system);
    storages = BarrierStorages(system, layout);
  }
  for (const Storage& storage : storages) layout.barrier_bytes += storage.item.size;
  for (const MemorySpace space : kMemorySpaces) {
    LayOutSpace(system, space, space == MemorySpace::kSmem ? storages : std::vector<Storage>(),
                layout);
    const std::optional<Units>& total = layout.totals[space];
    if (!total || *total <= system.capacity[space]) continue;
    const Units barriers = space == MemorySpace::kSmem ? layout.barrier_bytes : Units(0);
    return Fail(MakeError(
        Code::kCapacity,
        fmt::format("{}: expected at most {} {}, found {} (data {} + barriers {}); fewer stages or "
                    "alias groups need less",
                    MemorySpaceName(space), system.capacity[space].value, UnitName(space),
                    total->value, (*total - barriers).value, barriers.value)));
  }
  return layout;
}

}  // namespace spillway::task
