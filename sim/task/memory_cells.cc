#include "sim/task/memory_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/alloc/task/codes.h"

namespace spillway::task {
namespace {

/// Sorted borders of one space; between two neighbours lies a segment.
struct Borders {
  std::vector<std::int64_t> units;
  std::vector<std::int64_t> partitions;
};

void Tidy(std::vector<std::int64_t>& borders) {
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
}

std::size_t IndexOf(const std::vector<std::int64_t>& borders, std::int64_t border) {
  return static_cast<std::size_t>(std::lower_bound(borders.begin(), borders.end(), border) -
                                  borders.begin());
}

Error TooMany(std::size_t most) {
  return MakeError(Code::kLimit,
                   fmt::format("resources: expected ranges that cut memory into at most {} pieces, "
                               "found more; fewer resources over one place would show the same",
                               most));
}

}  // namespace

Result<MemoryCells> MemoryCells::Cut(const Program& program) {
  MemoryCells cut;
  IdVector<ResourceId, std::vector<bool>> is_touched;
  PerSpace<Borders> borders;
  for (const auto& slots : program.footprints) {
    is_touched.push_back(std::vector<bool>(slots.size(), false));
    cut.of_slot_.push_back(std::vector<std::pair<std::size_t, std::size_t>>(slots.size()));
  }
  for (const StepAccess& access : program.accesses) {
    if (is_touched[access.resource][access.slot]) continue;
    is_touched[access.resource][access.slot] = true;
    for (const Footprint& footprint : program.FootprintsOf(access)) {
      Borders& own = borders[footprint.space];
      own.units.insert(own.units.end(), {footprint.range.begin.value, footprint.range.end.value});
      own.partitions.insert(own.partitions.end(),
                            {footprint.partitions.begin.value, footprint.partitions.end.value});
    }
  }
  for (Borders& own : borders.values) {
    Tidy(own.units);
    Tidy(own.partitions);
  }
  std::map<std::tuple<MemorySpace, std::size_t, std::size_t>, std::uint32_t> known;
  for (std::size_t r = 0; r < program.footprints.size(); ++r) {
    const ResourceId resource(r);
    for (std::size_t slot = 0; slot < program.footprints[resource].size(); ++slot) {
      if (!is_touched[resource][slot]) continue;
      const std::size_t begin = cut.touched_.size();
      for (const Footprint& footprint : program.footprints[resource][slot]) {
        const Borders& own = borders[footprint.space];
        const std::size_t last_unit = IndexOf(own.units, footprint.range.end.value);
        const std::size_t last_band = IndexOf(own.partitions, footprint.partitions.end.value);
        for (std::size_t u = IndexOf(own.units, footprint.range.begin.value); u < last_unit; ++u) {
          for (std::size_t p = IndexOf(own.partitions, footprint.partitions.begin.value);
               p < last_band; ++p) {
            const auto [at, is_new] = known.emplace(std::tuple(footprint.space, u, p),
                                                    static_cast<std::uint32_t>(cut.cells_.size()));
            if (is_new) {
              cut.cells_.push_back(
                  {footprint.space,
                   {UnitOffset(own.units[u]), UnitOffset(own.units[u + 1])},
                   {Partition(own.partitions[p]), Partition(own.partitions[p + 1])}});
            }
            cut.touched_.push_back(at->second);
            if (cut.cells_.size() > kMaxCells) return Fail(TooMany(kMaxCells));
            if (cut.touched_.size() > kMaxCellsOfRanges) return Fail(TooMany(kMaxCellsOfRanges));
          }
        }
      }
      // Regions of one resource may share memory.
      const auto from = cut.touched_.begin() + static_cast<std::ptrdiff_t>(begin);
      std::sort(from, cut.touched_.end());
      cut.touched_.erase(std::unique(from, cut.touched_.end()), cut.touched_.end());
      cut.of_slot_[resource][slot] = {begin, cut.touched_.size()};
    }
  }
  return cut;
}

std::span<const std::uint32_t> MemoryCells::Of(ResourceId resource, std::uint32_t slot) const {
  const auto [begin, end] = of_slot_[resource][slot];
  return std::span(touched_).subspan(begin, end - begin);
}

}  // namespace spillway::task
