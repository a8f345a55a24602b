// One block of SMEM for the data and the barriers of all resources.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/alloc/task/capacities.h"
#include "model/alloc/task/layout_builder.h"
#include "model/alloc/task/pipeline_group.h"
#include "model/alloc/task/task_resource.h"

namespace spillway::task {

/// The block that `Allocate` emits.
struct SmemBlock {
  ByteOffset base;
  Bytes size;
  Bytes alignment;
  friend bool operator==(const SmemBlock&, const SmemBlock&) = default;
};

/// Elements at an address.
struct TypedView {
  ByteOffset begin;
  ElementType element;
  std::int64_t count = 0;
  friend bool operator==(const TypedView&, const TypedView&) = default;
};

struct SmemOptions {
  /// Compared with data and barriers together; kUnlimited: not compared.
  std::optional<Bytes> capacity = DefaultGpuCapacity().smem_bytes.value;
  bool add_barriers = true;  ///< off where a barrier allocator owns the storage
};

/// The names are the seed's: registrations, one layout, one block, barrier addresses.
/// Source: seed 001 (SmemAllocator); ts_pipelines.md §4.
class SmemAllocator {
 public:
  explicit SmemAllocator(const SmemOptions& options = {});

  /// Errors: layout.frozen, duplicate-allocation, layout.duplicate-name.
  Result<RegionHandle<Smem>> Add(const RegionHandle<Smem>& region);
  /// All SMEM requirements of `resource`; where barriers are on and its pipeline has no address and
  /// no group, also "<resource>.barriers". Nothing is registered if anything is refused.
  /// Errors: those of Add; requirement-not-cached.
  Result<void> AddResource(const TaskResource& resource,
                           std::optional<bool> add_barriers = std::nullopt);
  /// "<group>.barriers". Errors: those of Add.
  Result<void> AddPipelineGroup(const PipelineGroup& group);
  /// The bytes that receive the base of TMEM at run time. Errors: those of Add;
  /// smem.tmem-slot-twice.
  Result<RegionHandle<Smem>> AddTmemSlot(const RegionHandle<Smem>& region);
  /// Errors: layout.frozen and those of `LayoutRegistry::AddAliasTree`.
  Result<void> AddAliasGroup(const AliasPhases<Smem>& phases);
  Result<void> AddAliasTree(const AliasTree<RegionHandle<Smem>>& tree);
  /// Barrier storage of a barrier allocator, which calls this. Errors: lifecycle after the layout.
  Result<RegionHandle<Smem>> AddBarrierBacking(const RegionHandle<Smem>& region);

  /// Once. Errors: layout.twice, with all offsets unchanged; capacity, and then there is no layout.
  Result<void> ComputeLayout();
  bool HasLayout() const { return layout_.has_value(); }
  /// Errors: layout.missing.
  Result<Layout> GetLayout() const;
  Result<Bytes> Total() const;
  Result<Bytes> BarrierBytes() const;
  /// The total less the barriers.
  Result<Bytes> DataBytes() const;
  Result<std::string> UsageReport() const;

  /// One block for data and barriers; a second call returns the same. Errors: lifecycle.
  Result<SmemBlock> Allocate();
  bool IsAllocated() const { return block_.has_value(); }
  /// Gives every registered pipeline its barriers; one that has an address keeps it.
  /// Errors: lifecycle.
  Result<void> AssignBarriers();
  bool AreBarriersAssigned() const { return barriers_assigned_; }
  /// `count` elements, or all of them, at base + offset.
  /// Errors: lifecycle (before Allocate), view.no-element-type, view.foreign, view.too-long.
  Result<TypedView> View(const RegionHandle<Smem>& region,
                         std::optional<std::int64_t> count = std::nullopt) const;

  /// Whether all SMEM requirements of `resource` are registered here.
  bool Knows(const TaskResource& resource) const;
  const std::optional<RegionHandle<Smem>>& tmem_slot() const { return tmem_slot_; }

 private:
  using Owner = std::variant<PipelinePointer, PipelineGroup>;
  struct BarrierStorage {
    Region<Smem> region;
    Owner owner;
  };

  std::optional<Error> Frozen(std::string_view what) const;
  Result<void> AddBarriers(std::string name, BarrierCount count, Owner owner);

  SmemOptions options_;
  LayoutRegistry registry_;
  std::vector<BarrierStorage> barriers_;
  std::optional<RegionHandle<Smem>> tmem_slot_;
  std::optional<Layout> layout_;
  std::optional<SmemBlock> block_;
  bool barriers_assigned_ = false;
};

}  // namespace spillway::task
