#include "model/alloc/task/layout_blocks.h"

#include <algorithm>
#include <optional>

#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway::task {
namespace {

/// An item in no group, or a group.
struct Block {
  Units size;
  std::int64_t alignment = 1;
  std::size_t item = 0;  ///< where `group` is null
  const GroupBlock* group = nullptr;
};

std::vector<Block> Blocks(std::span<const LayoutItem> items, std::span<const GroupBlock> groups) {
  std::vector<bool> aliased(items.size(), false);
  for (const GroupBlock& group : groups) {
    for (const PlacedMember& member : group.members) {
      SPILLWAY_CHECK(!aliased[member.item], "an item lies in one group at most");
      aliased[member.item] = true;
    }
  }
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!aliased[i]) blocks.push_back({items[i].size, items[i].alignment, i, nullptr});
  }
  for (const GroupBlock& group : groups) blocks.push_back({group.size, group.alignment, 0, &group});
  return blocks;
}

}  // namespace

GroupBlock MeasurePhases(std::span<const LayoutItem> items,
                         std::span<const std::vector<std::size_t>> phases) {
  GroupBlock group;
  for (const std::vector<std::size_t>& phase : phases) {
    Units cursor;
    for (const std::size_t i : phase) {
      cursor = Units(RoundUp(cursor.value, items[i].alignment));
      group.members.push_back({i, cursor});
      cursor += items[i].size;
      group.alignment = std::max(group.alignment, items[i].alignment);
    }
    const Units largest = std::max(group.size, cursor);
    group.size = SPILLWAY_FAULT(
        D13, largest, fault::variant == 0 && group.size > Units(0) ? group.size : largest);
  }
  return group;
}

PlacedBlocks PlaceBlocks(std::span<const LayoutItem> items, std::span<const GroupBlock> groups) {
  std::vector<Block> blocks = Blocks(items, groups);
  const auto higher = [](const Block& a, const Block& b) { return a.alignment > b.alignment; };
  // Only alignment is a key: equal ones keep their order, so plain items stand before groups.
  std::stable_sort(blocks.begin(), blocks.end(), higher);
  if (SPILLWAY_FAULT(D13, false, fault::variant == 1)) {
    std::reverse(blocks.begin(), blocks.end());
    std::stable_sort(blocks.begin(), blocks.end(), higher);
  }
  PlacedBlocks placed;
  placed.offsets.resize(items.size());
  Units cursor;
  for (const Block& block : blocks) {
    cursor = Units(RoundUp(cursor.value, block.alignment));
    const UnitOffset base(cursor.value);
    if (block.group == nullptr) placed.offsets[block.item] = base;
    if (block.group != nullptr) {
      for (const PlacedMember& member : block.group->members)
        placed.offsets[member.item] = base + member.from_base;
    }
    cursor += block.size;
  }
  placed.total = cursor;
  return placed;
}

}  // namespace spillway::task
