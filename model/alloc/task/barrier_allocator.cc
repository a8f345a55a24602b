#include "model/alloc/task/barrier_allocator.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/task/codes.h"

namespace spillway::task {
namespace {

Error NoLayout(std::string_view question) {
  return MakeError(Code::kLayoutMissing,
                   fmt::format("barriers: expected ComputeLayout before {}", question));
}

Error OutOfOrder(std::string text) {
  return MakeError(Code::kLifecycle, "barriers: " + std::move(text));
}

std::vector<BarrierAllocation> PairOf(const std::string& name, std::int64_t stages,
                                      std::int64_t producer, std::int64_t consumer) {
  return {{name + ".full", BarrierCount(stages), producer, BarrierClass::kV0},
          {name + ".empty", BarrierCount(stages), consumer, BarrierClass::kV0}};
}

}  // namespace

std::vector<InitialisedChunk> InitialisationOf(const BarrierLayout& layout) {
  std::vector<InitialisedChunk> chunks;
  for (BarrierIndex begin; begin < BarrierIndex(layout.padded.value);
       begin = begin + kBarrierChunk) {
    InitialisedChunk chunk{begin, {}};
    std::size_t run = 0;
    for (BarrierIndex entry = begin; entry < begin + kBarrierChunk;
         entry = entry + BarrierCount(1)) {
      // An entry behind a run's end and before the next run is padding of the run before it.
      while (run + 1 < layout.runs.size() && layout.runs[run + 1].begin <= entry) ++run;
      chunk.arrivals.push_back(layout.runs[run].arrivals);
    }
    const std::int64_t first = chunk.arrivals.front();
    if (std::all_of(chunk.arrivals.begin(), chunk.arrivals.end(),
                    [&](std::int64_t arrivals) { return arrivals == first; }))
      chunk.arrivals.resize(1);
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

std::optional<Error> BarrierAllocator::CheckNew(
    const std::vector<BarrierAllocation>& allocations) const {
  for (const BarrierAllocation& allocation : allocations) {
    if (layout_) {
      return MakeError(Code::kLayoutFrozen,
                       fmt::format("barriers: {}: expected before ComputeLayout, found after it",
                                   allocation.name));
    }
    constexpr std::int64_t kMax = std::int64_t{1} << 32;
    if (allocation.count < BarrierCount(1) || allocation.arrivals < 1 ||
        allocation.count.value > kMax || allocation.arrivals > kMax) {
      return MakeError(
          Code::kBarrierCount,
          fmt::format("barriers: {}: expected 1 to {} barriers and arrivals, found {} "
                      "and {}",
                      allocation.name, kMax, allocation.count.value, allocation.arrivals));
    }
    const auto same_name = [&](const BarrierAllocation& a) { return a.name == allocation.name; };
    if (std::any_of(allocations_.begin(), allocations_.end(), same_name) ||
        std::count_if(allocations.begin(), allocations.end(), same_name) > 1) {
      return MakeError(
          Code::kBarrierDuplicateName,
          fmt::format("barriers: {}: expected a name that no other has", allocation.name));
    }
  }
  return std::nullopt;
}

Result<void> BarrierAllocator::AddAll(std::vector<BarrierAllocation> allocations) {
  if (std::optional<Error> error = CheckNew(allocations)) return Fail(std::move(*error));
  for (BarrierAllocation& allocation : allocations) allocations_.push_back(std::move(allocation));
  return {};
}

Result<void> BarrierAllocator::Add(const BarrierAllocation& allocation) {
  return AddAll({allocation});
}

Result<void> BarrierAllocator::AddProducerConsumer(const std::string& name, std::int64_t stages,
                                                   std::int64_t producer_arrivals,
                                                   std::int64_t consumer_arrivals) {
  return AddAll(PairOf(name, stages, producer_arrivals, consumer_arrivals));
}

Result<void> BarrierAllocator::AddResource(const TaskResource& resource) {
  const PipelinePointer pipeline = resource.pipeline();
  if (!pipeline) {
    return Fail(MakeError(
        Code::kResourceNoPipeline,
        fmt::format("barriers: resource {}: expected a pipeline, found none", resource.name())));
  }
  for (const Owner& owner : owners_) {
    if (owner.pipeline == pipeline) return {};
  }
  const PipelineOptions& options = pipeline->options();
  const std::size_t first = allocations_.size();
  Result<void> added = AddAll(PairOf(resource.name(), options.stages, options.producer_arrivals,
                                     options.consumer_arrivals));
  if (added) owners_.push_back({first, pipeline, std::nullopt});
  return added;
}

Result<void> BarrierAllocator::AddPipelineGroup(const std::string& name,
                                                const PipelineGroup& group) {
  const std::size_t first = allocations_.size();
  Result<void> added = AddAll(group.Allocations(name));
  if (added) owners_.push_back({first, nullptr, group});
  return added;
}

Result<void> BarrierAllocator::ComputeLayout() {
  if (layout_) {
    return Fail(
        MakeError(Code::kLayoutTwice,
                  "barriers: expected one ComputeLayout, found a second one; offsets stay"));
  }
  layout_ = PlaceBarriers(allocations_);
  return {};
}

Result<BarrierLayout> BarrierAllocator::GetLayout() const {
  if (!layout_) return Fail(NoLayout("its layout is asked for"));
  return *layout_;
}

Result<Bytes> BarrierAllocator::TotalBytes() const {
  if (!layout_) return Fail(NoLayout("its bytes are asked for"));
  return Bytes(layout_->padded.value * kBarrierBytes);
}

Result<void> BarrierAllocator::SetBacking(SmemAllocator& smem) {
  if (!layout_) return Fail(OutOfOrder("expected ComputeLayout before SetBacking"));
  if (backing_) return Fail(OutOfOrder("expected one SetBacking, found a second one"));
  if (layout_->padded == BarrierCount(0)) return Fail(OutOfOrder("expected barriers to back"));
  ByteRegionOptions options;
  options.name = "arena.barriers";
  options.size = Bytes(layout_->padded.value * kBarrierBytes);
  options.alignment = kArenaAlignment.value;
  Result<Region<Smem>> region = Region<Smem>::Create(std::move(options));
  if (!region) return Fail(std::move(region.error()));
  Result<RegionHandle<Smem>> added = smem.AddBarrierBacking(*region);
  if (!added) return Fail(std::move(added.error()));
  backing_ = Backing{std::move(*region), &smem};
  return {};
}

Result<void> BarrierAllocator::AssignBarriers(ByteOffset own_base) {
  if (!layout_) return Fail(OutOfOrder("expected ComputeLayout before AssignBarriers"));
  ByteOffset base = own_base;
  if (backing_) {
    if (!backing_->smem->IsAllocated())
      return Fail(OutOfOrder("expected Allocate of smem before AssignBarriers"));
    base = *backing_->region->offset();
  }
  const auto place = [&](std::size_t i) {
    return base + Bytes(layout_->entries[i].offset.value * kBarrierBytes);
  };
  for (const Owner& owner : owners_) {
    if (owner.pipeline) {
      owner.pipeline->GiveBarriers({place(owner.first), place(owner.first + 1)});
      continue;
    }
    std::vector<ByteOffset> places;
    for (std::size_t i = 0; i < owner.group->Allocations("").size(); ++i)
      places.push_back(place(owner.first + i));
    owner.group->GiveBarriers(places);
  }
  return {};
}

Result<void> BarrierAllocator::CheckPair(const StagedPipeline& pipeline) const {
  for (const Owner& owner : owners_) {
    if (owner.pipeline.get() == &pipeline) return {};
    if (!owner.group) continue;
    const std::vector<PipelinePointer>& members = owner.group->members();
    if (std::any_of(members.begin(), members.end(),
                    [&](const PipelinePointer& member) { return member.get() == &pipeline; }))
      return {};
  }
  if (pipeline.barriers()) return {};
  return Fail(MakeError(Code::kBarrierMissing,
                        fmt::format("barriers: pipeline {}: expected its full and empty barriers, "
                                    "found none; add its resource or its group",
                                    pipeline.name())));
}

}  // namespace spillway::task
