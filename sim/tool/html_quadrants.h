// The four quadrants of SBUF, as far as a report tells them apart.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "sim/tool/placed_blocks.h"

namespace spillway::html {

inline constexpr int kSbufQuadrants = 4;

/// Partitions of quadrant `q` of the run's target.
Interval<Partition> QuadrantPartitions(const KernelRun& run, int q);

/// Neighbouring quadrants that hold the same blocks.
struct QuadrantGroup {
  int first = 0;
  int count = 1;
  std::vector<const PlacedBlock*>
      blocks;  ///< SBUF blocks that touch the group, by tensor and block
};
std::vector<QuadrantGroup> GroupQuadrants(const KernelRun& run,
                                          std::span<const PlacedBlock> blocks);

/// "partitions 0–31 (quadrant 0)".
std::string GroupName(const KernelRun& run, const QuadrantGroup& group);

/// Live bytes per pixel column: the most within the column's points.
std::vector<std::int64_t> LiveBytes(std::span<const PlacedBlock* const> blocks,
                                    std::int64_t points);

/// One pixel column per point up to a column a pixel.
int ColumnsFor(std::int64_t points);

}  // namespace spillway::html
