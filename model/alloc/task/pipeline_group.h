// Pipelines that share the barrier of one side.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/alloc/task/place_barriers.h"
#include "model/alloc/task/staged_pipeline.h"

namespace spillway::task {

class PipelineGroup {
 public:
  /// Errors: group.empty; group.member (a member twice, or of another group); group.mismatch
  /// (stages, strides, or kind and arrivals of the shared side; interleaving in a fused merge).
  static Result<PipelineGroup> Create(std::string name, GroupMode mode,
                                      std::vector<PipelinePointer> members);

  const std::string& name() const { return name_; }
  GroupMode mode() const { return mode_; }
  const std::vector<PipelinePointer>& members() const { return members_; }
  std::int64_t stages() const { return members_.front()->options().stages; }

  /// (N + 1) * stages for Merge and Fork, 2 * stages for FusedMerge.
  BarrierCount Barriers() const;
  /// What to register for the group, in order: Merge has `name.<member>.full` for each member, then
  /// one `name.empty`; Fork one `name.full`, then `name.<member>.empty`; FusedMerge `name.full`,
  /// whose arrivals are all producers', and `name.empty`.
  std::vector<BarrierAllocation> Allocations(std::string_view name) const;
  /// Gives the members their barriers; `places` has one address for each of `Allocations`. Members
  /// that have an address keep it.
  void GiveBarriers(std::span<const ByteOffset> places) const;

 private:
  PipelineGroup(std::string name, GroupMode mode, std::vector<PipelinePointer> members)
      : name_(std::move(name)), mode_(mode), members_(std::move(members)) {}

  std::string name_;
  GroupMode mode_;
  std::vector<PipelinePointer> members_;
};

}  // namespace spillway::task
