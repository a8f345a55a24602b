#include "model/alloc/task/smem_allocator.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/task/codes.h"
#include "model/hw/fault.h"

namespace spillway::task {
namespace {

std::optional<Units> InUnits(const std::optional<Bytes>& bytes) {
  if (!bytes) return std::nullopt;
  return Units(bytes->value);
}

Error NoLayout(std::string_view question) {
  return MakeError(Code::kLayoutMissing,
                   fmt::format("smem: expected ComputeLayout before {}", question));
}

Error OutOfOrder(std::string_view call, std::string_view before) {
  return MakeError(Code::kLifecycle, fmt::format("smem: expected {} before {}", before, call));
}

}  // namespace

SmemAllocator::SmemAllocator(const SmemOptions& options)
    : options_(options), registry_(MemorySpace::kSmem, InUnits(options.capacity)) {}

std::optional<Error> SmemAllocator::Frozen(std::string_view what) const {
  if (!layout_) return std::nullopt;
  return MakeError(Code::kLayoutFrozen,
                   fmt::format("smem: {}: expected before ComputeLayout, found after it", what));
}

Result<RegionHandle<Smem>> SmemAllocator::Add(const RegionHandle<Smem>& region) {
  if (std::optional<Error> error = Frozen("allocation " + region.name()))
    return Fail(std::move(*error));
  Result<void> added = registry_.Add(region.state());
  if (!added) return Fail(std::move(added.error()));
  return region;
}

Result<void> SmemAllocator::AddBarriers(std::string name, BarrierCount count, Owner owner) {
  ByteRegionOptions options;
  options.name = std::move(name);
  options.size = Bytes(count.value * kBarrierBytes);
  options.alignment = kBarrierBytes;
  Result<Region<Smem>> region = Region<Smem>::Create(std::move(options));
  if (!region) return Fail(std::move(region.error()));
  Result<void> added = registry_.Add(region->handle().state(), EntryPurpose::kBarriers);
  if (!added) return added;
  barriers_.push_back({std::move(*region), std::move(owner)});
  return {};
}

Result<void> SmemAllocator::AddResource(const TaskResource& resource,
                                        std::optional<bool> add_barriers) {
  if (std::optional<Error> error = Frozen("resource " + resource.name()))
    return Fail(std::move(*error));
  const Result<std::vector<RegionHandle<Smem>>> regions = CachedSmemRequirements(resource);
  if (!regions) return Fail(regions.error());
  // On a copy, so that a refusal leaves nothing behind.
  const LayoutRegistry before = registry_;
  const auto undo = [&](Result<void> failed) {
    registry_ = before;
    return failed;
  };
  for (const RegionHandle<Smem>& region : *regions) {
    Result<void> added = registry_.Add(region.state());
    if (!added) return undo(std::move(added));
  }
  const PipelinePointer pipeline = resource.pipeline();
  if (!pipeline || !add_barriers.value_or(options_.add_barriers)) return {};
  if (pipeline->barriers() || !pipeline->group().empty()) return {};
  constexpr std::int64_t kBarriersPerStage = 2;  // full and empty
  Result<void> added =
      AddBarriers(resource.name() + ".barriers",
                  BarrierCount(kBarriersPerStage * pipeline->options().stages), pipeline);
  return added ? added : undo(std::move(added));
}

Result<void> SmemAllocator::AddPipelineGroup(const PipelineGroup& group) {
  if (std::optional<Error> error = Frozen("group " + group.name())) return Fail(std::move(*error));
  return AddBarriers(group.name() + ".barriers", group.Barriers(), group);
}

Result<RegionHandle<Smem>> SmemAllocator::AddTmemSlot(const RegionHandle<Smem>& region) {
  if (tmem_slot_) {
    return Fail(
        MakeError(Code::kSmemTmemSlotTwice,
                  fmt::format("smem: slot {}: expected one slot for the base of TMEM, found "
                              "{} before",
                              region.name(), tmem_slot_->name())));
  }
  Result<RegionHandle<Smem>> added = Add(region);
  if (added) tmem_slot_ = *added;
  return added;
}

Result<void> SmemAllocator::AddAliasGroup(const AliasPhases<Smem>& phases) {
  if (std::optional<Error> error = Frozen("an alias group")) return Fail(std::move(*error));
  return registry_.AddAliasTree(TreeOf<Smem>(phases));
}

Result<void> SmemAllocator::AddAliasTree(const AliasTree<RegionHandle<Smem>>& tree) {
  if (std::optional<Error> error = Frozen("an alias group")) return Fail(std::move(*error));
  return registry_.AddAliasTree(TreeOf<Smem>(tree));
}

Result<RegionHandle<Smem>> SmemAllocator::AddBarrierBacking(const RegionHandle<Smem>& region) {
  if (layout_) return Fail(OutOfOrder("ComputeLayout of smem", "SetBacking"));
  Result<void> added = registry_.Add(region.state(), EntryPurpose::kBarriers);
  if (!added) return Fail(std::move(added.error()));
  return region;
}

Result<void> SmemAllocator::ComputeLayout() {
  const bool again = SPILLWAY_FAULT(D15, layout_.has_value(), false);
  if (again) {
    return Fail(MakeError(Code::kLayoutTwice,
                          "smem: expected one ComputeLayout, found a second one; offsets stay"));
  }
  Result<Layout> layout = registry_.Compute();
  if (!layout) return Fail(std::move(layout.error()));
  registry_.WriteOffsets(*layout);
  layout_ = std::move(*layout);
  return {};
}

Result<Layout> SmemAllocator::GetLayout() const {
  if (!layout_) return Fail(NoLayout("its layout is asked for"));
  return *layout_;
}

Result<Bytes> SmemAllocator::Total() const {
  if (!layout_) return Fail(NoLayout("its total is asked for"));
  return Bytes(layout_->total.value);
}

Result<Bytes> SmemAllocator::BarrierBytes() const {
  if (!layout_) return Fail(NoLayout("its barrier bytes are asked for"));
  return Bytes(BarrierUnits(*layout_).value);
}

Result<Bytes> SmemAllocator::DataBytes() const {
  if (!layout_) return Fail(NoLayout("its data bytes are asked for"));
  return Bytes((layout_->total - BarrierUnits(*layout_)).value);
}

Result<std::string> SmemAllocator::UsageReport() const {
  if (!layout_) return Fail(NoLayout("its usage is asked for"));
  return task::UsageReport(*layout_) + UsageSummary(*layout_) + "\n";
}

Result<SmemBlock> SmemAllocator::Allocate() {
  if (!layout_) return Fail(OutOfOrder("Allocate", "ComputeLayout"));
  if (!block_) {
    block_ = SmemBlock{ByteOffset(0), Bytes(layout_->total.value), Bytes(BlockAlignment(*layout_))};
  }
  return *block_;
}

Result<void> SmemAllocator::AssignBarriers() {
  if (!block_) return Fail(OutOfOrder("AssignBarriers", "Allocate"));
  for (const BarrierStorage& storage : barriers_) {
    ByteOffset next = block_->base + (*storage.region->offset() - ByteOffset(0));
    if (const PipelinePointer* const pipeline = std::get_if<PipelinePointer>(&storage.owner)) {
      const Bytes row((*pipeline)->options().stages * kBarrierBytes);
      (*pipeline)->GiveBarriers({next, next + row});
      continue;
    }
    const PipelineGroup& group = std::get<PipelineGroup>(storage.owner);
    std::vector<ByteOffset> places;
    for (const BarrierAllocation& allocation : group.Allocations(group.name())) {
      places.push_back(next);
      next = next + Bytes(allocation.count.value * kBarrierBytes);
    }
    group.GiveBarriers(places);
  }
  barriers_assigned_ = true;
  return {};
}

Result<TypedView> SmemAllocator::View(const RegionHandle<Smem>& region,
                                      std::optional<std::int64_t> count) const {
  const auto refuse = [&](Code code, std::string_view text) {
    return Fail(MakeError(code, fmt::format("view of allocation {}: {}", region.name(), text)));
  };
  if (!registry_.Knows(region.state().get()))
    return refuse(Code::kViewForeign, "expected an allocation of this allocator");
  if (!block_) return Fail(OutOfOrder("View", "Allocate"));
  if (!region.element())
    return refuse(Code::kViewNoElementType, "expected one with an element type, found bytes");
  const std::int64_t elements = count.value_or(region.count());
  constexpr std::int64_t kBitsPerByte = 8;
  const std::int64_t room = region.size().value * kBitsPerByte / region.element()->bits;
  if (elements < 1 || elements > room) {
    return refuse(Code::kViewTooLong,
                  fmt::format("expected 1 to {} elements of {} bits in {} B, found {}", room,
                              region.element()->bits, region.size().value, elements));
  }
  return TypedView{block_->base + (*region.offset() - ByteOffset(0)), *region.element(), elements};
}

bool SmemAllocator::Knows(const TaskResource& resource) const {
  const std::vector<RegionHandle<Smem>> regions = resource.SmemRequirements();
  return std::all_of(regions.begin(), regions.end(), [&](const RegionHandle<Smem>& region) {
    return registry_.Knows(region.state().get());
  });
}

}  // namespace spillway::task
