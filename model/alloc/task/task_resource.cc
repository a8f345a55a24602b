#include "model/alloc/task/task_resource.h"

#include <fmt/format.h>

#include <utility>

#include "model/alloc/task/codes.h"

namespace spillway::task {
namespace {

template <class Space>
Result<void> AppendRanges(const std::vector<RegionHandle<Space>>& regions,
                          std::vector<PhysicalRange>& ranges) {
  for (const RegionHandle<Space>& region : regions) {
    const auto offset = region.offset();
    if (!offset) {
      return Fail(MakeError(Code::kLayoutMissing,
                            fmt::format("allocation {}: expected a layout of {} before its place "
                                        "is asked for",
                                        region.name(), MemorySpaceName(Space::kSpace))));
    }
    const UnitOffset begin(offset->value);
    ranges.push_back({Space::kSpace, {begin, begin + Units(region.size().value)}});
  }
  return {};
}

template <class Space>
Result<std::vector<RegionHandle<Space>>> Cached(const TaskResource& resource,
                                                std::vector<RegionHandle<Space>> first,
                                                const std::vector<RegionHandle<Space>>& second) {
  if (first == second) return first;
  return Fail(MakeError(
      Code::kRequirementNotCached,
      fmt::format("resource {}: expected the same {} allocations on each query, found others; make "
                  "them once, in the constructor",
                  resource.name(), MemorySpaceName(Space::kSpace))));
}

}  // namespace

Result<std::vector<PhysicalRange>> TaskResource::PhysicalRanges() const {
  std::vector<PhysicalRange> ranges;
  if (Result<void> done = AppendRanges(SmemRequirements(), ranges); !done)
    return Fail(std::move(done.error()));
  if (Result<void> done = AppendRanges(TmemRequirements(), ranges); !done)
    return Fail(std::move(done.error()));
  return ranges;
}

Result<std::vector<RegionHandle<Smem>>> CachedSmemRequirements(const TaskResource& resource) {
  // Both lists are alive at once, so that a new allocation can't have the place of an old one.
  std::vector<RegionHandle<Smem>> first = resource.SmemRequirements();
  return Cached(resource, std::move(first), resource.SmemRequirements());
}

Result<std::vector<RegionHandle<Tmem>>> CachedTmemRequirements(const TaskResource& resource) {
  std::vector<RegionHandle<Tmem>> first = resource.TmemRequirements();
  return Cached(resource, std::move(first), resource.TmemRequirements());
}

}  // namespace spillway::task
