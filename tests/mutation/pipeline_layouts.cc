// Recounts of layouts, written plainly: nothing here is shared with the allocators.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/place_barriers.h"
#include "model/alloc/task/smem_allocator.h"
#include "tests/mutation/pipeline_columns.h"
#include "tests/mutation/trial_problems.h"
#include "tests/property/task/random_system.h"

namespace spillway {
namespace {

using task::AllocationId;
using task::Draw;
using task::PipelineSystem;
using task::SystemLayout;
using task::Units;

/// Allocations of which groups hold some, by index; those in no group stand first.
struct LayoutCase {
  PipelineSystem system;
  std::size_t plain = 0;
};

LayoutCase DrawLayoutCase() {
  LayoutCase c;
  c.system.name = "layout";
  for (const task::MemorySpace space : task::kMemorySpaces)
    c.system.capacity[space] = Units(1 << 20);
  const auto add = [&] {
    task::Allocation allocation;
    allocation.name = fmt::format("a{}", c.system.allocations.size());
    allocation.size = Units(Draw(1, 200));
    allocation.alignment = std::int64_t{1} << Draw(0, 9);
    allocation.partitions = {Partition(0), Partition(1)};
    return c.system.allocations.push_back(std::move(allocation));
  };
  c.plain = static_cast<std::size_t>(Draw(1, 7));
  for (std::size_t i = 0; i < c.plain; ++i) add();
  for (std::int64_t groups = Draw(0, 4); groups > 0; --groups) {
    task::AliasGroup& group = c.system.alias_groups.emplace_back();
    group.phases.resize(static_cast<std::size_t>(Draw(2, 4)));
    for (std::vector<AllocationId>& phase : group.phases) {
      for (std::int64_t members = Draw(1, 4); members > 0; --members) phase.push_back(add());
    }
  }
  c.system.barriers = static_cast<task::BarrierStorage>(Draw(0, 3));
  for (std::int64_t count = Draw(1, 6); count > 0; --count) {
    task::Pipeline pipeline;
    pipeline.name = fmt::format("p{}", count);
    pipeline.stages = Draw(1, 12);
    pipeline.producer_arrivals = std::int64_t{1} << Draw(0, 3);
    pipeline.consumer_arrivals = std::int64_t{1} << Draw(0, 3);
    c.system.pipelines.push_back(std::move(pipeline));
  }
  return c;
}

std::int64_t CountUp(std::int64_t from, std::int64_t alignment) {
  while (from % alignment != 0) ++from;
  return from;
}

struct Counted {
  std::int64_t size = 0;
  std::int64_t alignment = 1;
  std::int64_t offset = -1;
};

/// Gives each its offset: `single` by themselves, then each group; returns the total.
/// Source: ts_pipelines.md §2, steps 1 to 5.
std::int64_t CountBlocks(std::vector<Counted>& items, const std::vector<std::size_t>& single,
                         const std::vector<std::vector<std::vector<std::size_t>>>& groups) {
  std::vector<std::vector<std::vector<std::size_t>>> waiting;
  for (const std::size_t item : single) waiting.push_back({{item}});
  waiting.insert(waiting.end(), groups.begin(), groups.end());
  const auto alignment_of = [&](const auto& block) {
    std::int64_t most = 1;
    for (const auto& phase : block) {
      for (const std::size_t item : phase) most = std::max(most, items[item].alignment);
    }
    return most;
  };
  std::int64_t cursor = 0;
  while (!waiting.empty()) {
    std::size_t next = 0;
    for (std::size_t b = 1; b < waiting.size(); ++b) {
      if (alignment_of(waiting[b]) > alignment_of(waiting[next])) next = b;
    }
    const std::int64_t base = CountUp(cursor, alignment_of(waiting[next]));
    cursor = base;
    for (const auto& phase : waiting[next]) {
      std::int64_t end = 0;
      for (const std::size_t item : phase) {
        end = CountUp(end, items[item].alignment);
        items[item].offset = base + end;
        end += items[item].size;
      }
      cursor = std::max(cursor, base + end);
    }
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(next));
  }
  return cursor;
}

std::vector<std::vector<std::vector<std::size_t>>> GroupsOf(const PipelineSystem& system) {
  std::vector<std::vector<std::vector<std::size_t>>> groups;
  for (const task::AliasGroup& group : system.alias_groups) {
    auto& phases = groups.emplace_back();
    for (const auto& phase : group.phases) {
      phases.emplace_back();
      for (const AllocationId member : phase) phases.back().push_back(member.value);
    }
  }
  return groups;
}

std::vector<Counted> ItemsOf(const PipelineSystem& system) {
  std::vector<Counted> items;
  for (const task::Allocation& allocation : system.allocations)
    items.push_back({allocation.size.value, allocation.alignment, -1});
  return items;
}

/// Both barriers of each pipeline, in file order, and where the fewest arrivals stand first.
struct CountedBarriers {
  std::vector<task::BarrierEntry> entries;
  std::vector<std::int64_t> arrivals;  ///< of each used place of the array
};

/// Source: ts_pipelines.md §5, compute_layout, for one class.
CountedBarriers CountBarriers(const PipelineSystem& system) {
  CountedBarriers counted;
  for (const task::Pipeline& pipeline : system.pipelines) {
    const task::BarrierCount stages(pipeline.stages);
    counted.entries.push_back({pipeline.name + ".full", {}, stages, pipeline.producer_arrivals});
    counted.entries.push_back({pipeline.name + ".empty", {}, stages, pipeline.consumer_arrivals});
  }
  std::int64_t most = 0;
  for (const task::BarrierEntry& entry : counted.entries) most = std::max(most, entry.arrivals);
  for (std::int64_t arrivals = 1; arrivals <= most; ++arrivals) {
    for (task::BarrierEntry& entry : counted.entries) {
      if (entry.arrivals != arrivals) continue;
      entry.offset = task::BarrierIndex(static_cast<std::int64_t>(counted.arrivals.size()));
      for (std::int64_t i = 0; i < entry.count.value; ++i) counted.arrivals.push_back(arrivals);
    }
  }
  return counted;
}

std::optional<std::string> CompareArena(const PipelineSystem& system,
                                        const task::BarrierLayout& layout) {
  const CountedBarriers counted = CountBarriers(system);
  for (std::size_t i = 0; i < counted.entries.size(); ++i) {
    if (layout.entries.at(i) != counted.entries[i]) {
      return fmt::format("barriers {} lie at {}, counted {}", counted.entries[i].name,
                         layout.entries[i].offset.value, counted.entries[i].offset.value);
    }
  }
  std::vector<task::BarrierRun> runs;
  for (std::size_t i = 0; i < counted.arrivals.size(); ++i) {
    const task::BarrierIndex at(static_cast<std::int64_t>(i));
    if (i == 0 || counted.arrivals[i] != counted.arrivals[i - 1])
      runs.push_back({at, at, counted.arrivals[i]});
    runs.back().end = at + task::BarrierCount(1);
  }
  if (layout.runs != runs)
    return fmt::format("{} runs of barriers, counted {}", layout.runs.size(), runs.size());
  const auto used = static_cast<std::int64_t>(counted.arrivals.size());
  const std::int64_t padded = CountUp(used, task::kBarrierChunk.value);
  if (layout.used.value == used && layout.padded.value == padded) return std::nullopt;
  return fmt::format("{} barriers used and {} with padding, counted {} and {}", layout.used.value,
                     layout.padded.value, used, padded);
}

std::optional<std::string> CompareSystem(const LayoutCase& c, const SystemLayout& layout) {
  const PipelineSystem& system = c.system;
  std::vector<Counted> items = ItemsOf(system);
  std::vector<std::size_t> single;
  for (std::size_t i = 0; i < c.plain; ++i) single.push_back(i);
  const auto store = [&](std::int64_t barriers, std::int64_t alignment) {
    single.push_back(items.size());
    items.push_back({barriers * task::kBarrierBytes, alignment, -1});
  };
  if (system.barriers == task::BarrierStorage::kCoalesced) {
    if (!layout.arena) return "the barriers have no array";
    if (auto fault = CompareArena(system, *layout.arena)) return fault;
    const auto used = static_cast<std::int64_t>(CountBarriers(system).arrivals.size());
    store(CountUp(used, task::kBarrierChunk.value), task::kArenaAlignment.value);
  }
  if (system.barriers == task::BarrierStorage::kOwn) {
    for (const task::Pipeline& pipeline : system.pipelines)
      store(pipeline.stages + pipeline.stages, task::kBarrierBytes);
  }
  const std::int64_t total = CountBlocks(items, single, GroupsOf(system));
  const std::size_t allocations = system.allocations.size();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const task::UnitOffset at = i < allocations ? layout.offsets[AllocationId(i)]
                                                : layout.barriers.at(i - allocations).offset;
    if (at.value != items[i].offset)
      return fmt::format("block {} lies at {}, counted {}", i, at.value, items[i].offset);
  }
  const std::int64_t found = layout.totals[task::MemorySpace::kSmem].value_or(Units(0)).value;
  if (found == total) return std::nullopt;
  return fmt::format("{} units in all, counted {}", found, total);
}

