// Columns of TMEM. It computes offsets only: the kernel allocates and deallocates by itself.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "model/alloc/task/capacities.h"
#include "model/alloc/task/layout_builder.h"
#include "model/alloc/task/task_resource.h"

namespace spillway::task {

/// The names are the seed's. Source: seed 001 (TmemAllocator); ts_pipelines.md §4.
class TmemAllocator {
 public:
  /// `capacity` is compared with the total; kUnlimited: nothing is.
  explicit TmemAllocator(std::optional<Columns> capacity = DefaultGpuCapacity().tmem_columns.value);

  /// Errors: layout.frozen, duplicate-allocation, layout.duplicate-name.
  Result<RegionHandle<Tmem>> Add(const RegionHandle<Tmem>& region);
  /// All TMEM requirements; nothing is registered if anything is refused.
  /// Errors: those of Add; requirement-not-cached.
  Result<void> AddResource(const TaskResource& resource);
  /// Errors: layout.frozen and those of `LayoutRegistry::AddAliasTree`.
  Result<void> AddAliasGroup(const AliasPhases<Tmem>& phases);
  Result<void> AddAliasTree(const AliasTree<RegionHandle<Tmem>>& tree);

  /// Once. Errors: layout.twice, with all offsets unchanged; capacity, and then there is no layout.
  Result<void> ComputeLayout();
  bool HasLayout() const { return layout_.has_value(); }
  /// Errors: layout.missing.
  Result<Layout> GetLayout() const;
  Result<Columns> Total() const;
  Result<std::string> UsageReport() const;
  /// What a kernel must allocate: the smallest legal request that holds the total.
  /// Errors: layout.missing; capacity (more than any request).
  Result<Columns> HwColumns() const;
  /// Whether a kernel that allocates `columns` may run.
  /// Errors: layout.missing, tmem.request (not a legal number), tmem.request-too-small.
  Result<void> CheckRequest(Columns columns) const;

  /// Whether all TMEM requirements of `resource` are registered here.
  bool Knows(const TaskResource& resource) const;

 private:
  std::optional<Error> Frozen(std::string_view what) const;

  LayoutRegistry registry_;
  std::optional<Layout> layout_;
};

}  // namespace spillway::task
