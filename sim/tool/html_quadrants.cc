#include "sim/tool/html_quadrants.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/tool/html_chart.h"

namespace spillway::html {

Interval<Partition> QuadrantPartitions(const KernelRun& run, int q) {
  const std::int64_t height = run.target->sbuf_partitions.value.value / kSbufQuadrants;
  return {Partition(q * height), Partition((q + 1) * height)};
}

std::vector<QuadrantGroup> GroupQuadrants(const KernelRun& run,
                                          std::span<const PlacedBlock> blocks) {
  std::vector<QuadrantGroup> groups;
  for (int q = 0; q < kSbufQuadrants; ++q) {
    const Interval<Partition> partitions = QuadrantPartitions(run, q);
    std::vector<const PlacedBlock*> members;
    for (const PlacedBlock& block : blocks) {
      if (block.space == Space::kSbuf && Overlap(block.where.partitions, partitions))
        members.push_back(&block);
    }
    if (!groups.empty() && groups.back().blocks == members) {
      ++groups.back().count;
    } else {
      groups.push_back({q, 1, std::move(members)});
    }
  }
  return groups;
}

std::string GroupName(const KernelRun& run, const QuadrantGroup& group) {
  const std::int64_t begin = QuadrantPartitions(run, group.first).begin.value;
  const std::int64_t end = QuadrantPartitions(run, group.first + group.count - 1).end.value;
  const std::string quadrants = group.count == kSbufQuadrants ? "all quadrants"
                                : group.count == 1 ? fmt::format("quadrant {}", group.first)
                                                   : fmt::format("quadrants {}–{}", group.first,
                                                                 group.first + group.count - 1);
  return fmt::format("partitions {}–{} ({})", begin, end - 1, quadrants);
}

int ColumnsFor(std::int64_t points) {
  return static_cast<int>(std::clamp<std::int64_t>(points, 1, kColumns));
}

std::vector<std::int64_t> LiveBytes(std::span<const PlacedBlock* const> blocks,
                                    std::int64_t points) {
  std::vector<std::int64_t> change(static_cast<std::size_t>(points) + 1);
  for (const PlacedBlock* block : blocks) {
    const std::int64_t bytes = (block->where.bytes.end - block->where.bytes.begin).value;
    change[block->life.begin.value] += bytes;
    change[block->life.end.value] -= bytes;
  }
  const int columns = ColumnsFor(points);
  std::vector<std::int64_t> most(static_cast<std::size_t>(columns));
  std::int64_t live = 0;
  for (std::int64_t p = 0; p < points; ++p) {
    live += change[static_cast<std::size_t>(p)];
    std::int64_t& column = most[static_cast<std::size_t>(p * columns / points)];
    column = std::max(column, live);
  }
  return most;
}

}  // namespace spillway::html
