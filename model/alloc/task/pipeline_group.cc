#include "model/alloc/task/pipeline_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/alloc/task/codes.h"

namespace spillway::task {
namespace {

/// What all members must agree on.
struct SharedSide {
  SideKind kind = SideKind::kThread;
  std::int64_t arrivals = 1;
  friend bool operator==(const SharedSide&, const SharedSide&) = default;
};

SharedSide SharedOf(GroupMode mode, const PipelineOptions& options) {
  if (mode == GroupMode::kFork) return {options.producer, options.producer_arrivals};
  return {options.consumer, options.consumer_arrivals};
}

std::optional<Error> CheckMembers(const std::string& group, GroupMode mode,
                                  const std::vector<PipelinePointer>& members) {
  const auto refuse = [&](Code code, const StagedPipeline& member, std::string_view text) {
    return MakeError(code, fmt::format("{} group {}: pipeline {}: {}", GroupModeName(mode), group,
                                       member.name(), text));
  };
  const PipelineOptions& first = members.front()->options();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const StagedPipeline& member = *members[i];
    const PipelineOptions& options = member.options();
    if (std::find(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(i), members[i]) !=
        members.begin() + static_cast<std::ptrdiff_t>(i))
      return refuse(Code::kGroupMember, member, "expected once, found twice");
    if (!member.group().empty()) {
      return refuse(Code::kGroupMember, member,
                    fmt::format("expected in one group, found in group {} before", member.group()));
    }
    if (options.stages != first.stages) {
      return refuse(Code::kGroupMismatch, member,
                    fmt::format("expected {} stages as {}, found {}", first.stages, first.name,
                                options.stages));
    }
    if (!(options.interleaving == first.interleaving)) {
      return refuse(Code::kGroupMismatch, member,
                    fmt::format("expected the interleave strides of {}, found others", first.name));
    }
    if (mode == GroupMode::kFusedMerge && !(options.interleaving == Interleaving{})) {
      return refuse(Code::kGroupMismatch, member,
                    "expected no interleaving in a fused merge, found strides other than 1");
    }
    const SharedSide shared = SharedOf(mode, options);
    const SharedSide wanted = SharedOf(mode, first);
    if (!(shared == wanted)) {
      return refuse(Code::kGroupMismatch, member,
                    fmt::format("expected kind {} and {} arrivals on the shared side as {}, found "
                                "{} and {}",
                                SideKindName(wanted.kind), wanted.arrivals, first.name,
                                SideKindName(shared.kind), shared.arrivals));
    }
  }
  return std::nullopt;
}

}  // namespace

Result<PipelineGroup> PipelineGroup::Create(std::string name, GroupMode mode,
                                            std::vector<PipelinePointer> members) {
  if (members.empty()) {
    return Fail(MakeError(Code::kGroupEmpty,
                          fmt::format("{} group {}: expected at least 1 pipeline, found none",
                                      GroupModeName(mode), name)));
  }
  if (std::optional<Error> error = CheckMembers(name, mode, members))
    return Fail(std::move(*error));
  for (const PipelinePointer& member : members)
    SPILLWAY_CHECK(member->JoinGroup(name, mode), "checked to be free");
  return PipelineGroup(std::move(name), mode, std::move(members));
}

BarrierCount PipelineGroup::Barriers() const {
  BarrierCount count;
  for (const BarrierAllocation& allocation : Allocations("")) count += allocation.count;
  return count;
}

std::vector<BarrierAllocation> PipelineGroup::Allocations(std::string_view name) const {
  std::vector<BarrierAllocation> full;
  std::vector<BarrierAllocation> empty;
  const BarrierCount count(stages());
  const auto add = [&](std::vector<BarrierAllocation>& side, const std::string& member,
                       const char* what, std::int64_t arrivals) {
    side.push_back(
        {fmt::format("{}{}.{}", name, member, what), count, arrivals, BarrierClass::kV0});
  };
  const PipelineOptions& first = members_.front()->options();
  std::int64_t all_producers = 0;
  for (const PipelinePointer& member : members_) {
    const PipelineOptions& options = member->options();
    all_producers += options.producer_arrivals;
    if (mode_ == GroupMode::kMerge)
      add(full, "." + options.name, "full", options.producer_arrivals);
    if (mode_ == GroupMode::kFork)
      add(empty, "." + options.name, "empty", options.consumer_arrivals);
  }
  if (mode_ == GroupMode::kFork) add(full, "", "full", first.producer_arrivals);
  if (mode_ == GroupMode::kFusedMerge) add(full, "", "full", all_producers);
  if (mode_ != GroupMode::kFork) add(empty, "", "empty", first.consumer_arrivals);
  full.insert(full.end(), empty.begin(), empty.end());
  return full;
}

void PipelineGroup::GiveBarriers(std::span<const ByteOffset> places) const {
  SPILLWAY_CHECK(places.size() == Allocations("").size(), "one place for each allocation");
  for (std::size_t i = 0; i < members_.size(); ++i) {
    // The shared row is the first of a fork and the last of a merge.
    const ByteOffset full = mode_ == GroupMode::kMerge ? places[i] : places.front();
    const ByteOffset empty = mode_ == GroupMode::kFork ? places[i + 1] : places.back();
    members_[i]->GiveBarriers({full, empty});
  }
}

}  // namespace spillway::task
