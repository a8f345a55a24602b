// A builder that turns into a layout, so that a second layout is impossible by construction.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "model/alloc/task/layout_registry.h"

namespace spillway::task {

/// Phases of an alias group: the members of a phase coexist.
template <class Space>
using AliasPhases = std::vector<std::vector<RegionHandle<Space>>>;

/// A flat group as a tree.
template <class Space>
AliasTree<RegionPointer> TreeOf(const AliasPhases<Space>& phases) {
  std::vector<AliasTree<RegionPointer>> alternatives;
  for (const std::vector<RegionHandle<Space>>& phase : phases) {
    std::vector<AliasTree<RegionPointer>> members;
    for (const RegionHandle<Space>& member : phase)
      members.push_back(AliasTree<RegionPointer>::Of(member.state()));
    alternatives.push_back(AliasTree<RegionPointer>::Seq(std::move(members)));
  }
  return AliasTree<RegionPointer>::Alt(std::move(alternatives));
}

/// A nested group without its handles' type.
template <class Space>
AliasTree<RegionPointer> TreeOf(const AliasTree<RegionHandle<Space>>& tree) {
  AliasTree<RegionPointer> erased{tree.node, {}, {}};
  for (const RegionHandle<Space>& leaf : tree.leaf) erased.leaf.push_back(leaf.state());
  for (const auto& child : tree.children) erased.children.push_back(TreeOf<Space>(child));
  return erased;
}

/// Registrations of regions of one space; members of other spaces don't compile.
/// Source: ts_pipelines.md §1 (choice, for C++) and §2.
template <class Space>
class LayoutBuilder {
 public:
  explicit LayoutBuilder(std::optional<typename Space::Size> capacity = std::nullopt)
      : registry_(Space::kSpace,
                  capacity ? std::optional<Units>(Units(capacity->value)) : std::nullopt) {}

  /// Errors: those of `LayoutRegistry::Add`.
  Result<RegionHandle<Space>> Add(const RegionHandle<Space>& region) {
    Result<void> added = registry_.Add(region.state());
    if (!added) return Fail(std::move(added.error()));
    return region;
  }
  /// Errors: those of `LayoutRegistry::AddAliasTree`.
  Result<void> AddAliasGroup(const AliasPhases<Space>& phases) {
    return registry_.AddAliasTree(TreeOf<Space>(phases));
  }
  Result<void> AddAliasTree(const AliasTree<RegionHandle<Space>>& tree) {
    return registry_.AddAliasTree(TreeOf<Space>(tree));
  }
  /// The layout, once; the regions have their offsets afterwards.
  /// Errors: capacity, duplicate-allocation; then no region has an offset.
  Result<Layout> Build() && {
    Result<Layout> layout = registry_.Compute();
    if (layout) registry_.WriteOffsets(*layout);
    return layout;
  }

 private:
  LayoutRegistry registry_;
};

}  // namespace spillway::task
