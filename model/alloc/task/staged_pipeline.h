// A pipeline as allocators and set-up see it: stages, kinds, arrivals, and where its barriers lie.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/alloc/task/pipeline_system.h"
#include "model/hw/error.h"

namespace spillway::task {

/// Where a pipeline's barriers lie in SMEM: one `full` and one `empty` barrier a stage, each kind
/// in a row. The two rows need not be neighbours. Source: ts_pipelines.md §5.
struct BarrierPair {
  ByteOffset full;
  ByteOffset empty;
  friend bool operator==(const BarrierPair&, const BarrierPair&) = default;
};

/// Producer and consumer kind of the documentation's pipeline types.
struct PipelineType {
  std::string_view name;  ///< "TmaUmma"
  SideKind producer = SideKind::kThread;
  SideKind consumer = SideKind::kThread;
};
/// Nothing: no type of that name. Source: ts_pipelines.md §7, Kinds.
std::optional<PipelineType> FindPipelineType(std::string_view name);

/// Who arrives on one side's barriers.
struct ArrivingSide {
  SideKind kind = SideKind::kThread;
  std::int64_t warps = 1;           ///< that arrive, or that a leader arrives for
  std::int64_t ctas = 1;            ///< of a dma side
  std::int64_t bytes_per_warp = 0;  ///< of a dma side: what one warp's transfer brings in one CTA
};
/// Arrivals that a side makes in one phase: the threads of its warps, one for matrix work, the
/// bytes of all transfers for dma. Source: ts_pipelines.md §7, Arrival counts.
std::int64_t DerivedArrivals(const ArrivingSide& side);
/// Errors: pipeline.arrivals, with the derived number.
Result<void> CheckArrivals(std::string_view pipeline, Side side, std::int64_t declared,
                           const ArrivingSide& arriving);

/// Strides in slots: acquire, commit, wait, release. Source: ts_pipelines.md §7, Interleaving.
struct Interleaving {
  std::int64_t acquire = 1;
  std::int64_t commit = 1;
  std::int64_t wait = 1;
  std::int64_t release = 1;
  bool advance_on_acquire = false;  ///< needed where acquire and commit differ
  bool advance_on_wait = false;     ///< needed where wait and release differ

  static Interleaving Every(std::int64_t stride) { return {stride, stride, stride, stride}; }
  friend bool operator==(const Interleaving&, const Interleaving&) = default;
};

/// How the CTAs of a cluster are laid out: V, M, N, K.
using ClusterLayout = std::array<std::int64_t, 4>;

/// Merge: N producers, one consumer, one release for all. Fork: one producer with one commit for
/// all, N consumers. FusedMerge: the members commit onto one barrier, one wait, one release.
/// Source: ts_pipelines.md §7, Groups.
enum class GroupMode { kMerge, kFork, kFusedMerge };
std::string_view GroupModeName(GroupMode mode);

struct PipelineOptions {
  std::string name;
  std::int64_t stages = 1;
  SideKind producer = SideKind::kThread;
  SideKind consumer = SideKind::kThread;
  std::int64_t producer_arrivals = 1;
  std::int64_t consumer_arrivals = 1;
  Interleaving interleaving;
  /// Bytes that a dma producer's barrier expects in one phase; nothing: not declared.
  std::optional<Bytes> transfer_bytes = std::nullopt;
  bool supports_probes = false;  ///< a try comes before each blocking operation
  ClusterLayout cluster = {1, 1, 1, 1};
};

/// A pipeline that a resource owns; whoever provides its barriers writes their place.
class StagedPipeline {
 public:
  /// Errors: pipeline.stages, pipeline.arrivals, pipeline.interleaving.
  static Result<std::shared_ptr<StagedPipeline>> Create(PipelineOptions options);

  const std::string& name() const { return options_.name; }
  const PipelineOptions& options() const { return options_; }
  /// Nothing before an allocator or the author gave it a place.
  const std::optional<BarrierPair>& barriers() const { return barriers_; }
  /// Whether the place was taken; a pipeline that has one keeps it.
  bool GiveBarriers(BarrierPair pair);
  /// Name of the group that it is a member of; empty: none.
  const std::string& group() const { return group_; }
  /// Of that group; meaningful for members.
  GroupMode group_mode() const { return group_mode_; }
  /// Whether it was free; a pipeline is a member of one group at most.
  bool JoinGroup(const std::string& name, GroupMode mode);

 private:
  explicit StagedPipeline(PipelineOptions options) : options_(std::move(options)) {}

  PipelineOptions options_;
  std::optional<BarrierPair> barriers_;
  std::string group_;
  GroupMode group_mode_ = GroupMode::kMerge;
};

using PipelinePointer = std::shared_ptr<StagedPipeline>;

}  // namespace spillway::task
