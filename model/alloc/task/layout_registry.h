// Registrations of one space, from which a layout is computed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/alloc/task/layout.h"

namespace spillway::task {

using RegionPointer = std::shared_ptr<RegionState>;

/// What `LayoutBuilder` and the allocators keep for any space. Regions are told apart by identity.
class LayoutRegistry {
 public:
  LayoutRegistry(MemorySpace space, std::optional<Units> capacity)
      : space_(space), capacity_(capacity) {}

  MemorySpace space() const { return space_; }
  /// Whether the region is registered, by itself or by a group.
  bool Knows(const RegionState* region) const;

  /// Errors: duplicate-allocation, layout.duplicate-name.
  Result<void> Add(RegionPointer region, EntryPurpose purpose = EntryPurpose::kData);
  /// Errors: alias.too-few-phases, alias.empty-phase, alias.duplicate, alias.remote-writer,
  /// duplicate-allocation (a region that another layout placed), layout.duplicate-name.
  Result<void> AddAliasTree(const AliasTree<RegionPointer>& tree);

  /// The layout of all registrations; nothing is written into the regions.
  /// Errors: capacity; duplicate-allocation (a region that another layout placed meanwhile).
  /// Source: ts_pipelines.md §2.
  Result<Layout> Compute() const;

  /// Gives each region its place in a layout that `Compute` returned since the last registration.
  void WriteOffsets(const Layout& layout) const;

 private:
  struct Entry {
    RegionPointer region;
    EntryPurpose purpose = EntryPurpose::kData;
    bool aliased = false;
    bool added = false;  ///< by itself; else a group alone named it
  };

  /// Nothing, or why `tree` can't be a group; `seen` collects its leaves.
  std::optional<Error> CheckTree(const AliasTree<RegionPointer>& tree, const std::string& where,
                                 std::vector<RegionPointer>& seen) const;
  AliasTree<std::size_t> Indexed(const AliasTree<RegionPointer>& tree) const;
  std::optional<Error> CheckName(const RegionState& region) const;
  void Insert(RegionPointer region, EntryPurpose purpose);

  MemorySpace space_;
  std::optional<Units> capacity_;
  std::vector<Entry> entries_;
  std::map<const RegionState*, std::size_t> index_;  ///< for look-up only
  std::set<std::string> names_;
  std::vector<AliasTree<std::size_t>> groups_;
};

}  // namespace spillway::task
