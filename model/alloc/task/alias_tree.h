// Alias groups that nest: allocations side by side or in the same place, to any depth.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "model/alloc/task/layout_blocks.h"

namespace spillway::task {

/// kSeq: the children lie side by side. kAlt: all children start at the same place.
enum class AliasNode { kLeaf, kSeq, kAlt };

/// A tree over allocations; a flat alias group is an Alt of Seqs of leaves.
/// Source: ts_pipelines.md §3 (choice: nested groups).
template <class Leaf>
struct AliasTree {
  AliasNode node = AliasNode::kLeaf;
  std::vector<Leaf> leaf;  ///< exactly one for kLeaf
  std::vector<AliasTree> children;

  static AliasTree Of(Leaf item) { return {AliasNode::kLeaf, {std::move(item)}, {}}; }
  static AliasTree Seq(std::vector<AliasTree> children) {
    return {AliasNode::kSeq, {}, std::move(children)};
  }
  static AliasTree Alt(std::vector<AliasTree> children) {
    return {AliasNode::kAlt, {}, std::move(children)};
  }
};

/// The block of a tree over indices of `items`: a Seq bumps its children, each to its own
/// alignment, an Alt is as large as its largest child.
GroupBlock MeasureTree(std::span<const LayoutItem> items, const AliasTree<std::size_t>& tree);

}  // namespace spillway::task
