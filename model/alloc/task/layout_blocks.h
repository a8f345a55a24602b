// The layout algorithm that all spaces share: blocks by alignment, alias groups phase by phase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/alloc/task/memory_space.h"

namespace spillway::task {

/// What the algorithm knows of an allocation.
struct LayoutItem {
  Units size;
  std::int64_t alignment = 1;  ///< a power of two
};

/// A member of an alias group and where it lies from the group's base.
struct PlacedMember {
  std::size_t item = 0;  ///< index into the items
  Units from_base;
};

/// An alias group as one block.
struct GroupBlock {
  Units size;                         ///< of the largest phase
  std::int64_t alignment = 1;         ///< the largest of any member
  std::vector<PlacedMember> members;  ///< phase by phase, each from the group's base
};

/// The block of phases that share one place; the members of a phase are bumped side by side.
GroupBlock MeasurePhases(std::span<const LayoutItem> items,
                         std::span<const std::vector<std::size_t>> phases);

struct PlacedBlocks {
  std::vector<UnitOffset> offsets;  ///< one for each item
  Units total;                      ///< largest end, not rounded
};

/// Offsets of all `items`: those in no group by themselves, then each group as one block, sorted by
/// alignment, descending and stably, and bumped from 0.
/// Source: ts_pipelines.md §2 (normative).
PlacedBlocks PlaceBlocks(std::span<const LayoutItem> items, std::span<const GroupBlock> groups);

}  // namespace spillway::task
