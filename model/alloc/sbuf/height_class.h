// Which partition bands a tensor may occupy, and what one tensor takes from another's choices.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "model/hw/fault.h"
#include "model/hw/interval.h"
#include "model/hw/units.h"

namespace spillway {

/// Bands in which a tensor of some height may lie. The numbers are the seed's height classes.
/// Source: colorer.md §2.
enum class HeightClass : std::uint8_t {
  kAnyQuadrant = 0,  ///< up to 32 partitions, anywhere
  kQuadrant0 = 1,    ///< up to 32 partitions, start fixed at 0, 32, 64, 96
  kQuadrant32 = 2,
  kQuadrant64 = 3,
  kQuadrant96 = 4,
  kAnyHalf = 5,  ///< 33 to 64 partitions
  kLowerHalf = 6,
  kUpperHalf = 7,
  kFull = 8,  ///< more than 64 partitions
};
inline constexpr std::size_t kHeightClasses = 9;

/// Bit q set: quadrant [32 q, 32 q + 32) is occupied.
using QuadrantMask = std::uint8_t;
inline constexpr std::size_t kQuadrants = 4;
inline constexpr PartitionCount kQuadrantHeight{32};

/// Quadrants, halves, the whole: each kind from the lowest partition up.
inline constexpr std::array<QuadrantMask, 7> kBands = {0b0001, 0b0010, 0b0100, 0b1000,
                                                       0b0011, 0b1100, 0b1111};

/// The bands among which a class chooses, lowest first.
constexpr std::span<const QuadrantMask> BandsOf(HeightClass height) {
  const std::span<const QuadrantMask> all(kBands);
  const auto index = static_cast<std::size_t>(height);
  if (height == HeightClass::kAnyQuadrant) return all.subspan(0, 4);
  if (height == HeightClass::kAnyHalf) return all.subspan(4, 2);
  if (height == HeightClass::kFull) return all.subspan(6, 1);
  return index <= 4 ? all.subspan(index - 1, 1) : all.subspan(index - 2, 1);
}

/// At most this many of `node`'s bands does a `neighbor` block, wherever it is put.
constexpr int BlockedBands(HeightClass neighbor, HeightClass node) {
  int worst = 0;
  for (const QuadrantMask theirs : BandsOf(neighbor)) {
    int blocked = 0;
    for (const QuadrantMask ours : BandsOf(node)) blocked += (theirs & ours) != 0 ? 1 : 0;
    worst = blocked > worst ? blocked : worst;
  }
  return worst;
}

/// kVerticalImpact[neighbor][node], derived from the band sets.
inline constexpr auto kVerticalImpact = [] {
  std::array<std::array<int, kHeightClasses>, kHeightClasses> table{};
  for (std::size_t j = 0; j < kHeightClasses; ++j) {
    for (std::size_t i = 0; i < kHeightClasses; ++i) {
      table[j][i] = BlockedBands(static_cast<HeightClass>(j), static_cast<HeightClass>(i));
    }
  }
  return table;
}();

/// The table that the seed prints. Source: seed 003 §2 (inferred there, derived here).
inline constexpr std::array<std::array<int, kHeightClasses>, kHeightClasses> kPrintedImpact = {{
    {1, 1, 1, 1, 1, 1, 1, 1, 1},
    {1, 1, 0, 0, 0, 1, 1, 0, 1},
    {1, 0, 1, 0, 0, 1, 1, 0, 1},
    {1, 0, 0, 1, 0, 1, 0, 1, 1},
    {1, 0, 0, 0, 1, 1, 0, 1, 1},
    {2, 1, 1, 1, 1, 1, 1, 1, 1},
    {2, 1, 1, 0, 0, 1, 1, 0, 1},
    {2, 0, 0, 1, 1, 1, 0, 1, 1},
    {4, 1, 1, 1, 1, 2, 1, 1, 1},
}};
static_assert(kVerticalImpact == kPrintedImpact,
              "the band sets give the seed's table, cell for cell");

/// The table's cell for a neighbour and a node.
constexpr int VerticalImpact(HeightClass neighbor, HeightClass node) {
  const auto row = static_cast<std::size_t>(neighbor);
  const auto column = static_cast<std::size_t>(node);
  int blocked =
      SPILLWAY_CONSTEXPR_FAULT(B12, kVerticalImpact[row][column], kVerticalImpact[column][row]);
  // B10 and B11 are sweeps: their variant counts the cells row by row.
  int less = SPILLWAY_CONSTEXPR_FAULT(B10, 0, fault::IsVariant(row * kHeightClasses + column));
  int more = SPILLWAY_CONSTEXPR_FAULT(B11, 0, fault::IsVariant(row * kHeightClasses + column));
  return blocked - less + more;
}

/// The class of a tensor of `partitions` that may start at any legal partition.
constexpr HeightClass ClassOf(PartitionCount partitions) {
  // B4.0 wastes: the boundary counts to the taller class. B4.1 counts one past it to the lower.
  const PartitionCount shift(SPILLWAY_CONSTEXPR_FAULT(B4, 0, fault::variant == 1 ? 1 : -1));
  if (partitions <= kQuadrantHeight + shift) return HeightClass::kAnyQuadrant;
  if (partitions <= 2 * kQuadrantHeight + shift) return HeightClass::kAnyHalf;
  return HeightClass::kFull;
}

/// The class of a tensor of `partitions` whose band starts at `start`. A start that no class has
/// (a hand-placed tensor may lie anywhere) gives kFull, which is conservative.
constexpr HeightClass PinnedClassOf(PartitionCount partitions, Partition start) {
  if (ClassOf(partitions) == HeightClass::kAnyQuadrant && start.value % 32 == 0) {
    return static_cast<HeightClass>(1 + start.value / 32);
  }
  if (SPILLWAY_CONSTEXPR_FAULT(A13, false, start.value % 32 == 0)) {
    return static_cast<HeightClass>(1 + start.value / 32);
  }
  if (ClassOf(partitions) == HeightClass::kAnyHalf && start.value % 64 == 0) {
    return static_cast<HeightClass>(6 + start.value / 64);
  }
  return HeightClass::kFull;
}

/// The quadrants that a range of partitions touches.
constexpr QuadrantMask QuadrantsOf(const Interval<Partition>& partitions) {
  QuadrantMask mask = 0;
  for (std::size_t q = 0; q < kQuadrants; ++q) {
    const Partition start(static_cast<std::int64_t>(q) * kQuadrantHeight.value);
    if (Overlap(partitions, {start, start + kQuadrantHeight})) {
      mask = static_cast<QuadrantMask>(mask | (1u << q));
    }
  }
  return mask;
}

/// First partition of a band.
constexpr Partition StartOf(QuadrantMask band) {
  return Partition(std::countr_zero(static_cast<unsigned>(band)) * kQuadrantHeight.value);
}

/// A size in granules: the unit in which the geometric degree test counts.
using Granules = Quantity<struct GranulesTag>;

/// The geometric K: how many places a node of this height and size has in an empty memory.
/// Counted as (band, first granule) pairs; 0 where it doesn't fit at all.
/// Source: colorer.md §2 (choice: byte positions, in granules).
constexpr std::int64_t PossiblePlacements(HeightClass height, Granules size, Granules capacity) {
  if (size > capacity) return 0;
  const auto bands = static_cast<std::int64_t>(BandsOf(height).size());
  return SPILLWAY_CONSTEXPR_FAULT(B14, bands, 4 / bands) * (capacity.value + 1 - size.value);
}

/// At most this many of `node`'s places does `neighbor` take: in each band that it can touch, the
/// first granules from which the two would overlap. So PossiblePlacements - sum of impacts > 0
/// guarantees a free place, wherever the neighbours lie.
/// Source: seed 003 §2; Smith, Ramsey and Holloway 2004 (generalised colouring).
constexpr std::int64_t Impact(HeightClass node, Granules node_size, HeightClass neighbor,
                              Granules neighbor_size) {
  return VerticalImpact(neighbor, node) *
         (node_size.value + neighbor_size.value - SPILLWAY_CONSTEXPR_FAULT(B13, 1, 0));
}

}  // namespace spillway
