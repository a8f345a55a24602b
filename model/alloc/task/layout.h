// Where the regions of one space lie: an immutable value, and its report.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/task/alias_tree.h"
#include "model/alloc/task/region.h"

namespace spillway::task {

/// What an allocation of a layout is for.
enum class EntryPurpose { kData, kBarriers };

struct LayoutEntry {
  std::string name;
  Units size;
  std::int64_t alignment = 1;
  UnitOffset offset;
  bool aliased = false;
  EntryPurpose purpose = EntryPurpose::kData;
  std::shared_ptr<const RegionState> region;  ///< whose place this is

  friend bool operator==(const LayoutEntry&, const LayoutEntry&) = default;
};

/// A layout of one space.
struct Layout {
  MemorySpace space = MemorySpace::kSmem;
  std::vector<LayoutEntry> entries;  ///< as registered, then members that only groups name
  std::vector<AliasTree<std::size_t>> groups;  ///< over indices of `entries`
  Units total;                                 ///< largest end, not rounded
  std::optional<Units> capacity;               ///< nothing: not compared
};

/// Largest alignment of any entry; the space's default where there is none.
std::int64_t BlockAlignment(const Layout& layout);
/// Units of barrier storage.
Units BarrierUnits(const Layout& layout);
/// The sum of all sizes less the total; what padding costs counts against it.
Units SavedByAliasing(const Layout& layout);

/// "[smem-layout] Memory Usage Report": a table by offset, the alias groups, the totals.
/// Source: ts_pipelines.md §2, usage report.
std::string UsageReport(const Layout& layout);
/// "SMEM usage: 49408 B (data 49152 B + barriers 256 B) / 232448 B capacity".
std::string UsageSummary(const Layout& layout);

}  // namespace spillway::task
