#include "properties/impact_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "model/alloc/sbuf/height_class.h"
#include "model/hw/target.h"

namespace spillway {
namespace {

constexpr std::int64_t kCapacity = 9;
constexpr std::int64_t kLargest = 3;
constexpr std::int64_t kClassHeight[] = {32, 32, 32, 32, 32, 64, 64, 64, 128};

struct Place {
  Interval<std::int64_t> partitions;
  Interval<std::int64_t> granules;
};

// First partitions that a class may have. Source: colorer.md §2, the table of height classes.
std::vector<std::int64_t> StartsOf(std::size_t height) {
  if (height >= 1 && height <= 4) return {32 * (static_cast<std::int64_t>(height) - 1)};
  if (height == 6 || height == 7) return {64 * (static_cast<std::int64_t>(height) - 6)};
  std::vector<std::int64_t> starts;
  for (const Partition start : LegalStartPartitions(PartitionCount(kClassHeight[height])))
    starts.push_back(start.value);
  return starts;
}

std::vector<Place> PlacesOf(std::size_t height, std::int64_t size) {
  std::vector<Place> places;
  for (const std::int64_t start : StartsOf(height)) {
    for (std::int64_t at = 0; at + size <= kCapacity; ++at)
      places.push_back({{start, start + kClassHeight[height]}, {at, at + size}});
  }
  return places;
}

std::int64_t MostBlocked(const std::vector<Place>& ours, const std::vector<Place>& theirs) {
  std::int64_t most = 0;
  for (const Place& taken : theirs) {
    const auto blocked = std::count_if(ours.begin(), ours.end(), [&](const Place& place) {
      return Overlap(place.partitions, taken.partitions) && Overlap(place.granules, taken.granules);
    });
    most = std::max<std::int64_t>(most, blocked);
  }
  return most;
}

}  // namespace

std::optional<std::string> CheckHeightClasses() {
  for (std::int64_t height = 1; height <= kClassHeight[kHeightClasses - 1]; ++height) {
    std::vector<std::int64_t> starts;
    for (const QuadrantMask band : BandsOf(ClassOf(PartitionCount(height))))
      starts.push_back(32 * static_cast<std::int64_t>(std::countr_zero(band)));
    std::vector<std::int64_t> legal;
    for (const Partition start : LegalStartPartitions(PartitionCount(height)))
      legal.push_back(start.value);
    if (starts != legal)
      return fmt::format("{} partitions: {} starts, {} are legal", height, starts.size(),
                         legal.size());
  }
  return std::nullopt;
}

std::optional<std::string> CheckImpactCounts() {
  for (std::size_t node = 0; node < kHeightClasses; ++node) {
    for (std::int64_t size = 1; size <= kLargest; ++size) {
      const auto node_class = static_cast<HeightClass>(node);
      const std::vector<Place> ours = PlacesOf(node, size);
      const std::int64_t places =
          PossiblePlacements(node_class, Granules(size), Granules(kCapacity));
      if (std::cmp_not_equal(places, ours.size()))
        return fmt::format("class {}, size {}: {} places, counted {}", node, size, places,
                           ours.size());
      for (std::size_t other = 0; other < kHeightClasses; ++other) {
        for (std::int64_t theirs = 1; theirs <= kLargest; ++theirs) {
          const std::int64_t impact =
              Impact(node_class, Granules(size), static_cast<HeightClass>(other), Granules(theirs));
          const std::int64_t counted = MostBlocked(ours, PlacesOf(other, theirs));
          if (impact != counted)
            return fmt::format("class {}, size {} beside class {}, size {}: {}, counted {}", node,
                               size, other, theirs, impact, counted);
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace spillway
