#include "model/alloc/task/alias_tree.h"

#include <algorithm>

#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway::task {

GroupBlock MeasureTree(std::span<const LayoutItem> items, const AliasTree<std::size_t>& tree) {
  if (tree.node == AliasNode::kLeaf) {
    SPILLWAY_CHECK(tree.leaf.size() == 1 && tree.children.empty(), "a leaf is one allocation");
    const std::size_t item = tree.leaf.front();
    return {items[item].size, items[item].alignment, {{item, Units(0)}}};
  }
  GroupBlock block;
  Units cursor;
  for (const AliasTree<std::size_t>& child : tree.children) {
    const GroupBlock part = MeasureTree(items, child);
    if (tree.node == AliasNode::kAlt) cursor = Units(0);
    cursor = Units(RoundUp(cursor.value, part.alignment));
    for (const PlacedMember& member : part.members)
      block.members.push_back({member.item, cursor + member.from_base});
    cursor += part.size;
    const Units largest = std::max(block.size, cursor);
    block.size = SPILLWAY_FAULT(
        D13, largest,
        tree.node == AliasNode::kAlt && fault::variant == 0 && block.size > Units(0) ? block.size
                                                                                     : largest);
    block.alignment = std::max(block.alignment, part.alignment);
  }
  return block;
}

}  // namespace spillway::task