/// The same allocations through the allocator, which lays out once.
std::optional<std::string> CompareAllocator(const LayoutCase& c) {
  std::vector<task::Region<task::Smem>> regions;
  for (const task::Allocation& allocation : c.system.allocations) {
    task::ByteRegionOptions options;
    options.name = allocation.name;
    options.size = Bytes(allocation.size.value);
    options.alignment = allocation.alignment;
    regions.push_back(task::Region<task::Smem>::Create(std::move(options)).value());
  }
  task::SmemAllocator allocator;
  for (std::size_t i = 0; i < c.plain; ++i) {
    if (!allocator.Add(regions[i])) return "an allocation is refused";
  }
  const auto groups = GroupsOf(c.system);
  for (const auto& group : groups) {
    task::AliasPhases<task::Smem> phases;
    for (const auto& phase : group) {
      phases.emplace_back();
      for (const std::size_t member : phase) phases.back().push_back(regions[member]);
    }
    if (!allocator.AddAliasGroup(phases)) return "an alias group is refused";
  }
  if (!allocator.ComputeLayout()) return "the layout is refused";
  std::vector<Counted> items = ItemsOf(c.system);
  std::vector<std::size_t> single;
  for (std::size_t i = 0; i < c.plain; ++i) single.push_back(i);
  const std::int64_t total = CountBlocks(items, single, groups);
  const auto compare = [&]() -> std::optional<std::string> {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (regions[i]->offset()->value != items[i].offset) {
        return fmt::format("region {} lies at {}, counted {}", regions[i]->name(),
                           regions[i]->offset()->value, items[i].offset);
      }
    }
    if (allocator.Total()->value == total) return std::nullopt;
    return fmt::format("the regions take {} bytes, counted {}", allocator.Total()->value, total);
  };
  if (auto fault = compare()) return fault;
  const Result<void> again = allocator.ComputeLayout();
  if (again || again.error().code != "layout.twice")
    return "a second layout isn't refused as one: " + (again ? "" : again.error().code);
  return compare();
}

