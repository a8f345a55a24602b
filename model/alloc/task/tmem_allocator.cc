#include "model/alloc/task/tmem_allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/alloc/task/codes.h"

namespace spillway::task {
namespace {

Error NoLayout(std::string_view question) {
  return MakeError(Code::kLayoutMissing,
                   fmt::format("tmem: expected ComputeLayout before {}", question));
}

}  // namespace

TmemAllocator::TmemAllocator(std::optional<Columns> capacity)
    : registry_(MemorySpace::kTmem,
                capacity ? std::optional<Units>(Units(capacity->value)) : std::nullopt) {}

std::optional<Error> TmemAllocator::Frozen(std::string_view what) const {
  if (!layout_) return std::nullopt;
  return MakeError(Code::kLayoutFrozen,
                   fmt::format("tmem: {}: expected before ComputeLayout, found after it", what));
}

Result<RegionHandle<Tmem>> TmemAllocator::Add(const RegionHandle<Tmem>& region) {
  if (std::optional<Error> error = Frozen("allocation " + region.name()))
    return Fail(std::move(*error));
  Result<void> added = registry_.Add(region.state());
  if (!added) return Fail(std::move(added.error()));
  return region;
}

Result<void> TmemAllocator::AddResource(const TaskResource& resource) {
  if (std::optional<Error> error = Frozen("resource " + resource.name()))
    return Fail(std::move(*error));
  const Result<std::vector<RegionHandle<Tmem>>> regions = CachedTmemRequirements(resource);
  if (!regions) return Fail(regions.error());
  const LayoutRegistry before = registry_;
  for (const RegionHandle<Tmem>& region : *regions) {
    Result<void> added = registry_.Add(region.state());
    if (added) continue;
    registry_ = before;
    return added;
  }
  return {};
}

Result<void> TmemAllocator::AddAliasGroup(const AliasPhases<Tmem>& phases) {
  if (std::optional<Error> error = Frozen("an alias group")) return Fail(std::move(*error));
  return registry_.AddAliasTree(TreeOf<Tmem>(phases));
}

Result<void> TmemAllocator::AddAliasTree(const AliasTree<RegionHandle<Tmem>>& tree) {
  if (std::optional<Error> error = Frozen("an alias group")) return Fail(std::move(*error));
  return registry_.AddAliasTree(TreeOf<Tmem>(tree));
}

Result<void> TmemAllocator::ComputeLayout() {
  if (layout_) {
    return Fail(MakeError(Code::kLayoutTwice,
                          "tmem: expected one ComputeLayout, found a second one; offsets stay"));
  }
  Result<Layout> layout = registry_.Compute();
  if (!layout) return Fail(std::move(layout.error()));
  registry_.WriteOffsets(*layout);
  layout_ = std::move(*layout);
  return {};
}

Result<Layout> TmemAllocator::GetLayout() const {
  if (!layout_) return Fail(NoLayout("its layout is asked for"));
  return *layout_;
}

Result<Columns> TmemAllocator::Total() const {
  if (!layout_) return Fail(NoLayout("its total is asked for"));
  return Columns(layout_->total.value);
}

Result<std::string> TmemAllocator::UsageReport() const {
  if (!layout_) return Fail(NoLayout("its usage is asked for"));
  return task::UsageReport(*layout_) + UsageSummary(*layout_) + "\n";
}

Result<Columns> TmemAllocator::HwColumns() const {
  if (!layout_) return Fail(NoLayout("its columns are asked for"));
  const GpuRules& rules = TheGpuRules();
  const Columns most = rules.largest_tmem_request;
  if (layout_->total.value > most.value) {
    return Fail(
        MakeError(Code::kCapacity, fmt::format("tmem: expected at most {} columns, found {}; "
                                               "fewer stages or alias groups need less",
                                               most.value, layout_->total.value)));
  }
  const auto power = std::bit_ceil(static_cast<std::uint64_t>(layout_->total.value));
  return std::max(rules.smallest_tmem_request.value, Columns(static_cast<std::int64_t>(power)));
}

Result<void> TmemAllocator::CheckRequest(Columns columns) const {
  const Result<Columns> needed = HwColumns();
  if (!needed) return Fail(needed.error());
  const GpuRules& rules = TheGpuRules();
  const Columns least = rules.smallest_tmem_request;
  const Columns most = rules.largest_tmem_request;
  if (columns < least || columns > most ||
      !std::has_single_bit(static_cast<std::uint64_t>(columns.value))) {
    return Fail(MakeError(Code::kTmemRequest,
                          fmt::format("tmem: expected a request of a power of two from {} to {} "
                                      "columns, found {}",
                                      least.value, most.value, columns.value)));
  }
  if (columns < *needed) {
    return Fail(
        MakeError(Code::kTmemRequestTooSmall,
                  fmt::format("tmem: expected a request of at least {} columns for a layout "
                              "of {}, found {}",
                              needed->value, layout_->total.value, columns.value)));
  }
  return {};
}

bool TmemAllocator::Knows(const TaskResource& resource) const {
  const std::vector<RegionHandle<Tmem>> regions = resource.TmemRequirements();
  return std::all_of(regions.begin(), regions.end(), [&](const RegionHandle<Tmem>& region) {
    return registry_.Knows(region.state().get());
  });
}

}  // namespace spillway::task
