#include "sim/task/shadow_memory.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "sim/values/hash.h"

namespace spillway::task {
namespace {

/// Keeps the smaller occurrences, and returns what is kept.
template <class Map, class Key, class Found>
const Found* Keep(Map& map, const Key& key, const Found& found) {
  const auto [at, is_new] = map.emplace(key, found);
  if (!is_new && found < at->second) at->second = found;
  return &at->second;
}

std::pair<PlayedClass, PlayedClass> Sorted(const PlayedClass& a, const PlayedClass& b) {
  return a < b ? std::pair(a, b) : std::pair(b, a);
}

/// The number of the last acquire or wait of a task on each pipeline, and which it ever does.
struct Opened {
  std::int64_t acquires = 0;
  std::int64_t waits = 0;
  bool ever_acquires = false;
  bool ever_waits = false;
};

/// begin + (begin + 1) + … + (end - 1), its lower 64 bits: halved before they are cut off, since
/// the sum over a range must be the one over its pieces.
std::uint64_t SumOfNumbers(std::int64_t begin, std::int64_t end) {
  __extension__ using Wide = __int128;
  return static_cast<std::uint64_t>((Wide{end} - begin) * (Wide{begin} + end - 1) / 2);
}

}  // namespace

std::vector<AccessDetail> DetailAccesses(const PipelineSystem& system, const Program& program) {
  std::vector<AccessDetail> details(program.accesses.size());
  std::map<std::pair<PlayedClass, std::vector<std::pair<OperationKind, PipelineId>>>, std::uint32_t>
      groups;
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    const TaskId task(t);
    IdVector<PipelineId, Opened> opened(program.contributors.size());
    const std::vector<Step>& steps = program.steps[task];
    for (const Step& step : steps) {
      for (const SyncPart& part : program.PartsOf(step)) {
        opened[part.pipeline].ever_acquires |= part.kind == OperationKind::kAcquire;
        opened[part.pipeline].ever_waits |= part.kind == OperationKind::kWait;
      }
    }
    for (std::uint32_t s = 0; s < steps.size(); ++s) {
      std::vector<std::pair<OperationKind, PipelineId>> completes;
      for (const SyncPart& part : program.PartsOf(steps[s])) {
        if (part.kind == OperationKind::kAcquire) opened[part.pipeline].acquires = part.number + 1;
        if (part.kind == OperationKind::kWait) opened[part.pipeline].waits = part.number + 1;
        completes.emplace_back(part.kind, part.pipeline);
      }
      std::sort(completes.begin(), completes.end());
      for (std::uint32_t i = 0; i < steps[s].access_count; ++i) {
        const StepAccess& access = program.accesses[steps[s].first_access + i];
        AccessDetail& detail = details[steps[s].first_access + i];
        detail.access = {
            {ActorOf(task, steps[s]), access.kind, access.resource}, access.occurrence, s};
        detail.group = groups
                           .emplace(std::pair(detail.access.what, completes),
                                    static_cast<std::uint32_t>(groups.size()))
                           .first->second;
        const std::optional<PipelineId> ring = system.resources[access.resource].pipeline;
        if (!ring) continue;
        const Opened& its = opened[*ring];
        if (access.kind == AccessKind::kRead && its.waits > 0 && !its.ever_acquires)
          detail.fill = its.waits - 1;
        if (access.kind == AccessKind::kWrite && its.acquires > 0 && !its.ever_waits)
          detail.fill = its.acquires - 1;
      }
    }
  }
  return details;
}

ShadowMemory::ShadowMemory(const PipelineSystem& system, const Program& program,
                           const MemoryCells& cells, const std::vector<AccessDetail>& details)
    : system_(system), program_(program), cells_(cells), details_(details), shadow_(cells.size()) {
  for (const auto& slots : program.footprints) {
    PerSpace<std::int64_t> first;
    first.values.fill(std::numeric_limits<std::int64_t>::max());
    for (const std::vector<Footprint>& footprints : slots) {
      for (const Footprint& footprint : footprints) {
        std::int64_t& origin = first[footprint.space];
        origin = std::min(origin, footprint.range.begin.value);
      }
    }
    origins_.push_back(first);
  }
}

template <class Visit>
void ShadowMemory::EachAccess(const Step& step, const Visit& visit) const {
  for (std::uint32_t i = 0; i < step.access_count; ++i) {
    const std::uint32_t index = step.first_access + i;
    const StepAccess& access = program_.accesses[index];
    visit(index, access, cells_.Of(access.resource, access.slot));
  }
}

void ShadowMemory::Check(std::uint32_t access, const Cell& cell, TaskId task,
                         const ActorClocks& clocks) {
  const PlayedAccess& own = details_[access].access;
  const std::uint64_t group = details_[access].group;
  for (const Toucher& toucher : cell.touchers) {
    const PlayedAccess& other = details_[toucher.access].access;
    if (!PlayedConflict(own, other)) continue;
    const SeenRace seen{other, own};
    KnownPair& known = known_[group << 32 | toucher.group];
    // What would change nothing isn't asked.
    const auto is_news = [&](const SeenRace* kept) { return kept == nullptr || seen < *kept; };
    if (is_news(known.race) && !clocks.IsOver(task, other.what.actor.task, other.step))
      known.race = Keep(findings_.races, Sorted(own.what, other.what), seen);
    if (toucher.in_progress > 0 && is_news(known.overlap))
      known.overlap = Keep(findings_.overlaps, Sorted(own.what, other.what), seen);
  }
}

