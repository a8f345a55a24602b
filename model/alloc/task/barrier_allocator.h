// All barriers of a kernel in one array, which one vectorised pass initialises.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/alloc/task/pipeline_group.h"
#include "model/alloc/task/smem_allocator.h"

namespace spillway::task {

/// One initialising instruction of a warp: lane l initialises entry begin + l.
struct InitialisedChunk {
  BarrierIndex begin;
  /// One number where a single run covers the chunk, else one for each lane. Padding entries get
  /// the last run's number and are never addressed.
  std::vector<std::int64_t> arrivals;
  friend bool operator==(const InitialisedChunk&, const InitialisedChunk&) = default;
};
/// The instructions in order; a fence and a barrier of the CTA or cluster follow them.
/// Source: ts_pipelines.md §5, Initialisation.
std::vector<InitialisedChunk> InitialisationOf(const BarrierLayout& layout);

/// The names are the seed's. Source: seed 001 (BarrierAllocator); ts_pipelines.md §5.
class BarrierAllocator {
 public:
  /// Errors: barrier.count, barrier.duplicate-name, layout.frozen.
  Result<void> Add(const BarrierAllocation& allocation);
  /// `name.full`, then `name.empty`. Errors: those of Add; nothing is registered then.
  Result<void> AddProducerConsumer(const std::string& name, std::int64_t stages,
                                   std::int64_t producer_arrivals, std::int64_t consumer_arrivals);
  /// The pair of its pipeline, named after the resource; a second call does nothing.
  /// Errors: resource.no-pipeline and those of Add.
  Result<void> AddResource(const TaskResource& resource);
  /// The group's barriers, each name starting with `name`. Errors: those of Add.
  Result<void> AddPipelineGroup(const std::string& name, const PipelineGroup& group);

  /// Once. Errors: layout.twice.
  Result<void> ComputeLayout();
  bool HasLayout() const { return layout_.has_value(); }
  /// Entries, runs, used and padded. Errors: layout.missing.
  Result<BarrierLayout> GetLayout() const;
  /// Bytes of the array. Errors: layout.missing.
  Result<Bytes> TotalBytes() const;

  /// Puts the array into the block of `smem`; without it, it is an allocation of its own.
  /// Errors: lifecycle (before this layout, after that of `smem`, or a second time); those of
  /// SmemAllocator::Add.
  Result<void> SetBacking(SmemAllocator& smem);
  bool HasBacking() const { return backing_.has_value(); }

  /// Gives every registered pipeline its barriers; one that has an address keeps it. The array
  /// starts at its place in the block of `smem`, or at `own_base` without backing.
  /// Errors: lifecycle (before the layout or, with backing, before Allocate).
  Result<void> AssignBarriers(ByteOffset own_base = ByteOffset(0));

  /// Whether `pipeline` finds its pair here. Errors: barrier.missing.
  Result<void> CheckPair(const StagedPipeline& pipeline) const;

 private:
  struct Backing {
    Region<Smem> region;
    const SmemAllocator* smem = nullptr;
  };
  struct Owner {
    std::size_t first = 0;  ///< index of its first allocation
    PipelinePointer pipeline;
    std::optional<PipelineGroup> group;
  };

  std::optional<Error> CheckNew(const std::vector<BarrierAllocation>& allocations) const;
  Result<void> AddAll(std::vector<BarrierAllocation> allocations);

  std::vector<BarrierAllocation> allocations_;
  std::vector<Owner> owners_;
  std::optional<BarrierLayout> layout_;
  std::optional<Backing> backing_;
};

}  // namespace spillway::task
