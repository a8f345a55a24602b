#include "model/alloc/task/layout_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/alloc/task/codes.h"

namespace spillway::task {
namespace {

Error PlacedElsewhere(const RegionState& region) {
  return MakeError(Code::kDuplicateAllocation,
                   fmt::format("allocation {}: expected in one layout, found it placed at {} by "
                               "another",
                               region.name, region.offset->value));
}

}  // namespace

bool LayoutRegistry::Knows(const RegionState* region) const { return index_.contains(region); }

std::optional<Error> LayoutRegistry::CheckName(const RegionState& region) const {
  if (!names_.contains(region.name)) return std::nullopt;
  return MakeError(Code::kLayoutDuplicateName,
                   fmt::format("allocation {}: expected a name that no other of this allocator has",
                               region.name));
}

void LayoutRegistry::Insert(RegionPointer region, EntryPurpose purpose) {
  names_.insert(region->name);
  index_.emplace(region.get(), entries_.size());
  entries_.push_back({std::move(region), purpose, false, false});
}

Result<void> LayoutRegistry::Add(RegionPointer region, EntryPurpose purpose) {
  SPILLWAY_CHECK(region->space == space_, "handles are typed by their space");
  const auto known = index_.find(region.get());
  if (known != index_.end()) {
    Entry& entry = entries_[known->second];
    if (entry.added) {
      return Fail(MakeError(Code::kDuplicateAllocation,
                            fmt::format("allocation {}: expected to be added once, found it added "
                                        "before",
                                        region->name)));
    }
    // A group named it before its resource came.
    entry.added = true;
    entry.purpose = purpose;
    return {};
  }
  if (region->offset) return Fail(PlacedElsewhere(*region));
  if (std::optional<Error> error = CheckName(*region)) return Fail(std::move(*error));
  Insert(std::move(region), purpose);
  entries_.back().added = true;
  return {};
}

std::optional<Error> LayoutRegistry::CheckTree(const AliasTree<RegionPointer>& tree,
                                               const std::string& where,
                                               std::vector<RegionPointer>& seen) const {
  if (tree.node == AliasNode::kLeaf) {
    const RegionPointer& region = tree.leaf.front();
    const auto refuse = [&](Code code, std::string_view text) {
      return MakeError(code, fmt::format("{}: allocation {}: {}", where, region->name, text));
    };
    if (std::find(seen.begin(), seen.end(), region) != seen.end())
      return refuse(Code::kAliasDuplicate, "expected once in a group, found twice");
    const auto known = index_.find(region.get());
    if (known != index_.end() && entries_[known->second].aliased)
      return refuse(Code::kAliasDuplicate, "expected in one group, found in another before");
    if (region->remote_writer) {
      return refuse(Code::kAliasRemoteWriter,
                    "expected memory that this core alone writes; local barriers can't order the "
                    "writes of another core or a cluster peer, so give it memory of its own");
    }
    if (known == index_.end()) {
      if (region->offset) return PlacedElsewhere(*region);
      if (std::optional<Error> error = CheckName(*region)) return error;
      const auto same_name = [&](const RegionPointer& other) {
        return other->name == region->name;
      };
      if (std::any_of(seen.begin(), seen.end(), same_name)) {
        return refuse(Code::kLayoutDuplicateName, "expected a name that no other member has");
      }
    }
    seen.push_back(region);
    return std::nullopt;
  }
  if (tree.node == AliasNode::kAlt && tree.children.size() < 2) {
    return MakeError(
        Code::kAliasTooFewPhases,
        fmt::format("{}: expected at least 2 phases, found {}", where, tree.children.size()));
  }
  if (tree.children.empty()) {
    return MakeError(Code::kAliasEmptyPhase,
                     fmt::format("{}: expected at least 1 allocation, found none", where));
  }
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    const std::string inside =
        fmt::format("{}{} {}", where, tree.node == AliasNode::kAlt ? ", phase" : ", part", i + 1);
    if (std::optional<Error> error = CheckTree(tree.children[i], inside, seen)) return error;
  }
  return std::nullopt;
}

AliasTree<std::size_t> LayoutRegistry::Indexed(const AliasTree<RegionPointer>& tree) const {
  AliasTree<std::size_t> indexed{tree.node, {}, {}};
  for (const RegionPointer& region : tree.leaf) indexed.leaf.push_back(index_.at(region.get()));
  for (const auto& child : tree.children) indexed.children.push_back(Indexed(child));
  return indexed;
}

Result<void> LayoutRegistry::AddAliasTree(const AliasTree<RegionPointer>& tree) {
  std::vector<RegionPointer> leaves;
  const std::string where = fmt::format("alias group {}", groups_.size() + 1);
  if (std::optional<Error> error = CheckTree(tree, where, leaves)) return Fail(std::move(*error));
  for (const RegionPointer& region : leaves) {
    SPILLWAY_CHECK(region->space == space_, "handles are typed by their space");
    if (!Knows(region.get())) Insert(region, EntryPurpose::kData);
    entries_[index_.at(region.get())].aliased = true;
  }
  groups_.push_back(Indexed(tree));
  return {};
}

Result<Layout> LayoutRegistry::Compute() const {
  std::vector<LayoutItem> items;
  for (const Entry& entry : entries_) {
    if (entry.region->offset) return Fail(PlacedElsewhere(*entry.region));
    items.push_back({entry.region->size, entry.region->alignment});
  }
  std::vector<GroupBlock> blocks;
  for (const AliasTree<std::size_t>& group : groups_) blocks.push_back(MeasureTree(items, group));
  const PlacedBlocks placed = PlaceBlocks(items, blocks);
  Layout layout;
  layout.space = space_;
  layout.groups = groups_;
  layout.total = placed.total;
  layout.capacity = capacity_;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const RegionState& region = *entries_[i].region;
    layout.entries.push_back({region.name, region.size, region.alignment, placed.offsets[i],
                              entries_[i].aliased, entries_[i].purpose, entries_[i].region});
  }
  if (capacity_ && layout.total > *capacity_) {
    std::string usage = UsageSummary(layout);
    // Both parts, even where one of them is nothing.
    if (space_ == MemorySpace::kSmem && BarrierUnits(layout) == Units(0))
      usage += fmt::format(" (data {} B + barriers 0 B)", layout.total.value);
    return Fail(MakeError(Code::kCapacity, usage + "; fewer stages or alias groups need less"));
  }
  return layout;
}

void LayoutRegistry::WriteOffsets(const Layout& layout) const {
  SPILLWAY_CHECK(layout.entries.size() == entries_.size(), "the layout is of these registrations");
  for (std::size_t i = 0; i < entries_.size(); ++i)
    entries_[i].region->offset = layout.entries[i].offset;
}

}  // namespace spillway::task