void ShadowMemory::Begin(TaskId task, const Step& step, const ActorClocks& clocks) {
  EachAccess(step, [&](std::uint32_t index, const StepAccess&, std::span<const std::uint32_t> at) {
    for (const std::uint32_t cell : at) Check(index, shadow_[cell], task, clocks);
  });
  EachAccess(step, [&](std::uint32_t index, const StepAccess&, std::span<const std::uint32_t> at) {
    const std::uint32_t group = details_[index].group;
    for (const std::uint32_t cell : at) {
      std::vector<Toucher>& touchers = shadow_[cell].touchers;
      auto own = std::find_if(touchers.begin(), touchers.end(),
                              [&](const Toucher& toucher) { return toucher.group == group; });
      if (own == touchers.end()) own = touchers.insert(own, {group, index, 0});
      own->access = index;
      ++own->in_progress;
    }
  });
}

void ShadowMemory::Compare(std::uint32_t read, const Tag& tag) {
  const PlayedAccess& own = details_[read].access;
  const PlayedAccess& write = details_[tag.access].access;
  const std::pair classes(own.what, write.what);
  const Resource& resource = system_.resources[own.what.resource];
  const bool is_own = write.what.resource == own.what.resource;
  if (!is_own && std::find(resource.shares.begin(), resource.shares.end(), write.what.resource) ==
                     resource.shares.end()) {
    Keep(findings_.clobbers, classes, SeenClobber{own, write});
    return;
  }
  // Numbers of two rings have nothing to do with each other.
  if (system_.resources[write.what.resource].pipeline != resource.pipeline) return;
  const std::optional<std::int64_t>& expected = details_[read].fill;
  const std::optional<std::int64_t>& found = details_[tag.access].fill;
  if (expected && found && *expected != *found)
    Keep(findings_.stale, classes, SeenStale{own, write, *expected, *found});
}

// Every byte has a value of its own, linear in its place, so that the sum over a rectangle needs no
// walk and is the same however the rectangle is cut.
std::uint64_t ShadowMemory::SumOver(ResourceId resource, const MemoryCell& cell,
                                    std::uint64_t value) const {
  constexpr std::uint64_t kUnit = 0x9e3779b97f4a7c15u;
  constexpr std::uint64_t kPartition = 0xc2b2ae3d27d4eb4fu;
  constexpr std::uint64_t kBoth = 0x165667b19e3779f9u;
  const std::int64_t origin = origins_[resource][cell.space];
  const auto units = static_cast<std::uint64_t>((cell.range.end - cell.range.begin).value);
  const auto rows = static_cast<std::uint64_t>((cell.partitions.end - cell.partitions.begin).value);
  const std::uint64_t unit_sum =
      SumOfNumbers(cell.range.begin.value - origin, cell.range.end.value - origin);
  const std::uint64_t row_sum =
      SumOfNumbers(cell.partitions.begin.value, cell.partitions.end.value);
  const std::uint64_t places = units * rows + kUnit * unit_sum * rows +
                               kPartition * row_sum * units + kBoth * unit_sum * row_sum;
  return places * Mix(value + static_cast<std::uint64_t>(cell.space) + 1);
}

bool ShadowMemory::WritesItself(const Step& step, std::uint32_t cell) const {
  bool writes = false;
  EachAccess(step, [&](std::uint32_t, const StepAccess& access, std::span<const std::uint32_t> at) {
    writes = writes ||
             (access.kind != AccessKind::kRead && std::binary_search(at.begin(), at.end(), cell));
  });
  return writes;
}

void ShadowMemory::Read(const Step& step, std::vector<std::uint64_t>& seen) {
  EachAccess(
      step, [&](std::uint32_t index, const StepAccess& access, std::span<const std::uint32_t> at) {
        const std::uint32_t group = details_[index].group;
        const bool reads = access.kind == AccessKind::kRead;
        for (const std::uint32_t number : at) {
          Cell& cell = shadow_[number];
          for (Toucher& toucher : cell.touchers) {
            if (toucher.group == group) --toucher.in_progress;
          }
          if (!reads) continue;
          for (const Tag& tag : cell.tags) Compare(index, tag);
          if (cell.tags.empty() && !system_.resources[access.resource].initial &&
              !WritesItself(step, number))
            Keep(findings_.uninitialized, details_[index].access.what, details_[index].access);
          seen[index] += SumOver(access.resource, cells_[number],
                                 cell.tags.empty() ? 0 : cell.tags.back().value);
        }
      });
}

void ShadowMemory::Write(const Step& step, const std::vector<std::uint64_t>& values) {
  EachAccess(
      step, [&](std::uint32_t index, const StepAccess& access, std::span<const std::uint32_t> at) {
        if (access.kind == AccessKind::kRead) return;
        const PlayedAccess& own = details_[index].access;
        for (const std::uint32_t cell : at) {
          std::vector<Tag>& tags = shadow_[cell].tags;
          // Two writes of one operation to one place: nobody knows which is the last.
          const bool same = !tags.empty() &&
                            details_[tags.back().access].access.what.actor == own.what.actor &&
                            details_[tags.back().access].access.step == own.step;
          if (!same) tags.clear();
          tags.push_back({index, values[index]});
        }
      });
}

}  // namespace spillway::task