/// From where to where something lies, and which phase of which group; group -1: none.
struct Place {
  std::string name;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t group = -1;
  std::size_t phase = 0;
};

std::vector<Place> PlacesOf(const PipelineSystem& system, const SystemLayout& layout) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < system.allocations.size(); ++i) {
    const std::int64_t begin = layout.offsets[AllocationId(i)].value;
    const task::Allocation& allocation = system.allocations[AllocationId(i)];
    places.push_back({allocation.name, begin, begin + allocation.size.value, -1, 0});
  }
  for (std::size_t g = 0; g < system.alias_groups.size(); ++g) {
    for (std::size_t p = 0; p < system.alias_groups[g].phases.size(); ++p) {
      for (const AllocationId member : system.alias_groups[g].phases[p]) {
        places[member.value].group = static_cast<std::int64_t>(g);
        places[member.value].phase = p;
      }
    }
  }
  for (const task::BarrierStoragePlace& barriers : layout.barriers) {
    const std::int64_t begin = barriers.offset.value;
    places.push_back({barriers.name, begin, begin + barriers.size.value, -1, 0});
  }
  return places;
}

std::optional<std::string> FindShared(const std::vector<Place>& places) {
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = a + 1; b < places.size(); ++b) {
      const Place& one = places[a];
      const Place& other = places[b];
      if (one.group >= 0 && one.group == other.group && one.phase != other.phase) continue;
      if (one.begin < other.end && other.begin < one.end) {
        return fmt::format("{} at [{}, {}) and {} at [{}, {}) share bytes", one.name, one.begin,
                           one.end, other.name, other.begin, other.end);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> CheckArena(const task::BarrierLayout& arena) {
  std::vector<std::int64_t> arrivals(static_cast<std::size_t>(arena.padded.value), 0);
  for (const task::BarrierEntry& entry : arena.entries) {
    for (std::int64_t i = 0; i < entry.count.value; ++i) {
      const std::int64_t at = entry.offset.value + i;
      if (at < 0 || at >= arena.padded.value)
        return fmt::format("barrier {} of {} lies outside of the array", i, entry.name);
      std::int64_t& of_place = arrivals[static_cast<std::size_t>(at)];
      if (of_place != 0) return fmt::format("{} shares barrier {} of the array", entry.name, at);
      of_place = entry.arrivals;
    }
  }
  for (const task::BarrierRun& run : arena.runs) {
    for (std::int64_t at = run.begin.value; at < run.end.value; ++at) {
      std::int64_t& of_place = arrivals.at(static_cast<std::size_t>(at));
      if (of_place != run.arrivals)
        return fmt::format("barrier {} is initialised with {}, not {}", at, run.arrivals, of_place);
      of_place = 0;
    }
  }
  const auto missing =
      std::find_if(arrivals.begin(), arrivals.end(), [](auto a) { return a != 0; });
  if (missing == arrivals.end()) return std::nullopt;
  return fmt::format("no run initialises barrier {}", missing - arrivals.begin());
}

/// The system with one more alias group behind everything, of the least alignment that any block
/// has: equal alignments keep their order, so it comes last.
PipelineSystem WithOneMore(const PipelineSystem& system, std::size_t plain) {
  std::int64_t least = task::kBarrierBytes;
  if (system.barriers != task::BarrierStorage::kOwn)
    least = system.allocations[AllocationId(0)].alignment;
  for (std::size_t i = 0; i < plain; ++i)
    least = std::min(least, system.allocations[AllocationId(i)].alignment);
  for (const task::AliasGroup& group : system.alias_groups) {
    std::int64_t most = 1;
    for (const auto& phase : group.phases) {
      for (const AllocationId member : phase)
        most = std::max(most, system.allocations[member].alignment);
    }
    least = std::min(least, most);
  }
  PipelineSystem more = system;
  task::AliasGroup& group = more.alias_groups.emplace_back();
  for (const char* name : {"more0", "more1"}) {
    task::Allocation allocation = system.allocations[AllocationId(0)];
    allocation.name = name;
    allocation.alignment = least;
    group.phases.push_back({more.allocations.push_back(std::move(allocation))});
  }
  return more;
}

}  // namespace

std::optional<std::string> RecountLayouts(std::int64_t number, const std::string& fault) {
  const LayoutCase c = DrawnFor(number, [] { return DrawLayoutCase(); });
  const Planted planted(fault);
  const Result<SystemLayout> layout = task::LayOutSystem(c.system);
  if (!layout) return layout.error().ToString();
  if (auto found = CompareSystem(c, *layout)) return found;
  return CompareAllocator(c);
}

std::optional<std::string> CheckLayoutLaws(std::int64_t number, const std::string& fault) {
  const LayoutCase c = DrawnFor(number, [] { return DrawLayoutCase(); });
  const Planted planted(fault);
  const Result<SystemLayout> layout = task::LayOutSystem(c.system);
  if (!layout) return layout.error().ToString();
  const std::vector<Place> places = PlacesOf(c.system, *layout);
  if (auto found = FindShared(places)) return found;
  std::int64_t end = 0;
  for (const Place& place : places) end = std::max(end, place.end);
  const std::int64_t total = layout->totals[task::MemorySpace::kSmem].value_or(Units(0)).value;
  if (total != end) return fmt::format("{} units in all, the last one ends at {}", total, end);
  for (std::size_t i = 0; i < c.system.allocations.size(); ++i) {
    const task::Allocation& allocation = c.system.allocations[AllocationId(i)];
    if (places[i].begin % allocation.alignment != 0)
      return fmt::format("{} at {} isn't aligned", allocation.name, places[i].begin);
  }
  if (layout->arena) {
    if (auto found = CheckArena(*layout->arena)) return found;
  }
  const Result<SystemLayout> more = task::LayOutSystem(WithOneMore(c.system, c.plain));
  if (!more) return more.error().ToString();
  for (std::size_t i = 0; i < c.system.allocations.size(); ++i) {
    if (more->offsets[AllocationId(i)] != layout->offsets[AllocationId(i)])
      return "one more registration behind all others moves " + places[i].name;
  }
  if (more->barriers == layout->barriers) return std::nullopt;
  return "one more registration behind all others moves the barriers";
}

}  // namespace spillway
